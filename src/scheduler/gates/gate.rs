//! When starts may happen, whatever the machine has: the slots, the warm-up, and the pauses around starts.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::state::phase::{Ended, Phase};
use crate::model::state::shard_state::ShardState;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::volatile_state::VolatileState;

/// How many shards may be active: one until the run is warm.
pub fn active_limit(builder: &DecisionBuilder, volatile: &VolatileState) -> usize {
    let is_cold =
        builder.policy.schedule.warmup && !volatile.progress_seen && builder.tally().newest_end().is_none();
    if is_cold { 1 } else { builder.parallel_limit() }
}

fn newest_end(shard: &ShardState) -> Option<&Ended> {
    shard.phase.ended().or(shard.history.last())
}

/// The moment before which nothing starts: `stagger` after the newest start and `cooldown` after the newest end.
/// Moments in the future (a clock that was set back) are ignored.
pub fn opens_at(builder: &DecisionBuilder) -> Option<Timestamp> {
    let newest = |moment: fn(&ShardState) -> Option<Timestamp>, pause: Duration| {
        if pause.is_zero() {
            return None;
        }
        let newest = builder.shards().filter_map(moment).filter(|at| *at <= builder.now).max()?;
        moment_after(newest, pause)
    };
    let schedule = &builder.policy.schedule;
    let staggered = newest(newest_start, schedule.stagger);
    let cooled = newest(|shard| newest_end(shard).map(|ended| ended.at), schedule.cooldown);
    staggered.max(cooled)
}

/// When the shard's newest attempt was announced or, where that is known, when its process started.
fn newest_start(shard: &ShardState) -> Option<Timestamp> {
    match &shard.phase {
        Phase::Starting { since, .. } => Some(*since),
        Phase::Running(live) | Phase::Paused { live, .. } | Phase::Stopping { live, .. } => {
            Some(live.started)
        }
        Phase::Queued { .. } | Phase::Succeeded(_) | Phase::Failed { .. } | Phase::Cancelled { .. } => {
            newest_end(shard)?.started
        }
    }
}

/// Returns the moment that long after; never where time does not reach so far.
pub fn moment_after(at: Timestamp, pause: Duration) -> Option<Timestamp> {
    at.checked_add(pause).ok()
}
