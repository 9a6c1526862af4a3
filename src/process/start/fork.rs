//! Forking without exec: the child goes on with the same memory, so it starts in a fraction of the time.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::process::error::ProcessError;
use crate::process::stat;

/// Side of a fork on which this code goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fork {
    /// The new one. It must end in [`run_child`].
    Child,
    /// The old one, with the pid of the new one.
    Parent(u32),
}

/// Forks this process, which must have one thread.
pub fn fork_process() -> Result<Fork, ProcessError> {
    refuse_threads()?;
    // SAFETY: there is one thread, so no lock can be left locked and the child may do whatever the parent may.
    #[expect(unsafe_code, reason = "the standard library has no fork")]
    let pid = unsafe { libc::fork() };
    fork_side(i64::from(pid))
}

/// Forks a process that is a child of this process's own parent.
///
/// A subreaper cannot get rid of a grandchild by forking twice, because it inherits the grandchild.
pub fn fork_sibling() -> Result<Fork, ProcessError> {
    refuse_threads()?;
    let flags = libc::CLONE_PARENT | libc::SIGCHLD;
    // SAFETY: without CLONE_VM and with no new stack this is fork with another parent; there is one thread.
    #[expect(unsafe_code, reason = "the standard library has no clone")]
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    fork_side(pid)
}

fn fork_side(pid: i64) -> Result<Fork, ProcessError> {
    match u32::try_from(pid) {
        Ok(0) => Ok(Fork::Child),
        Ok(pid) => Ok(Fork::Parent(pid)),
        Err(_) => Err(ProcessError::refused("fork")(io::Error::last_os_error())),
    }
}

/// Does the work of a forked child and ends it with the exit code that the work gives.
pub fn run_child(work: impl FnOnce() -> i32) -> ! {
    // A panic must not unwind into the parent's half of the stack and run the parent's code twice.
    exit_now(catch_unwind(AssertUnwindSafe(work)).unwrap_or(101))
}

/// Ends this process at once: no destructors, which would act on what belongs to the parent.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: _exit does not return and touches no memory.
    #[expect(unsafe_code, reason = "a forked process must not run the exit handlers of its parent")]
    unsafe {
        libc::_exit(code)
    }
}

fn refuse_threads() -> Result<(), ProcessError> {
    match stat::read_own().map(|stat| stat.threads) {
        Some(threads) if threads > 1 => Err(ProcessError::Threads { threads }),
        // Without /proc nothing of this program works; the callers are single-threaded by construction.
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_threads_is_not_forked() {
        let waiting = std::thread::spawn(std::thread::park);
        let refused = fork_process();
        waiting.thread().unpark();
        waiting.join().unwrap();
        assert!(matches!(refused, Err(ProcessError::Threads { threads }) if threads > 1), "{refused:?}");
    }
}
