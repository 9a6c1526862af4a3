//! The processes of the attempt: finding, signalling and waiting for all of them.

use std::collections::BTreeSet;

use rustix::process::Signal;

use super::targets::Targets;
use crate::model::attempt::{Leftover, Usage};
use crate::model::outcome::ExitStatus;
use crate::process::containers::{Containers, find_members};
use crate::process::stat::{self, ProcessState, Stat};
use crate::process::tag::AttemptTag;
use crate::process::wait::{self, ChildWaitResult};
use crate::process::{reap, signal, tree};

/// The main process and everything that came from it.
///
/// The holder is their subreaper: a process that loses its parent becomes the holder's child, so the tree below the
/// holder is complete and having no children left means that all are gone.
#[derive(Debug)]
pub struct Processes {
    tag: AttemptTag,
    containers: Containers,
    main: Main,
    /// There are children to wait for.
    any: bool,
    /// Processes that outlived the main process and had to be signalled.
    outlived: Vec<Stat>,
}

/// The process that the attempt is about.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Main {
    Alive { pid: u32 },
    Ended { status: ExitStatus, usage: Usage },
}

impl Processes {
    /// Takes care of a main process that was just started.
    pub fn new(main: u32, tag: AttemptTag, containers: Containers) -> Self {
        Self { tag, containers, main: Main::Alive { pid: main }, any: true, outlived: Vec::new() }
    }

    /// Waits, without blocking, for all that have ended.
    pub fn reap_ended(&mut self) {
        loop {
            match wait::any_child() {
                ChildWaitResult::Ended { pid, status, usage } => {
                    if self.main == (Main::Alive { pid }) {
                        self.main = Main::Ended { status, usage };
                    }
                }
                ChildWaitResult::NoneEnded => return,
                ChildWaitResult::NoChildren => {
                    self.any = false;
                    return;
                }
            }
        }
    }

    /// None is left below the holder.
    pub fn all_gone(&self) -> bool {
        !self.any
    }

    /// None is left below the holder, nor in a container. An attempt without containers is asked nothing more for this.
    pub fn nothing_is_left(&self) -> bool {
        self.all_gone() && find_members(&self.containers.list()).is_empty()
    }

    /// Another process, such as a server, has started something for one of these outside the tree. This reads the
    /// environment of every process of the machine, so it is asked only where something was stopped.
    pub fn has_strays(&self) -> bool {
        !tree::find_marked(&self.tag, None).is_empty() || !find_members(&self.containers.list()).is_empty()
    }

    /// How the main process ended, once it has.
    pub fn main_end(&self) -> Option<(ExitStatus, Usage)> {
        match self.main {
            Main::Alive { .. } => None,
            Main::Ended { status, usage } => Some((status, usage)),
        }
    }

    /// Signals every process once. Those in the main process's group get it together, as from a terminal, so that none
    /// is interrupted twice.
    pub fn signal_all(&mut self, signal: Signal) -> Reach {
        let targets = self.find_all();
        let mut reach = Reach { found: targets.processes.len(), beyond_signals: 0 };
        let mut group = None;
        match self.main {
            Main::Alive { pid } => {
                signal::send_to_group(pid, signal);
                group = Some(pid);
            }
            Main::Ended { .. } => self.remember_outlived(&targets.processes),
        }
        let proxied = targets.proxied_pids();
        let mut refused = BTreeSet::new();
        for target in &targets.processes {
            // A second SIGKILL does no harm and shows which processes may not be signalled.
            let told = Some(target.group) == group || proxied.contains(&target.pid);
            let is_refused =
                !(told && signal != Signal::KILL) && signal::send_signal(target, signal).is_err();
            match targets.members.get(&target.pid) {
                Some(container) if is_refused => _ = refused.insert(*container),
                _other if is_refused || target.state == ProcessState::Uninterruptible => {
                    reach.beyond_signals += 1
                }
                Some(_) | None => {}
            }
        }
        targets.ask_engine(&refused, signal);
        reach
    }

    /// Stops all, strays included. Those that are forked meanwhile are left to [`Self::pause_tree`].
    pub fn pause_all(&self) {
        let targets = self.find_all();
        let unstopped = targets.processes.iter().filter(|process| process.state != ProcessState::Stopped);
        targets.send_each(unstopped, Signal::STOP);
    }

    /// Stops those of the tree and of containers that are not stopped; `true` when none was found, so that none can
    /// have been forked.
    pub fn pause_tree(&self) -> bool {
        let members = find_members(&self.containers.list()).into_iter().map(|(process, _)| process);
        let found: Vec<Stat> =
            tree::find_descendants(std::process::id()).into_iter().chain(members).collect();
        stop_processes(&found) == 0
    }

    /// Lets all go on.
    pub fn resume_all(&self) {
        let targets = self.find_all();
        targets.send_each(targets.processes.iter(), Signal::CONT);
    }

    /// Returns the processes that outlived the main process and had to be signalled.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let living: Vec<Stat> =
            self.outlived.iter().filter_map(|process| stat::read_stat(process.pid)).collect();
        self.outlived.iter().map(|process| reap::to_leftover(process, &living)).collect()
    }

    /// Remembers those that are left now for [`Self::leftovers`].
    pub fn remember_left(&mut self) {
        let left = self.find_all().processes;
        self.remember_outlived(&left);
    }

    fn remember_outlived(&mut self, processes: &[Stat]) {
        for process in processes {
            if !self.outlived.iter().any(|known| known.is_same(process)) {
                self.outlived.push(process.clone());
            }
        }
    }

    /// The tree, strays with the tag that some other process started on behalf of one of these, and containers.
    fn find_all(&self) -> Targets {
        let containers = self.containers.list();
        let members = find_members(&containers);
        let mut processes = tree::find_descendants(std::process::id());
        // A session's number can be given away once its leader has been waited for.
        let session = match self.main {
            Main::Alive { pid } => Some(pid),
            Main::Ended { .. } => None,
        };
        let strays = tree::find_marked(&self.tag, session);
        for stray in strays.into_iter().chain(members.iter().map(|(process, _)| process.clone())) {
            if processes.iter().all(|known| known.pid != stray.pid) {
                processes.push(stray);
            }
        }
        let members = members.into_iter().map(|(process, container)| (process.pid, container)).collect();
        Targets { processes, containers, members }
    }
}

/// Gives how many were not stopped yet.
fn stop_processes(processes: &[Stat]) -> usize {
    let unstopped = || processes.iter().filter(|process| process.state != ProcessState::Stopped);
    for process in unstopped() {
        // One that may not be signalled cannot be paused; the others still can.
        let _ = signal::send_signal(process, Signal::STOP);
    }
    unstopped().count()
}

/// How far a signal reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Processes that were there.
    pub found: usize,
    /// Processes of these that are in state D or belong to another user.
    pub beyond_signals: usize,
}

impl Reach {
    /// Processes are left and no signal can end them.
    pub fn is_hopeless(self) -> bool {
        self.found > 0 && self.found == self.beyond_signals
    }
}
