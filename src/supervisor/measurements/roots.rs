//! Where the processes of a running attempt are found each second, without a search of the whole machine.

use std::time::Instant;

use super::container_roots::ContainerRoots;
use crate::model::attempt::ProcessIdentity;
use crate::process::containers::Containers;
use crate::process::stat::{self, Stat};
use crate::process::{identity, tree};

/// The processes from which all others of an attempt descend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::supervisor) enum Roots {
    /// Its holder, which has no part in the work itself. Processes that left their parent descend from it too.
    Holder {
        /// Process id of the holder.
        pid: u32,
        /// Its containers, which descend from another daemon.
        containers: Containers,
    },
    /// Processes that were started elsewhere, and belong to the work themselves.
    Foreign(Vec<ProcessIdentity>),
}

impl Roots {
    /// The GPUs were chosen by this run, so that another one is a mistake.
    pub(in crate::supervisor) fn are_placed(&self) -> bool {
        match self {
            Self::Holder { .. } => true,
            Self::Foreign(_) => false,
        }
    }

    /// The attempt's living processes.
    pub(in crate::supervisor) fn find_processes(&self, known: &mut ContainerRoots) -> Vec<Stat> {
        match self {
            Self::Holder { pid, containers } => {
                let mut found = tree::descendants_of_one_thread(*pid);
                let of_containers = known.find_processes(containers, &found, Instant::now());
                found.extend(of_containers);
                found
            }
            Self::Foreign(processes) => {
                let mut found: Vec<Stat> = Vec::new();
                for root in processes.iter().filter(|process| identity::is_alive(process)) {
                    found.extend(stat::read_stat(root.pid));
                    found.extend(tree::find_descendants(root.pid));
                }
                // One root may have been started below another.
                found.sort_unstable_by_key(|process| process.pid);
                found.dedup_by_key(|process| process.pid);
                found
            }
        }
    }
}
