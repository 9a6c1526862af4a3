//! Room kept for a shard that has to wait, so that smaller ones after it do not take it again and again.

use crate::model::ids::{GpuIndex, ShardId};
use crate::model::needs::resources::Placement;
use crate::model::units::Bytes;
use crate::scheduler::admission::ledger::{GpuAccount, Ledger};
use crate::scheduler::admission::need::ShardNeed;
use crate::scheduler::admission::placement::place_slots;

/// Resources kept for the first shard of the queue that does not fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Reservation {
    /// Shard for which the GPUs are kept.
    pub shard: ShardId,
    /// The GPUs it will get, with what it needs there.
    gpus: Vec<(GpuIndex, Option<Bytes>)>,
    /// No other shard may be there.
    alone: bool,
    cpus: Option<u32>,
    ram: Option<Bytes>,
}

impl Reservation {
    /// Keeps room for a shard; `None` where it would not fit even if every attempt of this program had ended: then
    /// others hold what it waits for, and keeping the rest idle would not help it.
    ///
    /// The GPUs of an `earlier` reservation for it are kept as long as they will do, each for the same slot, or the
    /// room that is kept would move from card to card and never become enough.
    pub fn for_shard(
        ledger: &Ledger,
        shard: &ShardId,
        need: &ShardNeed,
        how: Placement,
        earlier: Option<&Self>,
    ) -> Option<Self> {
        let need = need.cap_to_machine(ledger);
        let fits = |account: &GpuAccount, vram: Option<Bytes>| {
            vram.zip(account.own_capacity()).is_none_or(|(vram, capacity)| vram <= capacity)
        };
        let usable: Vec<&GpuAccount> = ledger.gpus.iter().filter(|account| account.shut.is_none()).collect();
        let account = |(gpu, _): &(GpuIndex, _)| usable.iter().copied().find(|account| account.gpu == *gpu);
        let before: Vec<&GpuAccount> = earlier
            .filter(|earlier| earlier.shard == *shard)
            .map_or(Vec::new(), |earlier| earlier.gpus.iter().filter_map(account).collect());
        let holds = |(account, slot): (&&GpuAccount, _)| fits(account, account.needed_vram(slot));
        let will_do =
            before.len() == need.slots.len() && before.iter().zip(need.slots.iter().copied()).all(holds);
        let gpus = if will_do {
            before.iter().map(|account| account.gpu).collect()
        } else {
            place_slots(&before, &need.slots, how, fits)
                .or_else(|| place_slots(&usable, &need.slots, how, fits))?
        };
        let wanted = |(gpu, slot): (&GpuIndex, _)| {
            let account = usable.iter().find(|account| account.gpu == *gpu)?;
            Some((*gpu, account.needed_vram(slot)))
        };
        Some(Self {
            shard: shard.clone(),
            gpus: gpus.iter().zip(need.slots.iter().copied()).filter_map(wanted).collect(),
            alone: !need.tenancy.is_shared(),
            cpus: need.cpus,
            ram: need.ram,
        })
    }

    /// The card may take so much more without harm to what is kept.
    pub fn leaves_room(&self, account: &GpuAccount, vram: Option<Bytes>) -> bool {
        let Some((_, kept)) = self.gpus.iter().find(|(gpu, _)| *gpu == account.gpu) else { return true };
        if self.alone {
            return false;
        }
        let both = kept.unwrap_or_default().0.saturating_add(vram.unwrap_or_default().0);
        account.unpromised_vram().is_none_or(|left| both <= left.0)
    }

    /// Cores and main memory of `need` may be given away without harm to what is kept.
    pub fn leaves_host(&self, ledger: &Ledger, need: &ShardNeed) -> bool {
        let cores = match (self.cpus, need.cpus, ledger.cores.cores) {
            (Some(kept), Some(needs), Some(cores)) => {
                ledger.cores.promised.saturating_add(kept).saturating_add(needs) <= cores
            }
            (_, _, _) => true,
        };
        let ram = match (self.ram, need.ram, ledger.ram.total) {
            (Some(kept), Some(needs), Some(total)) => {
                let held = ledger.ram.held.0.saturating_add(kept.0).saturating_add(needs.0);
                held <= total.0
            }
            (_, _, _) => true,
        };
        cores && ram
    }
}
