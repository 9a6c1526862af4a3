//! The answer to an attempt that ran out of memory that no process accounts for: fewer side by side.

use crate::model::needs::demand::Demand;
use crate::model::outcome::{FailureReason, Outcome};
use crate::model::state::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::decision_builder::DecisionBuilder;

/// How many may run side by side from now on, and what the shard needs; `None` where that is no answer, or where the
/// attempt was the only one.
///
/// As many as are left now could be fed, which is all that is known; each further end of the kind lowers it again.
pub fn reduced_parallel(
    builder: &DecisionBuilder,
    shard: &ShardState,
    outcome: &Outcome,
) -> Option<(u32, Demand)> {
    let is_meant = match outcome.failure_reason()? {
        // Without a GPU in the accounts, room on it cannot be given.
        FailureReason::GpuOom => shard.phase.gpus().is_empty(),
        reason => reason == FailureReason::HostOom,
    };
    let left = u32::try_from(builder.active_count().saturating_sub(1)).unwrap_or(u32::MAX);
    if !is_meant || left == 0 {
        return None;
    }
    Some((
        left.min(builder.configured_limit()),
        Demand { ram: more_ram(builder, shard, outcome), ..Demand::default() },
    ))
}

/// The larger of 1.5 times the claim and 1.25 times the measured peak; `None` if no main memory ran out or
/// the run does not follow the machine.
fn more_ram(builder: &DecisionBuilder, shard: &ShardState, outcome: &Outcome) -> Option<Bytes> {
    if outcome.failure_reason() != Some(FailureReason::HostOom) || !builder.policy.follows_machine() {
        return None;
    }
    let promised = shard.phase.claim().and_then(|claim| claim.ram);
    let promised = promised.map(|ram| Bytes(ram.0.saturating_add(ram.0 / 2)));
    let seen = outcome.peaks.rss.map(|rss| Bytes(rss.0.saturating_add(rss.0 / 4)));
    promised.max(seen)
}
