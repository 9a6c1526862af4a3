//! The answer to an attempt that ran out of GPU memory: first a larger claim, then GPUs without other
//! shards; no further try where it had all that the largest GPU can give.

use crate::model::needs::demand::Demand;
use crate::model::outcome::{FailureReason, Outcome};
use crate::model::state::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::admission::ledger::Ledger;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::endings::sole_tenant;
use crate::scheduler::learning::footprint::living_key;
use crate::scheduler::volatile_state::VolatileState;

/// Tries with a larger claim before the shard gets GPUs without others.
const LARGER: u32 = 1;

/// Reports whether the attempt ran out of GPU memory, and GPUs are given out here.
pub fn is_answered(shard: &ShardState, outcome: &Outcome) -> bool {
    outcome.failure_reason() == Some(FailureReason::GpuOom) && !shard.phase.gpus().is_empty()
}

/// The room for another try of a shard that ran out of GPU memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Room {
    /// There is more: it needs so much at its next try.
    More(Demand),
    /// The shard had all there is, with a sentence where the amount is known.
    NoMore(Option<String>),
}

/// Returns the room for another try after this out-of-memory end; `None` if more GPU memory is not the
/// answer.
pub fn answer_oom(
    builder: &DecisionBuilder,
    volatile: &VolatileState,
    shard: &ShardState,
    outcome: &Outcome,
) -> Option<Room> {
    if !is_answered(shard, outcome) {
        return None;
    }
    let accounts = Ledger::for_decision(builder, &volatile.knowledge).gpus;
    let vram = larger_vram(shard, &seen_peaks(volatile, shard, outcome));
    // Where nothing is known of what it takes, only a GPU of its own is certain to be more.
    let alone = shard.ooms >= LARGER || vram.is_empty();
    let Some(had) = sole_tenant::sole_tenant_vram(builder, &volatile.knowledge, shard, &accounts) else {
        // Unknown amounts: a GPU of its own is the last thing to try.
        let position = builder.position(&shard.id);
        let is_exclusive =
            position.is_some_and(|position| !builder.policy.kind(position).tenancy.is_shared());
        let was_alone = shard.demand.alone || is_exclusive;
        return Some(if was_alone {
            Room::NoMore(None)
        } else {
            Room::More(Demand { vram, alone, ram: None })
        });
    };
    let tries = LARGER as usize + accounts.len();
    if (shard.ooms as usize) < tries && sole_tenant::has_larger(&accounts, shard.phase.gpus(), &had) {
        let beyond = had.iter().map(|had| Bytes(had.0.saturating_add(sole_tenant::ALIKE + 1)));
        let vram = beyond.enumerate().map(|(slot, beyond)| vram.get(slot).copied().max(Some(beyond)));
        return Some(Room::More(Demand { vram: vram.flatten().collect(), alone, ram: None }));
    }
    let most = had.into_iter().max().unwrap_or_default();
    Some(Room::NoMore(Some(format!("needs more than the largest GPU has free: {most}"))))
}

/// The larger of 1.5 times the claim and 1.25 times the measured peak. Neither holds the allocation that failed, so that
/// both are raised.
fn larger_vram(shard: &ShardState, seen: &[Bytes]) -> Vec<Bytes> {
    let promised = shard.phase.claim().map_or(&[][..], |claim| &claim.vram);
    let one = |slot: usize| {
        let promised = promised.get(slot).copied().flatten().unwrap_or_default().0;
        let seen = seen.get(slot).copied().unwrap_or_default().0;
        let more = promised.saturating_add(promised / 2).max(seen.saturating_add(seen / 4));
        (more > 0).then_some(Bytes(more))
    };
    (0..shard.phase.gpus().len()).map(one).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The most that it was seen to take on each of its GPUs; empty where that is not known.
pub fn seen_peaks(volatile: &VolatileState, shard: &ShardState, outcome: &Outcome) -> Vec<Bytes> {
    let measured = living_key(shard).and_then(|key| volatile.knowledge.footprints.living_peaks(&key));
    match (measured, outcome.peaks.vram) {
        (Some(peaks), _) if !peaks.is_empty() => peaks.to_vec(),
        // The figure of all its GPUs together is that of one only where there is one.
        (_, Some(peak)) if shard.phase.gpus().len() == 1 => vec![peak],
        (_, _) => Vec::new(),
    }
}
