//! Which cores a shard is pinned to: none that another one has, near its GPUs, and whole ones before their second
//! threads.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::ids::GpuIndex;
use crate::model::machine::topology::{Core, Topology};

/// The cores of the machine in the course of one decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinning {
    topology: Arc<Topology>,
    taken: BTreeSet<u32>,
}

impl Pinning {
    /// All cores are free.
    pub fn new(topology: &Arc<Topology>) -> Self {
        Self { topology: Arc::clone(topology), taken: BTreeSet::new() }
    }

    /// An attempt has these.
    pub fn take_cores(&mut self, cores: &[u32]) {
        self.taken.extend(cores);
    }

    /// So many free cores for a shard on these GPUs; `None` where there are fewer. All of one node if that is possible,
    /// because memory of another one is further away.
    pub fn choose_cores(&self, count: u32, gpus: &[GpuIndex]) -> Option<Vec<u32>> {
        let count = count as usize;
        let near: BTreeSet<u32> =
            gpus.iter().filter_map(|gpu| self.topology.gpu_nodes.get(gpu)).copied().collect();
        let mut free: BTreeMap<u32, Vec<Core>> = BTreeMap::new();
        for core in self.topology.cores.iter().filter(|core| !self.taken.contains(&core.number)) {
            free.entry(core.node).or_default().push(*core);
        }
        let mut nodes: Vec<(u32, Vec<Core>)> = free.into_iter().collect();
        // Where it cannot lie on one node it lies on as few as possible.
        nodes.sort_by_key(|(node, cores)| {
            (!near.contains(node), cores.len() < count, Reverse(cores.len()), *node)
        });
        let mut chosen: Vec<u32> =
            nodes.into_iter().flat_map(|(_, cores)| self.wholes_first(cores)).take(count).collect();
        chosen.sort_unstable();
        (chosen.len() == count).then_some(chosen)
    }

    /// Sorts the threads: one of each physical core that is wholly free comes first, then their others, then the rest.
    fn wholes_first(&self, mut cores: Vec<Core>) -> Vec<u32> {
        let used: BTreeSet<u32> = self
            .topology
            .cores
            .iter()
            .filter(|core| self.taken.contains(&core.number))
            .map(|core| core.physical)
            .collect();
        let mut seen = BTreeSet::new();
        let is_second: BTreeMap<u32, bool> =
            cores.iter().map(|core| (core.number, !seen.insert(core.physical))).collect();
        cores.sort_by_key(|core| (used.contains(&core.physical), is_second[&core.number], core.number));
        cores.into_iter().map(|core| core.number).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Nodes of so many physical cores with two threads each; GPU n is near node n.
    fn topology(nodes: u32, each: u32) -> Arc<Topology> {
        let all = nodes * each;
        let core = |number: u32| Core { number, node: number % all / each, physical: number % all };
        let gpu_nodes = (0..nodes).map(|node| (GpuIndex(node), node)).collect();
        Arc::new(Topology { cores: (0..all * 2).map(core).collect(), gpu_nodes })
    }

    proptest! {
        #[test]
        fn nobody_shares_a_core_and_everybody_has_all_that_was_asked(
            nodes in 1_u32..5,
            each in 1_u32..17,
            asked in proptest::collection::vec((1_u32..9, 0_u32..6), 1..40),
        ) {
            let topology = topology(nodes, each);
            let mut pinning = Pinning::new(&topology);
            let mut free: BTreeSet<u32> = topology.cores.iter().map(|core| core.number).collect();
            for (count, gpu) in asked {
                let near_free = topology.cores.iter()
                    .filter(|core| core.node == gpu && free.contains(&core.number)).count();
                match pinning.choose_cores(count, &[GpuIndex(gpu)]) {
                    Some(cores) => {
                        prop_assert_eq!(cores.len(), count as usize);
                        prop_assert!(cores.iter().all(|core| free.remove(core)), "{cores:?} twice");
                        let near = cores.iter().filter(|core| **core % (nodes * each) / each == gpu).count();
                        prop_assert_eq!(near, near_free.min(count as usize), "as near as possible");
                        pinning.take_cores(&cores);
                    }
                    None => prop_assert!(free.len() < count as usize),
                }
            }
        }
    }

    #[test]
    fn whole_cores_come_first_and_one_node_is_preferred_to_two() {
        let mut pinning = Pinning::new(&topology(2, 4));
        assert_eq!(pinning.choose_cores(2, &[GpuIndex(1)]), Some(vec![4, 5]));
        pinning.take_cores(&[4, 5]);
        assert_eq!(
            pinning.choose_cores(3, &[GpuIndex(1)]),
            Some(vec![6, 7, 14]),
            "its node, then a second thread"
        );
        assert_eq!(pinning.choose_cores(2, &[]), Some(vec![0, 1]), "the emptier node");
        assert_eq!(pinning.choose_cores(15, &[]), None);
    }
}
