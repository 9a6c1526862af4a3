//! Signals that reach the process that was meant, even when its pid was given to another one since.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
};

use super::error::ProcessError;
use super::identity;
use super::stat::{self, Stat};
use crate::model::attempt::ProcessIdentity;

/// Sends a signal to exactly this process; one that is gone needs none and is no error.
pub fn send_signal(target: &Stat, signal: Signal) -> Result<(), ProcessError> {
    let outcome = match open_pidfd(target.pid) {
        Ok(pidfd) if is_same(target) => pidfd_send_signal(pidfd, signal),
        // Before Linux 5.3 there are no pidfds; the start is compared a moment before, which is nearly as good.
        Err(Errno::NOSYS) if is_same(target) => {
            Pid::from_raw(target.pid as i32).map_or(Ok(()), |pid| kill_process(pid, signal))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(errno) => Err(ProcessError::Refused {
            doing: format!("send signal {} to process {} ({})", signal.as_raw(), target.pid, target.name),
            source: errno.into(),
        }),
    }
}

/// Sends a signal to a process group at once. The leader must not have been waited for yet: until then the
/// number belongs to this group.
pub fn send_to_group(leader: u32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(leader as i32) {
        // ESRCH and EPERM mean that no process is left in it that could be signalled.
        let _ = kill_process_group(pid, signal);
    }
}

/// A descriptor that becomes readable when the process ends.
pub fn watch_process(process: &ProcessIdentity) -> Result<OwnedFd, ProcessError> {
    let pidfd = open_pidfd(process.pid).map_err(|errno| match errno {
        Errno::SRCH => ProcessError::Gone { pid: process.pid },
        errno => ProcessError::Refused {
            doing: format!("watch process {}", process.pid),
            source: io::Error::from(errno),
        },
    })?;
    // Opened first and compared then: from here on the descriptor cannot mean another process.
    identity::is_alive(process).then_some(pidfd).ok_or(ProcessError::Gone { pid: process.pid })
}

fn open_pidfd(pid: u32) -> Result<OwnedFd, Errno> {
    pidfd_open(Pid::from_raw(pid as i32).ok_or(Errno::SRCH)?, PidfdFlags::empty())
}

fn is_same(target: &Stat) -> bool {
    stat::read_stat(target.pid).is_some_and(|now| now.is_same(target))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_signal_for_an_earlier_owner_of_the_pid_is_not_delivered() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let stat = stat::read_stat(child.id()).unwrap();
        send_signal(&Stat { start_ticks: stat.start_ticks + 1, ..stat.clone() }, Signal::KILL).unwrap();
        send_signal(&stat, Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM), "SIGKILL was for somebody else");
        send_signal(&stat, Signal::KILL).unwrap();
    }

    #[test]
    fn a_process_that_is_gone_cannot_be_watched() {
        let mut child = Command::new("true").spawn().unwrap();
        let identity = identity::identify_process(child.id()).unwrap();
        child.wait().unwrap();
        assert!(matches!(watch_process(&identity), Err(ProcessError::Gone { .. })));
    }
}
