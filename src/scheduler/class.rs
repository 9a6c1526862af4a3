//! What the shards of a combo need now: what the sweep declares, completed by what was learned.

use crate::model::claim::Tenancy;
use crate::model::demand::Demand;
use crate::model::resources::VramSlot;
use crate::model::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::knowledge::Knowledge;
use crate::scheduler::need::Need;
use crate::scheduler::policy::Policy;

/// Shards with the same class have the same need, so that one look at the machine answers for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// The combo, where something is known of it that is not known of all.
    combo: Option<usize>,
    /// The shard may not be beside others any more.
    alone: bool,
}

/// Allocators vary from one process to the next: a tenth more than was measured, and a little for small ones.
pub fn with_margin(peak: Bytes) -> Bytes {
    Bytes(peak.0.saturating_add(peak.0 / 10).saturating_add(128 << 20))
}

/// The footprint of another combo is a guess only: a quarter more.
fn with_wide_margin(peak: Bytes) -> Bytes {
    Bytes(peak.0.saturating_add(peak.0 / 4).saturating_add(128 << 20))
}

impl Class {
    /// The class of a shard and its position.
    pub fn of(policy: &Policy, known: &Knowledge, position: usize, shard: &ShardState) -> Self {
        let combo = policy.combos[position];
        let is_measured = policy.measures && known.footprints.of_combo(combo).is_some();
        let is_special = is_measured || known.lessons.of_combo(combo).is_some();
        Self { combo: is_special.then_some(combo), alone: shard.demand.alone }
    }

    /// What its shards need.
    pub fn need(self, policy: &Policy, known: &Knowledge) -> Need {
        let mut need = Need {
            slots: policy.slots.clone(),
            tenancy: policy.tenancy,
            cpus: policy.resources.cpus,
            ram: policy.resources.ram,
        };
        if policy.measures {
            self.measured(&mut need, known);
        }
        if let Some(demand) = self.combo.and_then(|combo| known.lessons.of_combo(combo)) {
            raise(&mut need, demand);
        }
        if self.alone {
            // Not `Measuring`, which ends when the footprint is known.
            need.tenancy = Tenancy::Alone;
        }
        need
    }

    /// Fills in what is found by measuring, or asks for a GPU to measure on.
    fn measured(self, need: &mut Need, known: &Knowledge) {
        let of_combo = self.combo.and_then(|combo| known.footprints.of_combo(combo));
        let learned: Vec<Bytes> = match (of_combo, known.footprints.largest()) {
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
fn raise(need: &mut Need, demand: &Demand) {
    for (slot, learned) in need.slots.iter_mut().zip(&demand.vram) {
        let declared = slot.unwrap_or_default();
        if *learned > declared.fixed {
            *slot = Some(VramSlot { fixed: *learned, percent: 0.0, ..declared });
        }
    }
    need.ram = need.ram.max(demand.ram);
}
