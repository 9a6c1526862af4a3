//! One list of processes out of the three that a GPU keeps.

use std::collections::BTreeMap;

use crate::model::ids::GpuIndex;
use crate::model::machine::sample::GpuProcess;
use crate::model::units::Bytes;

/// A pid and the memory it holds, where the driver reports it.
pub type Listed = (u32, Option<Bytes>);

/// The largest number that Linux gives to a process.
const LARGEST_PID: u32 = 1 << 22;

/// Merges the compute, graphics and MPS lists of one GPU: a process in two of them is one process and its memory
/// is the larger figure, not the sum, because both lists count the same allocations.
pub fn merge_lists(gpu: GpuIndex, listed: impl IntoIterator<Item = Listed>) -> Vec<GpuProcess> {
    let mut by_pid: BTreeMap<u32, Option<Bytes>> = BTreeMap::new();
    for (pid, vram) in listed {
        // `None` is the smallest `Option`, so that a known figure wins over an unknown one.
        let merged = by_pid.entry(pid).or_default();
        *merged = (*merged).max(vram);
    }
    by_pid.into_iter().map(|(pid, vram)| GpuProcess { gpu, pid, vram }).collect()
}

/// Drivers from 535.43 up to 535.98 fill these lists in a layout of their own: pids and sizes come out scrambled.
pub fn lists_are_scrambled(driver: &str) -> bool {
    let mut parts = driver.split('.').map(|part| part.parse::<u32>().ok());
    let (Some(Some(major)), Some(Some(minor))) = (parts.next(), parts.next()) else { return false };
    major == 535 && (43..98).contains(&minor)
}

/// Entries that cannot be: the driver has filled a list in another layout than it was asked for.
pub fn are_garbled(listed: &[Listed], total: Option<Bytes>) -> bool {
    let is_impossible = |(pid, vram): &Listed| {
        *pid == 0 || *pid > LARGEST_PID || vram.zip(total).is_some_and(|(vram, total)| vram > total)
    };
    listed.iter().any(is_impossible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_in_two_lists_counts_once_with_its_larger_figure() {
        let listed = [(7, Some(Bytes(100))), (9, Some(Bytes(5))), (7, Some(Bytes(300))), (7, None)];
        let merged = merge_lists(GpuIndex(1), listed);
        assert_eq!(
            merged,
            [
                GpuProcess { gpu: GpuIndex(1), pid: 7, vram: Some(Bytes(300)) },
                GpuProcess { gpu: GpuIndex(1), pid: 9, vram: Some(Bytes(5)) },
            ]
        );
    }

    #[test]
    fn memory_that_the_driver_does_not_tell_stays_unknown() {
        assert_eq!(merge_lists(GpuIndex(0), [(7, None), (7, None)])[0].vram, None);
    }

    #[test]
    fn a_list_with_an_impossible_entry_is_not_believed() {
        let total = Some(Bytes(80 << 30));
        assert!(!are_garbled(&[(7, Some(Bytes(80 << 30))), (8, None)], total));
        assert!(are_garbled(&[(7, None), (0, Some(Bytes(1)))], total));
        assert!(are_garbled(&[(u32::MAX, None)], total));
        assert!(are_garbled(&[(7, Some(Bytes(u64::MAX - 1)))], total));
    }

    #[test]
    fn only_the_early_535_drivers_are_not_believed() {
        assert!(lists_are_scrambled("535.86.10"));
        assert!(!lists_are_scrambled("535.104.05"));
        assert!(!lists_are_scrambled("570.172.08"));
        assert!(!lists_are_scrambled("unknown"));
    }
}
