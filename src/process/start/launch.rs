//! A program on a terminal of its own: failures after the fork are reported through a pipe.

use std::fs::File;
use std::io::Read;
use std::os::fd::BorrowedFd;

use rustix::pipe::{PipeFlags, pipe_with};

use super::fork::{self, Fork};
use super::launch_failure::{LaunchFailure, LaunchStep, RECORD};
use super::program::Prepared;
use super::shim;
use crate::process::error::ProcessError;

/// A forked child that is about to become the program.
#[derive(Debug)]
pub struct Launched {
    /// Its pid, which is also its session and its process group.
    pub pid: u32,
    report: File,
}

/// Forks the child on the slave side of a terminal. Ask [`Launched::wait_for_exec`] how it went.
pub fn launch_child(program: &Prepared, terminal: BorrowedFd<'_>) -> Result<Launched, ProcessError> {
    let (receiver, sender) = pipe_with(PipeFlags::CLOEXEC).map_err(ProcessError::refused("make a pipe"))?;
    let holder = rustix::process::getpid();
    let pid = match fork::fork_process()? {
        Fork::Parent(pid) => pid,
        Fork::Child => fork::run_child(|| {
            let failure = shim::become_program(program, terminal, holder);
            let _ = rustix::io::write(&sender, &failure.to_record());
            127
        }),
    };
    Ok(Launched { pid, report: File::from(receiver) })
}

impl Launched {
    /// Waits until the child has become the program, which takes the time of an exec, or has failed to.
    pub fn wait_for_exec(mut self) -> Result<(), LaunchFailure> {
        let mut record = Vec::with_capacity(RECORD);
        match self.report.read_to_end(&mut record) {
            // The pipe is closed by exec: no word is a good word.
            Ok(_) => LaunchFailure::from_record(&record).map_or(Ok(()), Err),
            Err(source) => Err(LaunchFailure { step: LaunchStep::Exec, source }),
        }
    }
}
