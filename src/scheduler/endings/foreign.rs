//! Whether others took the GPU memory that an attempt ran out of, and what the shard then waits for.

use std::time::Duration;

use crate::model::ids::GpuIndex;
use crate::model::needs::demand::Demand;
use crate::model::outcome::Outcome;
use crate::model::state::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::endings::oom;
use crate::scheduler::volatile_state::VolatileState;

/// Growth of what others hold since the start that does not count as taking memory: contexts come and go.
const NOISE: u64 = 256 << 20;

/// Pause before another try where nothing is known of what the shard takes: there is nothing to wait for but time.
pub const PAUSE: Duration = Duration::from_secs(30);

/// Returns what the shard waits for, where processes that belong to no run here took the memory that it ran out of;
/// `None` where they did not, or where it took more than it was promised itself.
pub fn foreign_oom_demand(
    builder: &DecisionBuilder,
    volatile: &VolatileState,
    shard: &ShardState,
    outcome: &Outcome,
) -> Option<Demand> {
    if !builder.policy.ladder.answers_oom()
        || !oom::is_answered(shard, outcome)
        || exceeds_promise(volatile, shard, outcome)
    {
        return None;
    }
    let machine = volatile.knowledge.machine.as_ref()?;
    let gpus = shard.phase.gpus();
    let before = &shard.phase.claim()?.strangers;
    let grew = |(slot, gpu): (usize, &GpuIndex)| {
        let Some(before) = before.get(slot).copied().flatten() else { return false };
        let now = machine.card(*gpu).and_then(|card| card.strangers);
        // The message of an allocator names processes of one GPU without its index.
        let named = if gpus.len() == 1 { reported_foreign_vram(outcome) } else { None };
        now.max(named).is_some_and(|now| now.0 > before.0.saturating_add(NOISE))
    };
    let is_taken = gpus.iter().enumerate().any(grew);
    is_taken.then(|| Demand { vram: oom::seen_peaks(volatile, shard, outcome), ..Demand::default() })
}

/// Returns what strangers held according to the message of the allocator.
fn reported_foreign_vram(outcome: &Outcome) -> Option<Bytes> {
    let strangers = outcome.memory_holders.iter().filter(|holder| holder.stranger);
    strangers.map(|holder| holder.held).reduce(|all, held| Bytes(all.0.saturating_add(held.0)))
}

/// Reports whether the attempt was seen to take more than it was promised.
fn exceeds_promise(volatile: &VolatileState, shard: &ShardState, outcome: &Outcome) -> bool {
    let promised = shard.phase.claim().map_or(&[][..], |claim| &claim.vram);
    let seen = oom::seen_peaks(volatile, shard, outcome);
    promised.iter().zip(&seen).any(|(promised, seen)| promised.is_some_and(|promised| *seen > promised))
}
