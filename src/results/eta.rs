//! How much longer a shard and a run will take, or nothing where nobody can know.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::closing::Closing;
use crate::model::opening::Opening;
use crate::model::phase::{Phase, PhaseKind};
use crate::model::plan::{Plan, ShardSpec};
use crate::model::run_state::{RunStage, RunState};
use crate::model::shard_state::ShardState;
use crate::model::units::between;

/// When so much of a shard is done, its pace says all and what was expected of it nothing.
const TRUSTED: f64 = 0.2;

/// Time left of a shard of which that fraction is done, that has run for `unpaused` and is expected to take `expected` in all.
///
/// Its own pace counts more than what was expected of it, once enough is done: what a program loads before its first
/// episode is no part of its pace, and would make a short run look long.
pub fn shard(fraction: Option<f64>, unpaused: Duration, expected: Option<Duration>) -> Option<Duration> {
    match fraction {
        Some(done) if done > 0.0 => {
            let by_pace = unpaused.as_secs_f64() * (1.0 - done) / done;
            let foreseen = expected.and_then(|expected| expected.checked_sub(unpaused));
            let trust = (done / TRUSTED).min(1.0);
            let left =
                foreseen.map_or(by_pace, |foreseen| foreseen.as_secs_f64() * (1.0 - trust) + by_pace * trust);
            Duration::try_from_secs_f64(left).ok()
        }
        // One that takes longer than expected may end at any time, or never.
        Some(_) | None => expected?.checked_sub(unpaused),
    }
}

/// What an active shard still needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Remaining {
    /// Time left, if one that is stuck goes on now.
    pub left: Option<Duration>,
    /// For so long it has been stuck: that time is no measure of its work.
    pub stuck: Duration,
}

/// Time left of the run: the remaining shards laid out on its slots in their order.
///
/// `left` gives what the active shards still need by their position. One shard whose length nobody can guess
/// makes the whole unknown.
pub fn run(plan: &Plan, state: &RunState, left: &[Remaining], now: Timestamp) -> Option<Duration> {
    if let RunStage::Ended { .. } = state.stage {
        return None;
    }
    let is_active = |position: &usize| state.shards[*position].phase.kind().is_active();
    let active = (0..state.shards.len()).filter(is_active);
    let busy: Vec<Duration> = active.map(|position| left.get(position)?.left).collect::<Option<_>>()?;
    if state.stage != RunStage::Active {
        return layout(busy, 0, std::iter::empty());
    }
    let typical = typical_or_foreseen(state, left, now);
    let is_queued = |position: &usize| {
        state.shards.get(*position).is_some_and(|shard| shard.phase.kind() == PhaseKind::Queued)
    };
    let queued = plan.start_order().into_iter().filter(is_queued);
    let lengths = queued.map(|position| expected(&plan.shards[position], typical));
    let laid_out = layout(busy, (state.parallel.max(1) as usize).min(state.shards.len()), lengths)?;
    with_hours(state, laid_out, now)
}

/// The same where shards start and run at some hours only. When the next window closes, and what it cuts, nobody knows here.
fn with_hours(state: &RunState, left: Duration, now: Timestamp) -> Option<Duration> {
    if state.count(PhaseKind::Queued) == 0 && state.count(PhaseKind::Paused) == 0 {
        return Some(left);
    }
    match state.opening {
        Opening::Open { closes: None } => Some(left),
        Opening::Open { closes: Some(until) } | Opening::Early { until } => {
            Some(left).filter(|left| *left <= between(now, until))
        }
        Opening::Closed { opens, because: Closing::StartTime, .. } => Some(between(now, opens) + left),
        Opening::Closed { because: Closing::Window, .. } => None,
    }
}

/// When everything is done: slots that are `busy` for so long and free ones up to `slots` take the shards in their order.
pub fn layout(
    busy: Vec<Duration>,
    slots: usize,
    lengths: impl Iterator<Item = Option<Duration>>,
) -> Option<Duration> {
    let mut end = busy.iter().max().copied().unwrap_or_default();
    let free = slots.saturating_sub(busy.len());
    let mut slots: BinaryHeap<Reverse<Duration>> = busy.into_iter().map(Reverse).collect();
    slots.extend(std::iter::repeat_n(Reverse(Duration::ZERO), free));
    for length in lengths {
        let Reverse(free) = slots.pop()?;
        let done = free + length?;
        end = end.max(done);
        slots.push(Reverse(done));
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
        .filter_map(|shard| {
            let ended = shard.phase.ended()?;
            Some(ended.outcome.elapsed? + shard.worked_before(ended.attempt))
        })
        .collect();
    mean(&lengths)
}

/// How long a shard takes of which nothing is known but its fellows.
pub fn typical_or_foreseen(state: &RunState, left: &[Remaining], now: Timestamp) -> Option<Duration> {
    typical(state).or_else(|| foreseen(state, left, now))
}

/// The mean length that the active shards will have: all there is to go by until one of them has succeeded.
fn foreseen(state: &RunState, left: &[Remaining], now: Timestamp) -> Option<Duration> {
    let active = state.shards.iter().zip(left);
    let length = |shard: &ShardState, remaining: &Remaining| {
        Some(worked(shard, now)?.saturating_sub(remaining.stuck) + remaining.left?)
    };
    let lengths: Vec<Duration> = active.filter_map(|(shard, remaining)| length(shard, remaining)).collect();
    mean(&lengths)
}

fn mean(lengths: &[Duration]) -> Option<Duration> {
    let count = u32::try_from(lengths.len()).ok().filter(|count| *count > 0)?;
    Some(lengths.iter().sum::<Duration>() / count)
}

/// How long a shard that runs has worked without pauses, by the attempts too whose work it continues.
pub fn worked(shard: &ShardState, now: Timestamp) -> Option<Duration> {
    let before = shard.attempt.map(|attempt| shard.worked_before(attempt)).unwrap_or_default();
    Some(unpaused(&shard.phase, now)? + before)
}

/// How long the attempt of a phase has run without its pauses; none where it does not run.
pub fn unpaused(phase: &Phase, now: Timestamp) -> Option<Duration> {
    match phase {
        Phase::Running(live) | Phase::Stopping { live, .. } => Some(live.unpaused(now, None)),
        Phase::Paused { live, since, .. } => Some(live.unpaused(now, Some(*since))),
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
        let begun = shard(Some(0.01), minute / 6, Some(minute * 2)).map(|left| left.as_secs());
        assert_eq!(begun, Some(154), "ten seconds of loading do not make it a quarter of an hour");
        assert_eq!(shard(None, minute, None), None);
        assert_eq!(shard(None, minute * 2, Some(minute)), None, "it has outrun what was expected");
    }
}
