//! Processes that a killed holder has left to the process above it: without tag and session nothing else finds them.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, set_child_subreaper};

use super::stat::{self, ProcessState};
use super::{signal, tree};

/// Orphans of this process's descendants become its children from now on, and not those of the machine's first process.
pub fn adopt_orphans() {
    // Where the kernel refuses, those that kept their tag or session are found all the same.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Ends the children that are none of this program's own processes, with all that is below them.
///
/// One whose parent ends during this look is missed by it. Its parent was a child of this process or is below one that
/// is ended here, so a caller that looks again at the end of every such child ends all of them.
pub fn end_strays() {
    let children = tree::children_of_one_thread(std::process::id());
    for stray in children.iter().filter(|child| child.state != ProcessState::Dead && !is_own(child.pid)) {
        let below = tree::find_descendants(stray.pid);
        for process in [stray].into_iter().chain(&below) {
            let _ = signal::send_signal(process, Signal::KILL);
        }
    }
}

/// A process that is being started has no command line for a moment, and may be a keeper that the holder has left behind.
const STARTS_WITHIN: Duration = Duration::from_millis(50);

/// The process is a keeper, supervisor, spawner or holder, or was forked from one and has no title yet; or it has ended
/// meanwhile, which takes its command line too.
fn is_own(pid: u32) -> bool {
    let deadline = Instant::now() + STARTS_WITHIN;
    loop {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let state = || stat::read_stat(pid).map(|found| found.state);
        if command.is_empty() && matches!(state(), None | Some(ProcessState::Dead)) {
            return true;
        }
        if command.is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        let mut words = command.split(|byte| *byte == 0);
        let is_program = words.next().is_some_and(|program| program == b"sweepdeck");
        return is_program
            && words.next().is_some_and(|verb| matches!(verb, b"supervise" | b"spawner" | b"hold"));
    }
}
