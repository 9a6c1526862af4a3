//! What follows from the end of an attempt beside its record, by the cause of the end.

use crate::model::demand::Demand;
use crate::model::fact::Event;
use crate::model::outcome::Outcome;
use crate::model::phase::QueueCause;
use crate::model::run_state::ShardState;
use crate::scheduler::memory::Memory;
use crate::scheduler::oom;
use crate::scheduler::retry::cause_to_retry;
use crate::scheduler::turn::Turn;

/// The facts that follow; nothing where the end is final. To be asked before the end is recorded.
pub fn follow_up(turn: &Turn, memory: &Memory, shard: &ShardState, outcome: &Outcome) -> Vec<Event> {
    if let Some(demand) = oom::more_room(turn, memory, shard, outcome) {
        return vec![queued(shard, QueueCause::GpuOom, demand)];
    }
    // What no answer is left for is a failure like any other.
    let cause = cause_to_retry(shard, outcome, turn.policy.schedule.retries, turn.stage());
    cause.map(|cause| queued(shard, cause, Demand::default())).into_iter().collect()
}

fn queued(shard: &ShardState, cause: QueueCause, demand: Demand) -> Event {
    Event::ShardQueued { shard: shard.id.clone(), cause, by: None, not_before: None, demand }
}
