//! The keeper: waits for the supervisor and starts it again when it dies, so that a run outlives its supervisor.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, waitpid};

use super::error::SupervisorError;
use super::run;
use crate::engine::spawner::Hold;
use crate::process::fork::{self, Fork};
use crate::rundir::layout::RunDir;

/// A supervisor that dies sooner than this after its start is started again only after as long a pause,
/// so that a broken run does not busy the machine.
const SOON: Duration = Duration::from_secs(1);

/// So many early deaths in a row are taken as final; somebody has to look into `supervisor.log`.
const EARLY_DEATHS: u32 = 10;

/// Keeps a supervisor running until the run needs none; `hold` is what a forked holder does. False when the
/// supervisor dies again and again.
///
/// Must be called before any thread exists: the supervisor and its spawner are forked, not executed, because
/// further starts of the program would double the time until the first shard runs.
pub fn keep(run: &RunDir, hold: Hold) -> Result<bool, SupervisorError> {
    let mut early_deaths = 0;
    loop {
        let begun = Instant::now();
        let child = match fork::fork()? {
            Fork::Child => fork::finish(|| i32::from(run::supervise(run, hold).is_err())),
            Fork::Parent(child) => child,
        };
        if wait(child).map_err(SupervisorError::system("wait for the supervisor"))? {
            return Ok(true);
        }
        early_deaths = if begun.elapsed() < SOON { early_deaths + 1 } else { 0 };
        if early_deaths == EARLY_DEATHS {
            return Ok(false);
        }
        // The first death is answered at once: shards may be waiting for a slot.
        if early_deaths > 1 {
            std::thread::sleep(SOON);
        }
    }
}

/// Waits for the end of a child; true when it ended with code 0.
fn wait(child: u32) -> io::Result<bool> {
    let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
    loop {
        match waitpid(pid, WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(status.exit_status() == Some(0)),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
