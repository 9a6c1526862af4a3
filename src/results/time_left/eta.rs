//! How much longer a shard and a run will take, or nothing where that cannot be known.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use jiff::Timestamp;

use super::fellows::Fellows;
pub use super::remaining::{Remaining, unpaused, worked};
use crate::model::state::closing::Closing;
use crate::model::state::opening::Opening;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::model::units::duration_between;

/// Time left of the run: the remaining shards laid out on its slots in their order.
///
/// `left` gives what the active shards still need by their position, `fellows` what others show of the lengths of those
/// that wait. One shard whose length cannot be guessed makes the whole unknown.
pub fn run(
    plan: &Plan,
    state: &RunState,
    left: &[Remaining],
    (fellows, now): (&Fellows, Timestamp),
) -> Option<Duration> {
    if let RunStage::Ended { .. } = state.stage {
        return None;
    }
    let is_active = |position: &usize| state.shards[*position].phase.kind().is_active();
    let active = (0..state.shards.len()).filter(is_active);
    let busy: Vec<Duration> = active.map(|position| left.get(position)?.left).collect::<Option<_>>()?;
    if state.stage != RunStage::Active {
        return layout(busy, 0, std::iter::empty());
    }
    let is_queued = |position: &usize| {
        state.shards.get(*position).is_some_and(|shard| shard.phase.kind() == PhaseKind::Queued)
    };
    let queued = plan.start_order().into_iter().filter(is_queued);
    let lengths = queued.map(|position| expected(fellows, position, &plan.shards[position]));
    let laid_out = layout(busy, (state.parallel.max(1) as usize).min(state.shards.len()), lengths)?;
    with_hours(state, laid_out, now)
}

/// Returns the same where shards start and run at some hours only. When the next window closes, and what it cuts, is
/// not known here.
fn with_hours(state: &RunState, left: Duration, now: Timestamp) -> Option<Duration> {
    if state.count(PhaseKind::Queued) == 0 && state.count(PhaseKind::Paused) == 0 {
        return Some(left);
    }
    match state.opening {
        Opening::Open { closes: None } => Some(left),
        Opening::Open { closes: Some(until) } | Opening::Early { until } => {
            Some(left).filter(|left| *left <= duration_between(now, until))
        }
        Opening::Closed { opens, because: Closing::StartTime, .. } => {
            Some(duration_between(now, opens) + left)
        }
        Opening::Closed { because: Closing::Window, .. } => None,
    }
}

/// When everything is done: slots that are `busy` for so long and free ones up to `slots` take the shards in their
/// order.
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

/// How long a queued shard should take in all.
pub fn expected(fellows: &Fellows, position: usize, spec: &ShardSpec) -> Option<Duration> {
    fellows.expected(position, spec).map(|expected| expected.took)
}
