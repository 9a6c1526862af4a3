//! When the run is over.

use std::time::Duration;

use crate::model::outcome::Verdict;
use crate::model::state::fact::Event;
use crate::model::state::phase::Phase;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::state::service_state::ServiceState;
use crate::model::state::shard_state::ShardState;
use crate::model::state::tally::ShardTally;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::policy::SchedulingPolicy;
use crate::scheduler::prospects::Prospects;
use crate::scheduler::volatile_state::VolatileState;

/// So long a node waits for orders before it gives its machine back.
const IDLE: Duration = Duration::from_secs(120);

/// Returns the content of `RunEnded` if it were recorded now; `None` while the run is not over, or its end is
/// recorded. To be asked again before the fact is written: a shard may have been requeued while the reporter ran.
pub fn pending_end(policy: &SchedulingPolicy, state: &RunState) -> Option<bool> {
    if state.stage == RunStage::Active && policy.open_watches(state).next().is_some() {
        return None;
    }
    let prospects = Prospects::of_state(policy, state);
    judge_end(&prospects, state.stage, state.tally(), (&state.services, state.shards.iter()))
}

/// Asks for the end once, and once more where it would now be another one.
pub fn finish_if_due(builder: &mut DecisionBuilder, volatile: &mut VolatileState) {
    reopen_if_whole(builder);
    // New files, or shards of this very decision, are still to come.
    let goes_on = builder.stage() == RunStage::Active
        && (builder.has_added() || builder.watched_axes().next().is_some() || waits_for_orders(builder));
    let due = if goes_on { None } else { over_now(builder) };
    if let Some(finished) = due
        && volatile.finish_asked != due
    {
        builder.add_effect(Effect::Finish { finished });
    }
    volatile.finish_asked = due;
}

/// A node without work stays for a while: the next order may be on its way.
fn waits_for_orders(builder: &mut DecisionBuilder) -> bool {
    let (Some(_), Some(last)) = (builder.own_node(), builder.last_fact()) else { return false };
    if !builder.tally().all_final() {
        return false;
    }
    let ends = last.saturating_add(IDLE).unwrap_or(builder.now);
    if ends > builder.now {
        builder.wake_at(ends);
    }
    ends > builder.now
}

/// Somebody has cancelled what an end had left over: the run ends once more, now as a whole one with its results.
fn reopen_if_whole(builder: &mut DecisionBuilder) {
    let ended_early = matches!(builder.stage(), RunStage::Ended { finished: false, .. });
    if ended_early && builder.tally().all_final() && builder.shards().all(at_its_end) {
        builder.record(Event::RunContinued { by: None });
    }
}

fn over_now(builder: &DecisionBuilder) -> Option<bool> {
    if builder.has_services_at_nodes() {
        return None;
    }
    let prospects = Prospects::of_decision(builder);
    judge_end(&prospects, builder.stage(), builder.tally(), (builder.services(), builder.shards()))
}

fn judge_end<'s>(
    prospects: &Prospects<'s>,
    stage: RunStage,
    tally: &ShardTally,
    (services, mut shards): (&[ServiceState], impl Iterator<Item = &'s ShardState> + Clone),
) -> Option<bool> {
    if !tally.active_positions().is_empty() || services.iter().any(ServiceState::is_active) {
        return None;
    }
    // What a node has may still run there.
    if shards.clone().any(ShardState::is_dealt) {
        return None;
    }
    match stage {
        // A requeue lets a run go on without those that a stop had cut short.
        RunStage::Active if tally.all_final() => Some(shards.all(at_its_end)),
        // A client that waits for the end has to know what starts only after a user has seen to it.
        RunStage::Active => (!prospects.any_starts(shards)).then_some(false),
        RunStage::Draining | RunStage::Stopping => Some(shards.all(at_its_end)),
        RunStage::Ended { .. } => None,
    }
}

fn at_its_end(shard: &ShardState) -> bool {
    shard.phase.kind().is_final() && !was_cut_short(shard)
}

/// The run was stopped under this shard's attempt; going on takes it up again.
pub fn was_cut_short(shard: &ShardState) -> bool {
    matches!(&shard.phase, Phase::Cancelled { ended: Some(ended), .. } if ended.outcome.verdict == Verdict::Cancelled)
}
