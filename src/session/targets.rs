//! The processes that a signal to an attempt is meant for, and the containers that some of them are in.

use std::collections::{BTreeSet, HashMap};

use rustix::process::Signal;

use crate::process::containers::Container;
use crate::process::signal;
use crate::process::stat::Stat;

/// Processes and containers found of an attempt at one moment.
#[derive(Debug)]
pub struct Targets {
    /// All of them, each once.
    pub processes: Vec<Stat>,
    /// The containers of the attempt.
    pub containers: Vec<Container>,
    /// The position of the container of each process that is in one, by its pid.
    pub members: HashMap<u32, usize>,
}

impl Targets {
    /// Processes that get a signal from the client of their container, which passes on what it gets.
    pub fn proxied_pids(&self) -> BTreeSet<u32> {
        let with_client: Vec<bool> = self.containers.iter().map(Container::has_client).collect();
        let proxied = self.members.iter().filter(|(_, container)| with_client[**container]);
        proxied.map(|(pid, _)| *pid).collect()
    }

    /// Signals these processes; the engine is asked to, where this user may not signal those in a container.
    pub fn send_each<'a>(&self, processes: impl Iterator<Item = &'a Stat>, signal: Signal) {
        // One outside of containers that may not be signalled stays as it is; the others still can be.
        let refused = processes.filter(|process| signal::send_signal(process, signal).is_err());
        let containers = refused.filter_map(|process| self.members.get(&process.pid)).copied().collect();
        self.ask_engine(&containers, signal);
    }

    /// Has the engine do to containers what this user may not do to their processes.
    pub fn ask_engine(&self, containers: &BTreeSet<usize>, signal: Signal) {
        for container in containers.iter().filter_map(|position| self.containers.get(*position)) {
            // Processes that neither can reach are found again and reported as left.
            let _ = container.ask_engine(signal);
        }
    }
}
