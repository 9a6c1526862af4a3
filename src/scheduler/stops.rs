//! Ending attempts: one, or all of them.

use crate::model::ids::AttemptKey;
use crate::model::state::fact::{Actor, Event};
use crate::model::state::phase::{PhaseKind, StopCause};
use crate::model::state::service_state::FIRST_SERVICE;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;

/// Asks the attempt at this position to end; one that is ending already is left alone.
pub fn stop_attempt(builder: &mut DecisionBuilder, position: usize, cause: StopCause, by: Option<&Actor>) {
    let shard = builder.shard(position);
    let kind = shard.phase.kind();
    let Some(attempt) = shard.phase.attempt().filter(|_| kind.is_active() && kind != PhaseKind::Stopping)
    else {
        return;
    };
    let shard = shard.id.clone();
    let key = AttemptKey { shard: shard.clone(), attempt };
    builder.record(Event::AttemptStopping { shard, attempt, cause, by: by.cloned() });
    builder.add_effect(Effect::Stop { key });
}

/// Asks every attempt to end because the run is being stopped.
pub fn stop_all(builder: &mut DecisionBuilder, by: Option<&Actor>) {
    let active: Vec<usize> = builder.tally().active_positions().iter().copied().collect();
    for position in active {
        stop_attempt(builder, position, StopCause::RunStopped, by);
    }
    for at in 0..builder.services().len() {
        stop_attempt(builder, FIRST_SERVICE + at, StopCause::RunStopped, by);
    }
}
