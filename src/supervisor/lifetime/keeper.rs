//! The keeper: waits for the supervisor and starts it again when it dies, so that a run outlives its supervisor.

use std::io;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};
use tracing::{info, warn};

use super::run;
use crate::engine::spawner::Hold;
use crate::model::sweep::hook::Hook;
use crate::process::panics::note;
use crate::process::start::fork::{self, Fork};
use crate::process::start::title;
use crate::process::stat::{self, ProcessState};
use crate::process::{identity, log, shortage, strays};
use crate::rundir::layout::RunDir;
use crate::rundir::lock::{self, Lock};
use crate::supervisor::error::SupervisorError;

/// A supervisor that fails sooner than this after its start fails at starting, and the next one waits.
const SOON: Duration = Duration::from_secs(1);

/// The pause before the next supervisor begins: short at first, ever longer while it does not help. A full disk is
/// outlasted and does not busy the machine; a person who kills supervisors tires sooner. The supervisor spends it, and
/// not its keeper, so that neither is ever the last process that could start another one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LAST_PAUSE: Duration = Duration::from_secs(30);
const LAST_PAUSE_IF_KILLED: Duration = Duration::from_secs(1);

/// A supervisor that was stopped (SIGSTOP) and does not continue gives way to another one after this time.
const STOPPED_PATIENCE: Duration = Duration::from_secs(5);

/// How often a stopped one is looked at.
const STOPPED_LOOK: Duration = Duration::from_millis(100);

/// How a supervisor ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SupervisorEnd {
    /// Nothing is left to do, or another one does it.
    Done,
    /// Ended by a signal, not by an error of its own.
    Killed,
    /// By an error that passes, such as a full disk.
    Failed,
    /// The next one would fail in the same way; a person has to look into `supervisor.log`.
    Broken,
}

/// Keeps a supervisor running until the run needs none, or until another keeper tries again for it; `hold` is what a forked holder does. False when no
/// supervisor can serve this run. With `moves_here` a run that lives elsewhere belongs here from now on. `own_hook` is
/// the hook of the user's settings.
///
/// Must be called before any thread exists: the supervisor and its spawner are forked, not executed, because
/// further starts of the program would double the time until the first shard runs.
pub fn keep_supervised(
    run: &RunDir,
    hold: Hold,
    mut moves_here: bool,
    own_hook: Option<&Hook>,
) -> Result<bool, SupervisorError> {
    let keeper = identity::identify_self()?;
    title::set_name("sweepdeck-keep");
    strays::adopt_orphans();
    log::log_to_stderr();
    note::write_panics_with_role();
    // Held by the one keeper that tries again: each holder and each verb starts one, and they must not pile up.
    let mut tries_again = None;
    let mut pause = Duration::ZERO;
    loop {
        let begun = Instant::now();
        let child = match fork::fork_process() {
            Ok(Fork::Child) => {
                fork::run_child(|| {
                    // A lock lasts until its last descriptor is closed.
                    drop(tries_again.take());
                    exit_code(&run::supervise_run(run, hold, (&keeper, pause), moves_here, own_hook))
                })
            }
            Ok(Fork::Parent(child)) => child,
            Err(error) if shortage::find_shortage(&error).is_some() => {
                if !may_try_again(run, &mut tries_again) {
                    return Ok(true);
                }
                warn!("no supervisor can be started: {error}; trying again");
                pause = lengthen_pause(pause, LAST_PAUSE);
                std::thread::sleep(pause);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let ended = wait_for_child(child).map_err(SupervisorError::system("wait for the supervisor"))?;
        info!("supervisor {child} has ended: {ended:?}");
        // It did, or the next one finds another supervisor at work.
        moves_here = false;
        match ended {
            SupervisorEnd::Done => return Ok(true),
            SupervisorEnd::Broken => return Ok(false),
            // A run whose folder was removed is over.
            SupervisorEnd::Failed if !run.path().exists() => return Ok(false),
            SupervisorEnd::Killed | SupervisorEnd::Failed if !may_try_again(run, &mut tries_again) => {
                return Ok(true);
            }
            SupervisorEnd::Killed | SupervisorEnd::Failed if begun.elapsed() >= pause + SOON => {
                pause = Duration::ZERO;
            }
            SupervisorEnd::Killed => pause = lengthen_pause(pause, LAST_PAUSE_IF_KILLED),
            SupervisorEnd::Failed => pause = lengthen_pause(pause, LAST_PAUSE),
        }
    }
}

/// Reports whether this keeper is the one that tries again.
fn may_try_again(run: &RunDir, held: &mut Option<Lock>) -> bool {
    if held.is_none() {
        // One that holds it may have found a supervisor at work, and lets go: none is to try again then but this one.
        match lock::acquire_lock(&run.keeper_lock()) {
            Ok(Some(lock)) => *held = Some(lock),
            Ok(None) => return false,
            // A disk without room for the file is outlasted.
            Err(_) => {}
        }
    }
    true
}

fn lengthen_pause(pause: Duration, last: Duration) -> Duration {
    (pause * 2).clamp(FIRST_PAUSE, last)
}

/// The exit code by which the keeper knows how its child ended.
fn exit_code(result: &Result<(), SupervisorError>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(error) if error.is_lasting() => BROKEN,
        Err(_) => 1,
    }
}

const BROKEN: i32 = 2;

/// Waits for the end of the supervisor, and for those of holders that a dead spawner has left to this process.
fn wait_for_child(child: u32) -> io::Result<SupervisorEnd> {
    let supervisor = i32::try_from(child).ok().and_then(Pid::from_raw);
    loop {
        match waitpid(None, WaitOptions::UNTRACED) {
            Ok(Some((pid, status))) if Some(pid) == supervisor => {
                if !status.stopped() {
                    let end = classify_end(status);
                    if end == SupervisorEnd::Killed {
                        // The next one runs its reporter again, and its spawner may live on for a moment. Of one that
                        // ended by itself there may be calls of the hook, which go on.
                        strays::end_strays();
                    }
                    return Ok(end);
                }
                outlast_stop(pid);
            }
            Ok(Some((_, status))) if !status.stopped() => strays::end_strays(),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until a stopped supervisor continues, and ends one that does not: nothing starts or ends without it.
fn outlast_stop(supervisor: Pid) {
    warn!(
        "the supervisor was stopped by a signal; another one takes its place in {} s unless it continues",
        STOPPED_PATIENCE.as_secs()
    );
    let is_stopped = || {
        let number = u32::try_from(supervisor.as_raw_nonzero().get()).ok();
        number.and_then(stat::read_stat).is_some_and(|found| found.state == ProcessState::Stopped)
    };
    let deadline = Instant::now() + STOPPED_PATIENCE;
    while is_stopped() {
        if Instant::now() >= deadline {
            let _ = kill_process(supervisor, Signal::KILL);
            return;
        }
        std::thread::sleep(STOPPED_LOOK);
    }
}

fn classify_end(status: WaitStatus) -> SupervisorEnd {
    match status.exit_status() {
        Some(0) => SupervisorEnd::Done,
        Some(BROKEN) => SupervisorEnd::Broken,
        Some(_) => SupervisorEnd::Failed,
        None => SupervisorEnd::Killed,
    }
}
