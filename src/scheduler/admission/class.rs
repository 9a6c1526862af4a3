//! What the shards of a combo need now: what the sweep declares, completed by what was learned.

use crate::model::claims::claim::Tenancy;
use crate::model::needs::demand::Demand;
use crate::model::needs::resources::VramSlot;
use crate::model::state::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::admission::need::ShardNeed;
use crate::scheduler::learning::knowledge::Knowledge;
use crate::scheduler::policy::SchedulingPolicy;

/// Shards with the same class have the same need, so that one look at the machine answers for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NeedClass {
    /// Number of what the sweep declares for it.
    kind: usize,
    basis: Basis,
    /// True if the shard may not run alongside others any more.
    alone: bool,
}

/// Shards from whose past the needs of a shard are derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Basis {
    /// All shards of the run: nothing more is known of it.
    All,
    /// The shards of its combo, by its number.
    Combo(usize),
    /// With other values than the sweep gives it is other work: its own ends alone, by its position.
    Own(usize),
}

/// Allocators vary from one process to the next: a tenth more than was measured, and a little for small ones.
pub fn with_margin(peak: Bytes) -> Bytes {
    Bytes(peak.0.saturating_add(peak.0 / 10).saturating_add(128 << 20))
}

/// The footprint of another combo is a guess only: a quarter more.
fn with_wide_margin(peak: Bytes) -> Bytes {
    Bytes(peak.0.saturating_add(peak.0 / 4).saturating_add(128 << 20))
}

impl NeedClass {
    /// The class of a shard and its position.
    pub fn for_shard(
        policy: &SchedulingPolicy,
        known: &Knowledge,
        position: usize,
        shard: &ShardState,
    ) -> Self {
        let combo = policy.combos[position];
        let is_measured =
            || policy.kind(position).has_measured_slot() && known.footprints.of_combo(combo).is_some();
        let basis = if !shard.edit.is_empty() {
            Basis::Own(position)
        } else if is_measured() || known.lessons.of_combo(combo).is_some() {
            Basis::Combo(combo)
        } else {
            Basis::All
        };
        Self { kind: policy.kind_of[position], basis, alone: shard.demand.alone }
    }

    /// Returns what its shards need; `shard` is one of them.
    pub fn need(self, policy: &SchedulingPolicy, known: &Knowledge, shard: &ShardState) -> ShardNeed {
        let kind = &policy.kinds[self.kind];
        let mut need = ShardNeed::declared(kind);
        if kind.has_measured_slot() {
            self.apply_measured(&mut need, known);
        }
        let demand = match self.basis {
            Basis::All => None,
            Basis::Combo(combo) => known.lessons.of_combo(combo),
            Basis::Own(_) => Some(&shard.demand),
        };
        if let Some(demand) = demand {
            raise_need(&mut need, demand);
        }
        if self.alone {
            // Not `Measuring`, which ends when the footprint is known.
            need.tenancy = Tenancy::Alone;
        }
        need
    }

    /// Fills in what is found by measuring, or asks for a GPU to measure on.
    fn apply_measured(self, need: &mut ShardNeed, known: &Knowledge) {
        let of_combo = match self.basis {
            Basis::Combo(combo) => known.footprints.of_combo(combo),
            Basis::All | Basis::Own(_) => None,
        };
        // The use of one with fewer GPUs does not apply to the others of this one.
        let gpus = need.slots.len();
        let largest =
            known.footprints.largest_peaks().filter(|peaks| peaks.is_empty() || peaks.len() >= gpus);
        let learned: Vec<Bytes> = match (of_combo, largest) {
            (Some(peaks), _) => peaks.iter().copied().map(with_margin).collect(),
            (None, Some(peaks)) => peaks.iter().copied().map(with_wide_margin).collect(),
            (None, None) => {
                need.tenancy = need.tenancy.max(Tenancy::Measuring);
                for slot in need.slots.iter_mut().flatten() {
                    slot.measured = false;
                }
                return;
            }
        };
        for (number, slot) in need.slots.iter_mut().enumerate() {
            let Some(declared) = slot.filter(|declared| declared.measured) else { continue };
            // The measured figure covers everything on that GPU, also what was declared of it.
            *slot = learned.get(number).map(|learned| VramSlot {
                fixed: declared.fixed.max(*learned),
                percent: declared.percent,
                measured: false,
            });
        }
    }
}

/// At least what was learned. A learned figure covers everything on that GPU, a declared share of it included.
fn raise_need(need: &mut ShardNeed, demand: &Demand) {
    for (slot, learned) in need.slots.iter_mut().zip(&demand.vram) {
        let declared = slot.unwrap_or_default();
        if *learned > declared.fixed {
            *slot = Some(VramSlot { fixed: *learned, percent: 0.0, ..declared });
        }
    }
    need.ram = need.ram.max(demand.ram);
}
