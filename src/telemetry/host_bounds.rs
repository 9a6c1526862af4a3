//! Reads what this process may use of the host: its affinity mask, and the limits of its control groups.

use std::fs;
use std::path::Path;

use super::cgroup::{self, MemoryLimit};
use super::topology;
use crate::model::machine::host_bounds::{HostBounds, format_ranges};
use crate::model::units::Bytes;

/// Main memory as far as it may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsableRam {
    /// The most that can be used.
    pub(super) total: Bytes,
    /// Memory that could still be taken.
    pub(super) free: Bytes,
}

/// The bounds of this process; the files of the system are below `root`.
pub fn read_bounds(root: &Path) -> HostBounds {
    let machine_ram = total_memory(root);
    let limits = cgroup::memory_limits(root);
    let smallest = limits.iter().filter(|limit| machine_ram.is_none_or(|machine| limit.most < machine));
    let smallest = smallest.min_by_key(|limit| limit.most);
    let allowed = topology::allowed_cores();
    let (cores, quota) = usable_cores(root, allowed.len());
    let online = topology::online_cores(root);
    let mut cores_because = Vec::new();
    // Cores that are switched off were not withheld on purpose.
    if !allowed.is_empty() && allowed.len() < online.len() {
        cores_because.push(format!("affinity {}", format_ranges(&allowed)));
    }
    cores_because.extend(quota);
    HostBounds {
        cores,
        machine_cores: u32::try_from(online.len()).ok().filter(|cores| *cores > 0),
        cores_because,
        ram: smallest.map(|limit| limit.most).or(machine_ram),
        machine_ram,
        ram_because: smallest.map(|limit| format!("{}: {}", limit.by, limit.most)).into_iter().collect(),
    }
}

/// Cores that this process may use, and the quota that restricts them below its affinity.
pub(super) fn usable_cores(root: &Path, allowed: usize) -> (u32, Option<String>) {
    let allowed =
        if allowed == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { allowed };
    let allowed = u32::try_from(allowed).unwrap_or(u32::MAX);
    match cgroup::cpu_limit(root) {
        Some(limit) if limit.cores < f64::from(allowed) => {
            // A part of a core drives no second shard, and something has to run.
            let whole = (limit.cores.floor() as u32).max(1);
            (whole, Some(format!("{}: {:.1} cores", limit.by, limit.cores)))
        }
        Some(_) | None => (allowed, None),
    }
}

/// Returns what the control groups leave of the machine's memory.
pub(super) fn bound_ram(machine: UsableRam, limits: &[MemoryLimit]) -> UsableRam {
    limits.iter().filter(|limit| limit.most < machine.total).fold(machine, |ram, limit| {
        let free = Bytes(limit.most.0.saturating_sub(limit.used.unwrap_or_default().0));
        UsableRam { total: ram.total.min(limit.most), free: ram.free.min(free) }
    })
}

/// Reads `MemTotal` from `/proc/meminfo`, in bytes.
fn total_memory(root: &Path) -> Option<Bytes> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Bytes(kibibytes.checked_mul(1024)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(most: u64, used: Option<u64>) -> MemoryLimit {
        MemoryLimit { most: Bytes(most), used: used.map(Bytes), by: "memory.max of /x".to_owned() }
    }

    #[test]
    fn each_group_leaves_what_it_does_not_hold_already() {
        let machine = UsableRam { total: Bytes(100), free: Bytes(60) };
        assert_eq!(bound_ram(machine, &[]), machine);
        // The inner group is the smaller one, and its siblings hold most of the outer one.
        let nested = [limit(20, Some(2)), limit(50, Some(45))];
        assert_eq!(bound_ram(machine, &nested), UsableRam { total: Bytes(20), free: Bytes(5) });
        assert_eq!(
            bound_ram(machine, &[limit(200, Some(190))]),
            machine,
            "more than there is bounds nothing"
        );
    }

    #[test]
    fn the_bounds_and_their_reasons_are_read_together() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
        write("proc/self/cgroup", "0::/job\n");
        write("sys/devices/system/cpu/online", "0-1023\n");
        write("sys/fs/cgroup/job/memory.max", "1073741824\n");
        write("sys/fs/cgroup/cpu.max", "50000 100000\n");
        let bounds = read_bounds(root.path());
        assert_eq!((bounds.cores, bounds.machine_cores), (1, Some(1024)));
        assert_eq!((bounds.ram, bounds.machine_ram), (Some(Bytes(1 << 30)), Some(Bytes(16 << 30))));
        assert!(bounds.cores_because[0].starts_with("affinity "), "{bounds:?}");
        assert_eq!(bounds.cores_because[1], "cpu.max of /: 0.5 cores");
        assert_eq!(bounds.ram_because, ["memory.max of /job: 1.0 GiB"]);
    }
}
