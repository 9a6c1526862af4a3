//! The answer to an attempt that ran out of GPU memory: first a larger claim, then GPUs without other shards.

use crate::model::demand::Demand;
use crate::model::outcome::{FailureReason, Outcome, Verdict};
use crate::model::plan::OnOom;
use crate::model::run_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::footprint::living;
use crate::scheduler::memory::Memory;
use crate::scheduler::turn::Turn;

/// Tries with a larger claim before the shard gets GPUs without others.
const LARGER: u32 = 1;

/// What the shard needs at its next try; `None` where more room is no answer, or none is left to give.
pub fn more_room(turn: &Turn, memory: &Memory, shard: &ShardState, outcome: &Outcome) -> Option<Demand> {
    let is_oom =
        matches!(&outcome.verdict, Verdict::Failed(failure) if failure.reason == FailureReason::GpuOom);
    if !is_oom || turn.policy.schedule.on_oom == OnOom::Fail || turn.policy.slots.is_empty() {
        return None;
    }
    // It had its GPUs for itself already.
    if shard.demand.alone || !turn.policy.tenancy.is_shared() {
        return None;
    }
    let vram = larger(memory, shard, outcome);
    // Where nothing is known of what it takes, only a GPU of its own is certain to be more.
    let alone = shard.ooms >= LARGER || vram.is_empty();
    Some(Demand { vram, alone, ram: None })
}

/// Half as much again as it was promised, and a quarter more than it was seen to take: what it asked for last is in
/// neither figure.
fn larger(memory: &Memory, shard: &ShardState, outcome: &Outcome) -> Vec<Bytes> {
    let gpus = shard.phase.gpus();
    let promised = shard.phase.claim().map_or(&[][..], |claim| &claim.vram);
    let measured = living(shard).and_then(|key| memory.knowledge.footprints.peaks(&key));
    let seen = |slot: usize| match (measured.and_then(|peaks| peaks.get(slot)), outcome.peaks.vram) {
        (Some(peak), _) => Some(*peak),
        // The figure of all its GPUs together is that of one only where there is one.
        (None, Some(peak)) if gpus.len() == 1 => Some(peak),
        (None, _) => None,
    };
    let one = |slot: usize| {
        let promised = promised.get(slot).copied().flatten().unwrap_or_default().0;
        let seen = seen(slot).unwrap_or_default().0;
        let more = promised.saturating_add(promised / 2).max(seen.saturating_add(seen / 4));
        (more > 0).then_some(Bytes(more))
    };
    (0..gpus.len()).map(one).collect::<Option<Vec<_>>>().unwrap_or_default()
}
