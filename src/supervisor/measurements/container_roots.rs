//! The first process of each container of running attempts, remembered so that no second needs a search of the machine.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::process::containers::{Container, Containers, find_members};
use crate::process::stat::{self, ProcessState, Stat};
use crate::process::tree;

/// A container is asked for by a new process. What that process writes down is seen within this time.
const LATE: Duration = Duration::from_secs(10);

/// The known processes of containers, by container id.
#[derive(Debug, Default)]
pub(in crate::supervisor) struct ContainerRoots {
    known: HashMap<String, Vec<Stat>>,
    lookouts: HashMap<Containers, ContainerWatch>,
}

/// When the containers of an attempt are looked for: its folder may be on a server that others use too.
#[derive(Debug)]
struct ContainerWatch {
    pids: Vec<u32>,
    until: Instant,
    seen: Instant,
}

impl ContainerWatch {
    /// There may be containers that are not known: a process began or ended lately.
    fn is_due(&mut self, tree: &[Stat], now: Instant) -> bool {
        self.seen = now;
        if !tree.iter().map(|process| process.pid).eq(self.pids.iter().copied()) {
            self.pids = tree.iter().map(|process| process.pid).collect();
            self.until = now + LATE;
        }
        now < self.until
    }
}

impl ContainerRoots {
    /// The living processes of an attempt's containers, whose own processes are these. One whose processes were seen and
    /// have ended is not searched for again.
    pub(in crate::supervisor) fn find_processes(
        &mut self,
        containers: &Containers,
        tree: &[Stat],
        now: Instant,
    ) -> Vec<Stat> {
        self.lookouts.retain(|_, lookout| now.saturating_duration_since(lookout.seen) < LATE);
        let first = || ContainerWatch { pids: Vec::new(), until: now + LATE, seen: now };
        let lookout = self.lookouts.entry(containers.clone()).or_insert_with(first);
        if !lookout.is_due(tree, now) {
            return Vec::new();
        }
        let Some(containers) = containers.find() else { return Vec::new() };
        // They may come and go unseen from here.
        lookout.until = now + LATE;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_looked_at_while_processes_come_and_go_and_while_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let containers = Containers::in_folder(folder.path().join("containers"));
        let own = stat::read_stat(std::process::id()).unwrap();
        let parent = stat::read_stat(own.parent).unwrap();
        let mut roots = ContainerRoots::default();
        let begin = Instant::now();
        let mut is_due = |tree: &[Stat], seconds: u64| {
            let now = begin + Duration::from_secs(seconds);
            roots.find_processes(&containers, tree, now);
            roots.lookouts[&containers].until > now
        };
        for second in 0..10 {
            assert!(is_due(std::slice::from_ref(&own), second));
        }
        assert!(!is_due(std::slice::from_ref(&own), 10));
        assert!(is_due(&[own.clone(), parent.clone()], 11));
        std::fs::create_dir(folder.path().join("containers")).unwrap();
        for second in 12..60 {
            assert!(is_due(&[own.clone(), parent.clone()], second), "second {second}");
        }
    }
}
