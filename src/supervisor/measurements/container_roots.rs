//! The first process of each container of running attempts, remembered so that no second needs a search of the machine.

use std::collections::HashMap;

use crate::process::containers::{Container, Containers, find_members};
use crate::process::stat::{self, ProcessState, Stat};
use crate::process::tree;

/// The known processes of containers, by container id.
#[derive(Debug, Default)]
pub(in crate::supervisor) struct ContainerRoots {
    known: HashMap<String, Vec<Stat>>,
}

impl ContainerRoots {
    /// The living processes of an attempt's containers. One whose processes were seen and have ended is not searched
    /// for again.
    pub(in crate::supervisor) fn find_processes(&mut self, containers: &Containers) -> Vec<Stat> {
        let containers = containers.list();
        let unknown: Vec<Container> =
            containers.iter().filter(|container| !self.known.contains_key(&container.id)).cloned().collect();
        self.find_roots(&unknown);
        let roots = containers.iter().filter_map(|container| self.known.get(&container.id)).flatten();
        let mut found = Vec::new();
        for root in roots {
            let now =
                stat::read_stat(root.pid).filter(|now| now.is_same(root) && now.state != ProcessState::Dead);
            if let Some(now) = now {
                found.push(now);
                found.extend(tree::find_descendants(root.pid));
            }
        }
        found
    }

    fn find_roots(&mut self, containers: &[Container]) {
        let members = find_members(containers);
        let is_member = |pid| members.iter().any(|(process, _)| process.pid == pid);
        for (process, container) in members.iter().filter(|(process, _)| !is_member(process.parent)) {
            let roots = self.known.entry(containers[*container].id.clone()).or_default();
            roots.push(process.clone());
        }
    }
}
