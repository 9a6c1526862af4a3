//! What a shard needs of the machine.

use std::cmp::Reverse;

use crate::model::claims::claim::Tenancy;
use crate::model::needs::resources::VramSlot;
use crate::model::units::Bytes;
use crate::scheduler::admission::kind::DeclaredNeeds;
use crate::scheduler::admission::ledger::{GpuAccount, Ledger};

/// Resources that one shard needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardNeed {
    /// Need on each GPU; empty if nothing is known.
    pub slots: Vec<Option<VramSlot>>,
    /// Rule for what else may run on its GPUs.
    pub tenancy: Tenancy,
    /// Number of cores that it needs, if known.
    pub cpus: Option<u32>,
    /// Main memory that it needs, if known.
    pub ram: Option<Bytes>,
}

impl ShardNeed {
    /// Returns what is declared, before anything was learned.
    pub fn declared(kind: &DeclaredNeeds) -> Self {
        Self { slots: kind.slots.clone(), tenancy: kind.tenancy, cpus: kind.cpus, ram: kind.ram }
    }

    /// More than the machine could ever give is as much as it can give: such a shard gets its turn when nothing else is
    /// there, instead of waiting for ever.
    pub fn cap_to_machine(&self, ledger: &Ledger) -> Self {
        let cores = ledger.cores.cores.unwrap_or(u32::MAX);
        let mut need = Self { cpus: self.cpus.map(|cpus| cpus.min(cores)), ..self.clone() };
        let usable = ledger.gpus.iter().filter(|account| account.shut.is_none());
        // One card of unknown size may be large enough.
        let Some(mut ceilings) = usable.map(GpuAccount::vram_ceiling).collect::<Option<Vec<Bytes>>>() else {
            return need;
        };
        ceilings.sort_unstable_by(|a, b| b.cmp(a));
        // The largest need goes to the largest card, the second to the second.
        let mut largest_first: Vec<&mut VramSlot> = need.slots.iter_mut().flatten().collect();
        largest_first.sort_by_key(|slot| Reverse(slot.fixed));
        for (slot, ceiling) in largest_first.into_iter().zip(ceilings) {
            slot.fixed = slot.fixed.min(ceiling);
        }
        need
    }
}
