//! Time-outs and stalls: what has come due by now, and when the next one will.

use jiff::Timestamp;

use crate::model::fact::{Condition, Event};
use crate::model::phase::{Live, Phase, StopCause};
use crate::model::plan::OnStall;
use crate::model::run_state::ShardState;
use crate::scheduler::memory::Memory;
use crate::scheduler::stops::stop_attempt;
use crate::scheduler::turn::Turn;

/// Looks at every running shard. A paused one has no deadline: its clocks stand still.
pub fn check(turn: &mut Turn, memory: &Memory) {
    for position in turn.positions() {
        let shard = turn.shard(position);
        let Phase::Running(live) = &shard.phase else { continue };
        let timeout = timeout_at(turn, live);
        let stall = stall_at(turn, memory, shard, live);
        if timeout.is_some_and(|at| at <= turn.now) {
            stop_attempt(turn, position, StopCause::Timeout, None);
        } else if stall.is_some_and(|at| at <= turn.now) {
            stalled(turn, position);
        } else {
            [timeout, stall].into_iter().flatten().for_each(|at| turn.wake_at(at));
        }
    }
}

fn timeout_at(turn: &Turn, live: &Live) -> Option<Timestamp> {
    let timeout = turn.policy.schedule.timeout?;
    live.started.checked_add(live.paused).ok()?.checked_add(timeout).ok()
}

/// When silence has something to change: not where it is shown already, or something more telling is.
fn stall_at(turn: &Turn, memory: &Memory, shard: &ShardState, live: &Live) -> Option<Timestamp> {
    let schedule = &turn.policy.schedule;
    let changes = match (schedule.on_stall, shard.condition) {
        (OnStall::Fail, _) => true,
        (OnStall::Show, None | Some(Condition::Compiling)) => true,
        (OnStall::Show, Some(Condition::Stalled | Condition::NeedsInput)) => false,
    };
    if !changes || schedule.stall_after.is_zero() {
        return None;
    }
    memory.sign(&shard.id, live.attempt)?.silent_for(schedule.stall_after, live)
}

fn stalled(turn: &mut Turn, position: usize) {
    let shard = turn.shard(position);
    if shard.condition != Some(Condition::Stalled)
        && let Some(attempt) = shard.phase.attempt()
    {
        let condition = Some(Condition::Stalled);
        turn.record(Event::ConditionChanged { shard: shard.id.clone(), attempt, condition });
    }
    match turn.policy.schedule.on_stall {
        OnStall::Show => {}
        OnStall::Fail => stop_attempt(turn, position, StopCause::Stalled, None),
    }
}
