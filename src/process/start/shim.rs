//! The last steps of a forked child before it becomes the program: session, terminal, limits, exec.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getppid, ioctl_tiocsctty, nice, set_parent_process_death_signal, setsid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::fork;
use super::launch_failure::{LaunchFailure, LaunchStep};
use super::program::Prepared;
use crate::process::{fd, oom, signal_fd};

/// Becomes the program; whatever returns from here is the reason why it could not.
pub(in crate::process) fn become_program(
    program: &Prepared,
    terminal: BorrowedFd<'_>,
    holder: Pid,
) -> LaunchFailure {
    match prepare_child(program, terminal, holder) {
        Ok(()) => LaunchFailure { step: LaunchStep::Exec, source: exec_program(program) },
        Err(failure) => failure,
    }
}

fn prepare_child(program: &Prepared, terminal: BorrowedFd<'_>, holder: Pid) -> Result<(), LaunchFailure> {
    let at = |step| move |errno: Errno| LaunchFailure { step, source: errno.into() };
    take_terminal(terminal).map_err(at(LaunchStep::Terminal))?;
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(at(LaunchStep::DeathSignal))?;
    if getppid() != Some(holder) {
        // The holder died before the death signal was set, so no process will ever be notified of this child.
        fork::exit_now(127);
    }
    fd::close_on_exec();
    signal_fd::reset_all();
    rustix::process::chdir(program.cwd.as_c_str()).map_err(at(LaunchStep::Directory))?;
    if let Some(cores) = &program.cores {
        rustix::thread::sched_setaffinity(None, cores).map_err(at(LaunchStep::Cores))?;
    }
    if program.nice != 0 {
        nice(program.nice).map_err(at(LaunchStep::Nice))?;
    }
    oom::restore_score(program.oom_score_adj.as_deref());
    Ok(())
}

fn take_terminal(terminal: BorrowedFd<'_>) -> Result<(), Errno> {
    setsid()?;
    ioctl_tiocsctty(terminal)?;
    dup2_stdin(terminal)?;
    dup2_stdout(terminal)?;
    dup2_stderr(terminal)
}

/// Like `execvpe`, but a file that is not a program is an error: feeding a broken binary to `/bin/sh` line by line
/// does harm and hides the reason.
fn exec_program(program: &Prepared) -> io::Error {
    let mut worst = io::Error::from_raw_os_error(libc::ENOENT);
    for candidate in &program.candidates {
        // SAFETY: both arrays end with null and point to texts that live in `program`.
        #[expect(unsafe_code, reason = "the standard library would try /bin/sh")]
        unsafe {
            libc::execve(candidate.as_ptr(), program.argv.pointers.as_ptr(), program.env.pointers.as_ptr());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR | libc::ENODEV | libc::ESTALE | libc::ETIMEDOUT) => {}
            // A later folder may hold one that may be executed; if none does, this is the reason to report.
            Some(libc::EACCES) => worst = error,
            Some(_) | None => return error,
        }
    }
    worst
}
