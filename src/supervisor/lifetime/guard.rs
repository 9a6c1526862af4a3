//! What keeper, supervisor and spawner do for one another: whichever of them is left starts the others.

use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing::warn;

use super::start;
use crate::model::attempt::ProcessIdentity;
use crate::process::stat::{self, ProcessState};
use crate::process::wait::{self, ChildWaitResult};
use crate::process::{signal, strays};
use crate::rundir::layout::RunDir;
use crate::rundir::life;
use crate::supervisor::error::SupervisorError;

/// How long a process that was killed may take to be gone: of two that were killed in one instant, a third may see the
/// first half.
const DIES_WITHIN: Duration = Duration::from_millis(50);

/// How often is looked for what no descriptor shows.
const LOOK: Duration = Duration::from_millis(50);

/// The pause before a spawner starts another keeper, where one was killed or could not be started.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LAST_PAUSE: Duration = Duration::from_secs(60);

/// Waits, and fails as soon as the keeper is gone.
pub(super) fn pause_beside(keeper: &ProcessIdentity, pause: Duration) -> Result<(), SupervisorError> {
    let deadline = Instant::now() + pause;
    while let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        if !life::is_alive(keeper) {
            return Err(SupervisorError::KeeperGone);
        }
        match (signal::watch_process(keeper), Timespec::try_from(left)) {
            // A failure to wait is looked at again like an early end.
            (Ok(pidfd), Ok(left)) => _ = poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&left)),
            // It ended at this moment, or the kernel is older than pidfds.
            (Ok(_) | Err(_), _) => thread::sleep(left.min(LOOK)),
        }
    }
    Ok(())
}

/// Reports whether the keeper is gone, or was killed at this moment. A stopped one starts nothing either.
pub(super) fn has_died(keeper: &ProcessIdentity) -> bool {
    let works = || {
        life::is_alive(keeper)
            && stat::read_stat(keeper.pid).is_none_or(|found| found.state != ProcessState::Stopped)
    };
    if works() {
        thread::sleep(DIES_WITHIN);
    }
    !works()
}

/// What a spawner does when its supervisor was killed: where the keeper died as well, it starts keepers until one has a
/// supervisor that lives, or has ended by itself.
pub(super) fn guard_run(run: &RunDir, keeper: &ProcessIdentity) {
    if !has_died(keeper) {
        // It starts the next supervisor, and the two look after one another.
        return;
    }
    let mut pause = FIRST_PAUSE;
    loop {
        // The supervisor may have started a keeper before it ended, and holders may do so.
        thread::sleep(pause);
        pause = (pause * 2).min(LAST_PAUSE);
        if life::living_supervisor(run).is_some() || !life::wants_supervisor(run) {
            return;
        }
        match start::launch_keeper(run) {
            Ok(keeper) if !is_killed_alone(run, keeper) => return,
            Ok(_) => {}
            Err(error) if error.is_lasting() => return warn!("{error}"),
            Err(error) => warn!("no other keeper can be started: {error}; trying again"),
        }
    }
}

/// Waits until a supervisor lives, or the keeper that this process has started ends. True where it was killed.
fn is_killed_alone(run: &RunDir, keeper: u32) -> bool {
    while life::living_supervisor(run).is_none() {
        match wait::any_child() {
            ChildWaitResult::Ended { pid, status, .. } if pid == keeper => return status.signal().is_some(),
            // A holder, or what a killed one has left.
            ChildWaitResult::Ended { .. } => strays::end_strays(),
            ChildWaitResult::NoneEnded => thread::sleep(LOOK),
            ChildWaitResult::NoChildren => return false,
        }
    }
    false
}
