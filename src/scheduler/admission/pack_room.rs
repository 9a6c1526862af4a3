//! The memory for a pack, how many packs run side by side in it, and how many values it holds by what others took.

use std::collections::BTreeMap;

use crate::model::claims::claim::Tenancy;
use crate::model::needs::resources::VramSlot;
use crate::model::units::Bytes;
use crate::scheduler::admission::kind::DeclaredNeeds;
use crate::scheduler::admission::ledger::{GpuAccount, Ledger};

/// How many packs of a kind can be at work side by side, of so many as may: at least one.
pub fn parallel_packs(ledger: &Ledger, kind: &DeclaredNeeds, parallel: usize) -> usize {
    let by_cores = ledger.cores.cores.zip(kind.cpus).map(|(cores, cpus)| (cores / cpus.max(1)) as usize);
    let by_ram = ledger.ram.total.zip(kind.ram).and_then(|(total, ram)| total.0.checked_div(ram.0));
    let by_ram = by_ram.and_then(|count| usize::try_from(count).ok());
    let limits = [by_cores, by_ram, by_gpus(ledger, kind)].into_iter().flatten();
    limits.fold(parallel, usize::min).max(1)
}

/// `None` where the GPUs set no limit that is known.
fn by_gpus(ledger: &Ledger, kind: &DeclaredNeeds) -> Option<usize> {
    let usable = ledger.gpus.iter().filter(|account| account.shut.is_none());
    let first = kind.slots.first()?;
    let all = usable.map(|account| on_card(account, kind, *first)).collect::<Option<Vec<usize>>>()?;
    Some(all.into_iter().sum::<usize>() / kind.slots.len())
}

fn on_card(account: &GpuAccount, kind: &DeclaredNeeds, slot: Option<VramSlot>) -> Option<usize> {
    // What is measured may take the whole card.
    if kind.tenancy != Tenancy::Shared || slot?.measured {
        return Some(1);
    }
    let wanted = account.needed_vram(slot).filter(|wanted| wanted.0 > 0)?;
    usize::try_from(account.vram_ceiling()?.0 / wanted.0).ok()
}

/// The VRAM that a pack may take on its GPU: what it claims, or an equal part of the smallest card. `None` where it is not
/// known, or where a pack has several GPUs.
pub fn vram_per_pack(ledger: &Ledger, kind: &DeclaredNeeds, parallel: usize) -> Option<Bytes> {
    let [slot] = kind.slots[..] else { return None };
    let usable = || ledger.gpus.iter().filter(|account| account.shut.is_none());
    let beside = match slot {
        Some(slot) if !slot.measured => {
            return usable().filter_map(|account| account.needed_vram(Some(slot))).min();
        }
        Some(_) => 1,
        None if kind.tenancy != Tenancy::Shared => 1,
        None => parallel.div_ceil(usable().count().max(1)),
    };
    let least = usable().filter_map(GpuAccount::vram_ceiling).min()?;
    Some(Bytes(least.0 / beside.max(1) as u64))
}

/// How many values take so much, by the VRAM that packs took with other numbers of them: a line through the smallest and
/// the largest of them, or in proportion where there is one. `None` where it does not grow with the values.
pub fn values_in(budget: Bytes, peaks: &BTreeMap<usize, Bytes>) -> Option<usize> {
    let ((few, least), (many, most)) = (peaks.first_key_value()?, peaks.last_key_value()?);
    // Allocators vary from one process to the next.
    let budget = budget.0 as f64 / 1.1 - f64::from(128 << 20);
    let (base, each) = if few == many {
        (0.0, most.0 as f64 / *many as f64)
    } else {
        let each = (most.0 as f64 - least.0 as f64) / (many - few) as f64;
        (least.0 as f64 - each * *few as f64, each)
    };
    (each > 0.0).then(|| ((budget - base) / each).floor().clamp(0.0, f64::from(u32::MAX)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gib(count: f64) -> Bytes {
        Bytes((count * f64::from(1 << 30)) as u64)
    }

    #[test]
    fn two_sizes_tell_what_a_value_takes() {
        let one = BTreeMap::from([(4, gib(2.0))]);
        assert_eq!(values_in(gib(22.0), &one), Some(39), "at least so many, if all of it grows");
        let two = BTreeMap::from([(4, gib(2.0)), (36, gib(6.0))]);
        assert_eq!(values_in(gib(22.0), &two), Some(147), "1.5 GiB and 0.125 GiB for each value");
        assert_eq!(values_in(gib(22.0), &BTreeMap::from([(4, gib(2.0)), (36, gib(2.0))])), None);
        assert_eq!(values_in(gib(1.0), &two), Some(0));
        assert_eq!(values_in(gib(1.0), &BTreeMap::new()), None);
    }
}
