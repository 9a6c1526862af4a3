//! Programs that outlive the process that starts them: own session, no terminal, output in a log file.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::fork::{self, Fork};
use crate::process::error::ProcessError;
use crate::process::{fd, oom, signal_fd};

/// Path of this program itself, also after its file was replaced or removed by an upgrade.
pub const OWN_PROGRAM: &str = "/proc/self/exe";

/// Reads this program itself, to place a copy of it elsewhere.
pub fn read_own_program() -> io::Result<Vec<u8>> {
    std::fs::read(OWN_PROGRAM)
}

/// Starts this program again with other arguments, in its own session, and in another environment where one is given;
/// gives its pid.
///
/// It stays a child of the caller, which becomes a zombie when it ends before the caller does.
pub fn start_self(
    arguments: &[&OsStr],
    log: File,
    environment: Option<Vec<(OsString, OsString)>>,
) -> Result<u32, ProcessError> {
    let mut command = build_command(arguments, log)?;
    if let Some(environment) = environment {
        command.env_clear().envs(environment);
    }
    // SAFETY: these are bare system calls and may be made between fork and exec.
    #[expect(unsafe_code, reason = "between exec and a later setsid a hangup of the terminal could end it")]
    unsafe {
        command.pre_exec(|| {
            // Those that the caller ignores would be ignored by every program of the run.
            signal_fd::reset_all();
            fd::close_on_exec();
            rustix::process::setsid().map(|_| ()).map_err(Into::into)
        });
    }
    let child = command.spawn().map_err(ProcessError::refused("start sweepdeck again"))?;
    Ok(child.id())
}

/// The same from a subreaper with one thread: the new process is its sibling and not its descendant. Where the
/// subreaper has changed its `oom_score_adj`, the new process gets the old value back.
pub fn start_self_beside(
    arguments: &[&OsStr],
    log: File,
    oom_score_adj: Option<&str>,
) -> Result<u32, ProcessError> {
    let mut command = build_command(arguments, log)?;
    match fork::fork_sibling()? {
        Fork::Parent(pid) => Ok(pid),
        Fork::Child => fork::run_child(|| {
            signal_fd::reset_all();
            let _ = rustix::process::setsid();
            oom::restore_score(oom_score_adj);
            fd::close_on_exec();
            // Only a failure returns; the caller checks whether a process has come to life.
            drop(command.exec());
            127
        }),
    }
}

fn build_command(arguments: &[&OsStr], log: File) -> Result<Command, ProcessError> {
    let (out, err) = (log.try_clone().map_err(ProcessError::refused("copy the log's descriptor"))?, log);
    let mut command = Command::new(OWN_PROGRAM);
    command.arg0("sweepdeck").args(arguments).current_dir("/");
    command.stdin(Stdio::null()).stdout(out).stderr(err);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::process::stat;

    #[test]
    fn a_detached_program_leads_its_own_session_and_writes_to_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        // The program is this test binary: `--list` prints the names of the tests.
        let pid = start_self(&[OsStr::new("--list")], File::create(&log).unwrap(), None).unwrap();
        assert_eq!(stat::read_stat(pid).map(|stat| stat.session), Some(pid));
        let deadline = Instant::now() + Duration::from_secs(20);
        while !std::fs::read_to_string(&log).unwrap().contains("a_detached_program_leads") {
            assert!(Instant::now() < deadline, "nothing was logged");
            std::thread::yield_now();
        }
    }
}
