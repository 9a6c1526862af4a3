//! Reads where the cores lie that this process may use, and which of them are near which GPU.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use rustix::thread::{CpuSet, sched_getaffinity};

use crate::model::ids::GpuIndex;
use crate::model::machine::sample::GpuCard;
use crate::model::machine::topology::{Core, Topology};

/// Reads the topology. Where a machine does not report something, its cores count as equal in that.
pub fn read_topology(cards: &[GpuCard]) -> Topology {
    Topology {
        cores: read_cores(Path::new("/"), &allowed_cores()),
        gpu_nodes: gpu_nodes(Path::new("/"), cards),
    }
}

/// Cores that this process may run on: the affinity that it was started with, within the cpuset of its control group.
pub(super) fn allowed_cores() -> Vec<u32> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU as u32).filter(|core| set.is_set(*core as usize)).collect()
}

/// Cores of the machine that are switched on; empty if the system does not list them.
pub(super) fn online_cores(root: &Path) -> Vec<u32> {
    parse_core_list(&fs::read_to_string(root.join("sys/devices/system/cpu/online")).unwrap_or_default())
}

fn read_cores(root: &Path, allowed: &[u32]) -> Vec<Core> {
    let nodes = read_nodes(root);
    let core = |number: &u32| {
        let folder = root.join(format!("sys/devices/system/cpu/cpu{number}/topology"));
        let siblings = fs::read_to_string(folder.join("thread_siblings_list")).ok();
        let physical = siblings.and_then(|text| parse_core_list(&text).into_iter().min());
        Core {
            number: *number,
            node: nodes.get(number).copied().unwrap_or(0),
            physical: physical.unwrap_or(*number),
        }
    };
    allowed.iter().map(core).collect()
}

/// The node of each core.
fn read_nodes(root: &Path) -> BTreeMap<u32, u32> {
    let mut nodes = BTreeMap::new();
    for entry in fs::read_dir(root.join("sys/devices/system/node")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(node) = name.to_str().and_then(|name| name.strip_prefix("node")?.parse().ok()) else {
            continue;
        };
        let list = fs::read_to_string(entry.path().join("cpulist")).unwrap_or_default();
        nodes.extend(parse_core_list(&list).into_iter().map(|core| (core, node)));
    }
    nodes
}

/// Returns the node of each GPU: the driver gives the bus address of a UUID, and the bus the node of an address.
fn gpu_nodes(root: &Path, cards: &[GpuCard]) -> BTreeMap<GpuIndex, u32> {
    let folders = fs::read_dir(root.join("proc/driver/nvidia/gpus")).into_iter().flatten().flatten();
    let mut nodes = BTreeMap::new();
    for folder in folders {
        let text = fs::read_to_string(folder.path().join("information")).unwrap_or_default();
        let uuid = text.lines().find_map(|line| line.strip_prefix("GPU UUID:")).map(str::trim);
        let Some(card) = cards.iter().find(|card| Some(card.uuid.as_str()) == uuid) else { continue };
        let address = folder.file_name().to_string_lossy().to_lowercase();
        let path = root.join("sys/bus/pci/devices").join(address).join("numa_node");
        // On a machine without nodes it is -1.
        if let Some(node) = fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok()) {
            nodes.insert(card.index, node);
        }
    }
    nodes
}

/// `0-3,8` is 0, 1, 2, 3 and 8.
fn parse_core_list(list: &str) -> Vec<u32> {
    let range = |part: &str| -> Option<RangeInclusive<u32>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn cores_know_their_node_and_their_sibling_and_gpus_their_node() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
        write(root, "sys/devices/system/node/node1/cpulist", "2,3,6,7\n");
        write(root, "sys/devices/system/node/possible", "0-1\n");
        for core in 0..8 {
            let path = format!("sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
            write(root, &path, &format!("{},{}\n", core % 4, core % 4 + 4));
        }
        write(root, "proc/driver/nvidia/gpus/0000:1B:00.0/information", "Model: X\nGPU UUID: \t GPU-b\n");
        write(root, "sys/bus/pci/devices/0000:1b:00.0/numa_node", "1\n");
        write(root, "proc/driver/nvidia/gpus/0000:2b:00.0/information", "GPU UUID: GPU-a\n");
        write(root, "sys/bus/pci/devices/0000:2b:00.0/numa_node", "-1\n");
        let told = |core: Core| (core.number, core.node, core.physical);
        let found: Vec<_> = read_cores(root, &[1, 2, 5, 6]).into_iter().map(told).collect();
        assert_eq!(found, [(1, 0, 1), (2, 1, 2), (5, 0, 1), (6, 1, 2)]);
        let card = |index, uuid: &str| GpuCard { uuid: uuid.to_owned(), ..GpuCard::unknown(GpuIndex(index)) };
        assert_eq!(
            gpu_nodes(root, &[card(0, "GPU-a"), card(1, "GPU-b")]),
            BTreeMap::from([(GpuIndex(1), 1)])
        );
    }

    #[test]
    fn a_machine_that_tells_nothing_has_equal_cores() {
        let folder = tempfile::tempdir().unwrap();
        let found = read_cores(folder.path(), &[0, 3]);
        assert_eq!(
            found.iter().map(|core| (core.number, core.node, core.physical)).collect::<Vec<_>>(),
            [(0, 0, 0), (3, 0, 3)]
        );
        assert!(!allowed_cores().is_empty());
    }
}
