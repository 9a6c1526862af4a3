//! All processes of a run on this machine, found without its folder, which may lie on a disk that does not answer.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::signal;
use super::stat::{self, ProcessState, Stat};

/// Which processes of a run are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunProcesses {
    /// Attempts with their holders.
    Attempts,
    /// Those, and all that serves the run.
    All,
}

/// A process that turns into another program shows neither environment nor command line for a moment: none is left when
/// so many looks in a row have found none.
const LOOKS: usize = 3;

const PAUSE: Duration = Duration::from_millis(10);

/// Kills them and waits until they are gone; gives those that are left after that time.
pub fn end_processes(run_dir: &Path, which: RunProcesses, patience: Duration) -> Vec<Stat> {
    let deadline = Instant::now() + patience;
    let mut in_vain = 0;
    loop {
        let living = find_processes(run_dir, which);
        // Stopped first: what is killed is started again by those that serve the run.
        for signal in [Signal::STOP, Signal::KILL] {
            for process in &living {
                // One that may not be signalled is still there at the deadline.
                let _ = signal::send_signal(process, signal);
            }
        }
        in_vain = if living.is_empty() { in_vain + 1 } else { 0 };
        if in_vain == LOOKS || Instant::now() >= deadline {
            return living;
        }
        thread::sleep(PAUSE);
    }
}

fn find_processes(run_dir: &Path, which: RunProcesses) -> Vec<Stat> {
    let own = std::process::id();
    stat::all_processes()
        .filter(|stat| stat.pid != own && stat.state != ProcessState::Dead)
        .filter(|stat| is_of_run(stat.pid, run_dir, which))
        .collect()
}

fn is_of_run(pid: u32, run_dir: &Path, which: RunProcesses) -> bool {
    let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let command = read("cmdline");
    let mut words = command.split(|byte| *byte == 0);
    if words.next() == Some(b"sweepdeck") {
        let serves = match words.next() {
            Some(b"hold") => true,
            Some(b"supervise" | b"spawner") => which == RunProcesses::All,
            Some(_) | None => false,
        };
        let folder = words.next().map(|folder| Path::new(std::ffi::OsStr::from_bytes(folder)));
        return serves && folder.is_some_and(|folder| folder.starts_with(run_dir));
    }
    let tag = [b"SWEEPDECK_RUN=", run_dir.as_os_str().as_bytes()].concat();
    read("environ").split(|byte| *byte == 0).any(|variable| variable == tag)
}
