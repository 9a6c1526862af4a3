//! How much longer a shard and a run will take, or nothing where nobody can know.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::phase::{Phase, PhaseKind};
use crate::model::plan::{Plan, ShardSpec};
use crate::model::run_state::{RunStage, RunState};

/// Time left of a shard of which that fraction is done, that has run for `unpaused` and is expected to take `expected` in all.
///
/// Its own pace counts more than what was expected of it.
pub fn shard(fraction: Option<f64>, unpaused: Duration, expected: Option<Duration>) -> Option<Duration> {
    match fraction {
        Some(done) if done > 0.0 => {
            Duration::try_from_secs_f64(unpaused.as_secs_f64() * (1.0 - done) / done).ok()
        }
        // One that takes longer than expected may end at any time, or never.
        Some(_) | None => expected?.checked_sub(unpaused),
    }
}

/// Time left of the run: the remaining shards laid out on its slots in their order.
///
/// `left` gives the time left of the active shards by their position. One shard whose length nobody can guess
/// makes the whole unknown.
pub fn run(plan: &Plan, state: &RunState, left: &[Option<Duration>], now: Timestamp) -> Option<Duration> {
    if let RunStage::Ended { .. } = state.stage {
        return None;
    }
    let mut slots = BinaryHeap::new();
    let mut end = Duration::ZERO;
    for (position, shard) in state.shards.iter().enumerate() {
        if shard.phase.kind().is_active() {
            let left = left.get(position).copied().flatten()?;
            end = end.max(left);
            slots.push(Reverse(left));
        }
    }
    if state.stage == RunStage::Active {
        while slots.len() < (state.parallel as usize).min(state.shards.len()) {
            slots.push(Reverse(Duration::ZERO));
        }
        let typical = typical(state).or_else(|| foreseen(state, left, now));
        for position in plan.start_order() {
            let (Some(spec), Some(shard)) = (plan.shards.get(position), state.shards.get(position)) else {
                continue;
            };
            if shard.phase.kind() == PhaseKind::Queued {
                let Reverse(free) = slots.pop()?;
                let done = free + expected(spec, typical)?;
                end = end.max(done);
                slots.push(Reverse(done));
            }
        }
    }
    Some(end)
}

/// How long a shard should take in all: what it took before, what the sweep says, else what its fellows took.
pub fn expected(spec: &ShardSpec, typical: Option<Duration>) -> Option<Duration> {
    spec.foreseen().or(typical)
}

/// The mean length of the shards that succeeded.
pub fn typical(state: &RunState) -> Option<Duration> {
    let lengths: Vec<Duration> = state
        .shards
        .iter()
        .filter(|shard| shard.phase.kind() == PhaseKind::Succeeded)
        .filter_map(|shard| shard.phase.ended()?.outcome.elapsed)
        .collect();
    mean(&lengths)
}

/// The mean length that the active shards will have: all there is to go by until one of them has succeeded.
fn foreseen(state: &RunState, left: &[Option<Duration>], now: Timestamp) -> Option<Duration> {
    let active = state.shards.iter().zip(left);
    let lengths: Vec<Duration> =
        active.filter_map(|(shard, left)| Some(unpaused(&shard.phase, now)? + (*left)?)).collect();
    mean(&lengths)
}

fn mean(lengths: &[Duration]) -> Option<Duration> {
    let count = u32::try_from(lengths.len()).ok().filter(|count| *count > 0)?;
    Some(lengths.iter().sum::<Duration>() / count)
}

/// How long the attempt of a phase has run without its pauses; none where it does not run.
pub fn unpaused(phase: &Phase, now: Timestamp) -> Option<Duration> {
    match phase {
        Phase::Running(live) | Phase::Stopping { live, .. } => Some(live.unpaused(now, None)),
        Phase::Paused { live, since } => Some(live.unpaused(now, Some(*since))),
        Phase::Starting { .. } => Some(Duration::ZERO),
        Phase::Queued { .. } | Phase::Succeeded(_) | Phase::Failed { .. } | Phase::Cancelled { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_of_a_shard_counts_more_than_what_was_expected() {
        let minute = Duration::from_secs(60);
        assert_eq!(shard(Some(0.5), minute, Some(minute)), Some(minute));
        assert_eq!(shard(None, minute, Some(minute * 3)), Some(minute * 2));
        assert_eq!(shard(None, minute, None), None);
        assert_eq!(shard(None, minute * 2, Some(minute)), None, "it has outrun what was expected");
    }
}
