//! How much longer a shard and a run will take, or nothing where that cannot be known.

use jiff::Timestamp;

use super::estimate::{Estimate, lay_out};
use super::fellows::Fellows;
use super::places;
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
) -> Option<Estimate> {
    if let RunStage::Ended { .. } = state.stage {
        return None;
    }
    let is_active = |position: &usize| state.shards[*position].phase.kind().is_active();
    let active = (0..state.shards.len()).filter(is_active);
    let busy: Vec<Estimate> = active.map(|position| left.get(position)?.left).collect::<Option<_>>()?;
    if state.stage != RunStage::Active {
        return lay_out(busy, 0, std::iter::empty());
    }
    let is_queued = |position: &usize| {
        state.shards.get(*position).is_some_and(|shard| shard.phase.kind() == PhaseKind::Queued)
    };
    let queued = plan.start_order().into_iter().filter(is_queued);
    let lengths = queued.map(|position| expected(fellows, position, &plan.shards[position]));
    let places = places::count_places(plan, state);
    if places == 0 && state.count(PhaseKind::Queued) > 0 {
        return None;
    }
    let laid_out = lay_out(busy, places.min(state.shards.len()), lengths)?;
    with_hours(state, laid_out, now)
}

/// Returns the same where shards start and run at some hours only. When the next window closes, and what it cuts, is
/// not known here.
fn with_hours(state: &RunState, left: Estimate, now: Timestamp) -> Option<Estimate> {
    if state.count(PhaseKind::Queued) == 0 && state.count(PhaseKind::Paused) == 0 {
        return Some(left);
    }
    match state.opening {
        Opening::Open { closes: None } => Some(left),
        Opening::Open { closes: Some(until) } | Opening::Early { until } => {
            Some(left).filter(|left| left.time <= duration_between(now, until))
        }
        Opening::Closed { opens, because: Closing::StartTime, .. } => {
            let (wait, whole) = (duration_between(now, opens), left.time.as_secs_f64());
            let time = wait + left.time;
            Some(Estimate { time, error: left.error * whole / time.as_secs_f64().max(f64::EPSILON) })
        }
        Opening::Closed { because: Closing::Window, .. } => None,
    }
}

/// How long a queued shard should take in all.
pub fn expected(fellows: &Fellows, position: usize, spec: &ShardSpec) -> Option<Estimate> {
    let expected = fellows.expected(position, spec)?;
    Some(Estimate { time: expected.took, error: expected.error })
}
