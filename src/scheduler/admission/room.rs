//! Whether the machine has room for one more shard, and what it is short of where it has none.

use std::cmp::Reverse;

use crate::model::claims::claim::{Claim, Tenancy};
use crate::model::ids::{GpuIndex, ShardId};
use crate::model::needs::resources::{Placement, VramSlot};
use crate::model::shortage::{GpuRoom, Shortage, ShutGpu};
use crate::model::units::Bytes;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::ledger::{GpuAccount, Ledger};
use crate::scheduler::admission::need::ShardNeed;
use crate::scheduler::admission::placement::place_slots;
use crate::scheduler::admission::reservation::Reservation;

/// Finds room for a shard. What `kept` keeps for a shard before it is not given away.
pub fn find_room(
    ledger: &Ledger,
    need: &ShardNeed,
    how: Placement,
    kept: Option<&Reservation>,
) -> Result<Grant, Shortage> {
    let need = need.cap_to_machine(ledger);
    let gpus = choose_gpus(ledger, &need, how)?;
    check_cores(ledger, &need)?;
    check_ram(ledger, &need)?;
    let Some(kept) = kept else { return build_grant(ledger, &need, gpus) };
    let out_of_turn = || Shortage::Turn { first: kept.shard.clone() };
    if !kept.leaves_host(ledger, &need) {
        return Err(out_of_turn());
    }
    let open = open_to(ledger, need.tenancy);
    let fits = |account: &GpuAccount, vram: Option<Bytes>| {
        has_room(account, vram) && kept.leaves_room(account, vram)
    };
    let gpus = place_slots(&open, &need.slots, how, fits).ok_or_else(out_of_turn)?;
    build_grant(ledger, &need, gpus)
}

fn build_grant(ledger: &Ledger, need: &ShardNeed, gpus: Vec<GpuIndex>) -> Result<Grant, Shortage> {
    let cores = match (&ledger.pinning, need.cpus) {
        (Some(pinning), Some(cpus)) => {
            pinning.choose_cores(cpus, &gpus).ok_or_else(|| too_few_cores(ledger, cpus))?
        }
        (_, _) => Vec::new(),
    };
    let account = |gpu: &GpuIndex| ledger.gpus.iter().find(|account| account.gpu == *gpu);
    let vram: Vec<Option<Bytes>> = gpus
        .iter()
        .zip(&need.slots)
        .map(|(gpu, slot)| account(gpu).and_then(|card| card.needed_vram(*slot)))
        .collect();
    let known = vram.iter().any(Option::is_some);
    let strangers: Vec<Option<Bytes>> =
        gpus.iter().map(|gpu| account(gpu).and_then(|card| card.by_strangers)).collect();
    let is_told = strangers.iter().any(Option::is_some);
    Ok(Grant {
        claim: Claim {
            vram: if known { vram } else { Vec::new() },
            strangers: if is_told { strangers } else { Vec::new() },
            tenancy: need.tenancy,
            cpus: need.cpus,
            cores,
            ram: need.ram,
            services: Vec::new(),
        },
        gpus,
    })
}

/// The GPUs that a shard of that tenancy may join.
pub fn open_to(ledger: &Ledger, tenancy: Tenancy) -> Vec<&GpuAccount> {
    let usable = ledger.gpus.iter().filter(|account| account.shut.is_none());
    usable
        .filter(|account| account.tenants == 0 || (tenancy.is_shared() && account.tenancy.is_shared()))
        .collect()
}

/// The card has so much to give; unknown amounts fit everywhere.
fn has_room(account: &GpuAccount, vram: Option<Bytes>) -> bool {
    vram.zip(account.available_vram()).is_none_or(|(vram, room)| vram <= room)
}

fn choose_gpus(ledger: &Ledger, need: &ShardNeed, how: Placement) -> Result<Vec<GpuIndex>, Shortage> {
    let usable = ledger.gpus.iter().filter(|account| account.shut.is_none()).count();
    if usable < need.slots.len() {
        let shut =
            |account: &GpuAccount| account.shut.clone().map(|reason| ShutGpu { gpu: account.gpu, reason });
        let shut = ledger.gpus.iter().filter_map(shut).collect();
        return Err(Shortage::Gpus { needs: need.slots.len(), usable, shut });
    }
    let open = open_to(ledger, need.tenancy);
    if open.len() < need.slots.len() && !need.tenancy.is_shared() {
        let measuring = need.tenancy == Tenancy::Measuring;
        return Err(match measuring_shard(ledger).filter(|_| measuring) {
            Some(first) => Shortage::Measured { first },
            None => Shortage::Alone { gpus: need.slots.len(), measuring },
        });
    }
    place_slots(&open, &need.slots, how, has_room).ok_or_else(|| match measuring_shard(ledger) {
        Some(first) => Shortage::Measured { first },
        None => too_little_vram(ledger, need),
    })
}

/// Returns the shard whose memory is being measured, if there is one.
fn measuring_shard(ledger: &Ledger) -> Option<ShardId> {
    ledger.gpus.iter().find_map(|account| account.measuring.clone())
}

fn too_little_vram(ledger: &Ledger, need: &ShardNeed) -> Shortage {
    let usable = || ledger.gpus.iter().filter(|account| account.shut.is_none());
    let largest = usable().filter_map(|account| account.total).max();
    let mut needs: Vec<VramSlot> = need.slots.iter().flatten().copied().collect();
    needs.sort_by_key(|slot| Reverse(slot.bytes_on_card(largest)));
    let room = |account: &GpuAccount| {
        Some(GpuRoom {
            gpu: account.gpu,
            free: account.free_vram().or(account.available_vram())?,
            promised: account.unused_promises(),
            reserve: account.reserve,
            taken: !account.tenancy.is_shared(),
            stranger: account.stranger.clone(),
            elsewhere: account.elsewhere.largest_holder(),
        })
    };
    Shortage::Vram { needs, gpus: usable().filter_map(room).collect() }
}

fn check_cores(ledger: &Ledger, need: &ShardNeed) -> Result<(), Shortage> {
    let (Some(needs), Some(cores)) = (need.cpus, ledger.cores.cores) else { return Ok(()) };
    let promised = ledger.cores.promised;
    if promised.saturating_add(needs) <= cores {
        return Ok(());
    }
    let elsewhere = ledger.cores_elsewhere.largest_holder();
    Err(Shortage::Cores { needs, promised, cores, elsewhere })
}

/// By their number there are enough, but others are pinned to them.
fn too_few_cores(ledger: &Ledger, needs: u32) -> Shortage {
    let promised = ledger.cores.promised;
    let elsewhere = ledger.cores_elsewhere.largest_holder();
    Shortage::Cores { needs, promised, cores: ledger.cores.cores.unwrap_or(promised), elsewhere }
}

fn check_ram(ledger: &Ledger, need: &ShardNeed) -> Result<(), Shortage> {
    let account = &ledger.ram;
    let (Some(needs), Some(free), Some(total)) = (need.ram, account.free, account.total) else {
        return Ok(());
    };
    let has_room = needs.0.saturating_add(account.due.0) <= free.0;
    // One that needs more than there is can only be tried when nothing else is there.
    let is_hopeless = needs > total && ledger.tenants == 0;
    if has_room || is_hopeless {
        return Ok(());
    }
    Err(Shortage::Ram {
        needs,
        free,
        promised: account.due,
        elsewhere: ledger.ram_elsewhere.largest_holder(),
    })
}
