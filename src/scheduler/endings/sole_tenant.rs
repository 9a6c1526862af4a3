//! Whether an attempt had its GPUs for itself, how much memory that was, and whether other GPUs have more.

use std::cmp::Reverse;

use crate::model::ids::GpuIndex;
use crate::model::state::phase::Phase;
use crate::model::state::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::admission::ledger::GpuAccount;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::learning::knowledge::Knowledge;

/// Cards of one model differ by a little, and contexts of the driver come and go.
pub const ALIKE: u64 = 256 << 20;

/// The memory that each GPU of the attempt had for it, where it was their only tenant from its start until now. `None`
/// where it had company, or where the sizes of the GPUs are unknown.
pub fn sole_tenant_vram(
    builder: &DecisionBuilder,
    known: &Knowledge,
    shard: &ShardState,
    accounts: &[GpuAccount],
) -> Option<Vec<Bytes>> {
    let since = match &shard.phase {
        Phase::Starting { since, .. } => *since,
        Phase::Running(live) | Phase::Paused { live, .. } | Phase::Stopping { live, .. } => live.started,
        Phase::Queued { .. } | Phase::Succeeded(_) | Phase::Failed { .. } | Phase::Cancelled { .. } => {
            return None;
        }
    };
    let claim = shard.phase.claim()?;
    let one = |(slot, gpu): (usize, &GpuIndex)| {
        let left_since = builder.tally().newest_end_on(*gpu).is_some_and(|end| end >= since);
        let had_others = known.others_seen_on.get(gpu).is_some_and(|seen| *seen >= since);
        let tenants = builder.active_shards().filter(|other| other.phase.gpus().contains(gpu)).count();
        if tenants != 1 || left_since || had_others {
            return None;
        }
        let total = accounts.iter().find(|account| account.gpu == *gpu)?.total?;
        let at_start = claim.strangers.get(slot).copied().flatten();
        let strangers = at_start.or_else(|| known.idle_use.get(gpu).copied()).unwrap_or_default();
        Some(Bytes(total.0.saturating_sub(strangers.0)))
    };
    let gpus = shard.phase.gpus();
    if gpus.is_empty() { None } else { gpus.iter().enumerate().map(one).collect() }
}

/// Some GPU that may be given out has more for one shard than those had, compared from the largest on.
pub fn has_larger(accounts: &[GpuAccount], gpus: &[GpuIndex], had: &[Bytes]) -> bool {
    let of_account = |account: &GpuAccount| {
        // What its present GPUs had is known better than what they have now: it may not have left them yet.
        if let Some(slot) = gpus.iter().position(|gpu| *gpu == account.gpu) {
            return had.get(slot).copied();
        }
        let strangers = account.foreign_vram().unwrap_or_default();
        Some(Bytes(account.total?.0.saturating_sub(strangers.0)))
    };
    let usable = accounts.iter().filter(|account| account.shut.is_none());
    let mut there: Vec<Bytes> = usable.filter_map(of_account).collect();
    let mut had = had.to_vec();
    there.sort_by_key(|bytes| Reverse(*bytes));
    had.sort_by_key(|bytes| Reverse(*bytes));
    there.iter().zip(&had).any(|(there, had)| there.0 > had.0.saturating_add(ALIKE))
}
