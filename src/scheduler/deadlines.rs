//! Time-outs and silence: what has come due by now, and when the next one will.

use jiff::Timestamp;

use crate::model::state::fact::{Condition, Event};
use crate::model::state::phase::{Live, Phase, StopCause};
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::OnStall;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::silence::{Silence, judge_silence};
use crate::scheduler::stops::stop_attempt;
use crate::scheduler::volatile_state::{LifeSign, LoadInfo, VolatileState};

/// Looks at every running shard. A paused one has no deadline: its clocks do not run.
pub fn check_deadlines(builder: &mut DecisionBuilder, volatile: &VolatileState) {
    let active: Vec<usize> = builder.tally().active_positions().iter().copied().collect();
    for position in active {
        let shard = builder.shard(position);
        let Phase::Running(live) = &shard.phase else { continue };
        let timeout = timeout_at(builder, position, live);
        if timeout.is_some_and(|at| at <= builder.now) {
            stop_attempt(builder, position, StopCause::Timeout, None);
            continue;
        }
        timeout.into_iter().for_each(|at| builder.wake_at(at));
        check_silence(builder, volatile, position);
    }
}

fn timeout_at(builder: &DecisionBuilder, position: usize, live: &Live) -> Option<Timestamp> {
    let timeout = builder.policy.kind(position).timeout?;
    live.started.checked_add(live.paused).ok()?.checked_add(timeout).ok()
}

/// Shows what the silence of a running shard means, and ends it if the sweep wants that.
fn check_silence(builder: &mut DecisionBuilder, volatile: &VolatileState, position: usize) {
    let shard = builder.shard(position);
    let schedule = &builder.policy.schedule;
    let Phase::Running(live) = &shard.phase else { return };
    let Some(sign) = volatile.last_sign(&shard.id, live.attempt) else { return };
    // A question that waits for an answer explains the silence.
    if shard.condition() == Some(Condition::NeedsInput) && schedule.on_stall == OnStall::Show {
        return;
    }
    let course = volatile.course(&shard.id, live.attempt);
    let silence = judge_silence(schedule, sign, course, live, builder.now);
    let ends = silence.condition == Some(Condition::Stalled) && schedule.on_stall == OnStall::Fail;
    let change = condition_change(shard, silence, course, sign);
    silence.changes_at.into_iter().for_each(|at| builder.wake_at(at));
    change.into_iter().for_each(|fact| builder.record(fact));
    if ends {
        stop_attempt(builder, position, StopCause::Stalled, None);
    }
}

/// The fact that another condition is shown from now on, if it is.
fn condition_change(shard: &ShardState, silence: Silence, course: LoadInfo, sign: LifeSign) -> Option<Event> {
    let shows = match (shard.condition(), silence.condition) {
        (Some(Condition::NeedsInput), Some(Condition::Compiling) | None) => return None,
        // A stall is taken back by a sign of life alone: a new supervisor has not seen how long it lasted.
        (Some(Condition::Stalled), None) => return None,
        // Not measured yet by a supervisor that took over.
        (Some(Condition::Compiling), None) if course.load.is_none() && course.may_compile => return None,
        (shown, judged) if shown == judged => return None,
        (_, judged) => judged,
    };
    Some(Event::ConditionChanged {
        shard: shard.id.clone(),
        attempt: shard.phase.attempt()?,
        condition: shows,
        since: shows.map(|_| sign.at()),
    })
}
