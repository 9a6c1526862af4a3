//! What the supervisor makes of the end of holders.

use std::fs;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedSender;

use super::last_sign::last_sign_of_life;
use crate::model::attempt::{AttemptEnd, ExitRecord, Leftover, ProcessIdentity, StartRecord};
use crate::model::ids::AttemptKey;
use crate::model::state::run_info::RUN_VERSION;
use crate::model::state::run_state::RunState;
use crate::process::containers::Containers;
use crate::process::{readable, reap, signal};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::{AttemptDir, RunDir};
use crate::rundir::lock::{self, Lock};
use crate::rundir::{clock, life, records};
use crate::supervisor::error::SupervisorError;
use crate::supervisor::event::SupervisorEvent;

/// How often is looked whether a process lives that cannot be waited for.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The pauses between looks at an attempt that fail, for example for lack of descriptors.
const FIRST_REPEAT: Duration = Duration::from_millis(200);
const LAST_REPEAT: Duration = Duration::from_secs(5);

/// Waits for the end of a holder that is no child of this supervisor's spawner.
pub(in crate::supervisor) fn watch_holder(
    event_tx: &UnboundedSender<SupervisorEvent>,
    run: &RunDir,
    key: &AttemptKey,
    holder: &ProcessIdentity,
) {
    let (event_tx, run, key, holder) = (event_tx.clone(), run.clone(), key.clone(), holder.clone());
    tokio::spawn(async move {
        wait_for_end(&holder).await;
        look_at_attempt(&event_tx, &run, key);
    });
}

/// Waits for the end of a process of which this one is not the parent.
pub(in crate::supervisor) async fn wait_for_end(process: &ProcessIdentity) {
    while life::is_alive(process) {
        match signal::watch_process(process).ok().and_then(|pidfd| readable::register_descriptor(pidfd).ok())
        {
            Some(pidfd) => drop(pidfd.readable().await),
            // It ended at this moment, or the kernel is older than pidfds.
            None => tokio::time::sleep(LOOK_AGAIN).await,
        }
    }
}

/// Looks at every attempt that is active in the journal: what a new supervisor does first. Each has a thread
/// of its own, so that a slow one holds up no other.
pub(in crate::supervisor) fn look_at_all(
    event_tx: &UnboundedSender<SupervisorEvent>,
    run: &RunDir,
    state: &RunState,
) {
    for shard in state.living() {
        if let Some(attempt) = shard.phase.attempt() {
            look_at_attempt(event_tx, run, AttemptKey { shard: shard.id.clone(), attempt });
        }
    }
}

/// Finds out the state of an attempt; answered by [`SupervisorEvent::Alive`] or [`SupervisorEvent::Exited`]. A look
/// that fails is reported once and repeated: nothing else would ever look at this attempt again.
pub(in crate::supervisor) fn look_at_attempt(
    event_tx: &UnboundedSender<SupervisorEvent>,
    run: &RunDir,
    key: AttemptKey,
) {
    let (event_tx, run) = (event_tx.clone(), run.clone());
    tokio::spawn(async move {
        let mut pause = FIRST_REPEAT;
        loop {
            let (their_run, their_key) = (run.clone(), key.clone());
            let looked = tokio::task::spawn_blocking(move || attempt_status(&their_run, &their_key)).await;
            let problem = match looked {
                Ok(Ok(AttemptLiveness::Alive(started))) => {
                    break drop(event_tx.send(SupervisorEvent::Alive { key, started }));
                }
                Ok(Ok(AttemptLiveness::Exited(exit))) => {
                    break drop(event_tx.send(SupervisorEvent::Exited { key, exit }));
                }
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            };
            if pause == FIRST_REPEAT {
                let text = format!("how it is cannot be seen, and is looked for again: {problem}");
                let _ = event_tx.send(SupervisorEvent::Trouble { about: Some(key.clone()), text });
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST_REPEAT);
        }
    });
}

/// The state of an attempt, according to the files in its folder.
enum AttemptLiveness {
    Alive(Box<StartRecord>),
    Exited(Box<ExitRecord>),
}

fn attempt_status(run: &RunDir, key: &AttemptKey) -> Result<AttemptLiveness, SupervisorError> {
    let dir = run.attempt_dir(key);
    dir.folder().create_dir_all().map_err(SupervisorError::system("create an attempt's folder"))?;
    loop {
        match records::read_versioned_if_there(&dir.exit_json(), RUN_VERSION) {
            Ok(Some(exit)) => return Ok(AttemptLiveness::Exited(Box::new(exit))),
            Ok(None) => {}
            // A power cut leaves empty files; the record is never replaced, so the attempt is lost.
            Err(RunDirError::Malformed { .. }) => {
                return Ok(AttemptLiveness::Exited(Box::new(lost_record(
                    "its exit record is damaged",
                    None,
                    Vec::new(),
                ))));
            }
            Err(error) => return Err(error.into()),
        }
        let started: Option<StartRecord> =
            match records::read_versioned_if_there(&dir.started_json(), RUN_VERSION) {
                Err(RunDirError::Malformed { .. }) => None,
                read => read?,
            };
        if let Some(started) = &started
            && life::is_alive(&started.holder)
        {
            return Ok(AttemptLiveness::Alive(Box::new(started.clone())));
        }
        // The process that holds the lock is about to write one of the two records.
        if let Some(fence) = lock::acquire_lock(&dir.holder_lock())? {
            fence_attempt(run, key, &dir, started.as_ref(), &fence)?;
        }
    }
}

/// The fence of the design: with the holder's lock held, everything left of the attempt is killed and `lost` is
/// written; only then the lock is let go, so that no late holder can start the attempt a second time.
fn fence_attempt(
    run: &RunDir,
    key: &AttemptKey,
    dir: &AttemptDir,
    started: Option<&StartRecord>,
    _fence: &Lock,
) -> Result<(), SupervisorError> {
    if dir.exit_json().exists() {
        return Ok(());
    }
    let message = match started {
        Some(_) => "its holder died, so that its exit status is not known",
        None => "it was announced but never started",
    };
    let leftovers = reap::end_attempt(
        run.path(),
        key,
        started.map(|started| started.child.pid),
        &Containers::in_folder(dir.containers_folder().full_path()),
    );
    let ended = last_sign_of_life(run, key, dir, started, &leftovers);
    let record =
        ExitRecord { ended, ..lost_record(message, started.map(|started| started.started), leftovers) };
    records::write_once(&dir.exit_json(), &record)?;
    if let Some(started) = started {
        // Its owner was killed and cannot tidy up.
        let _ = fs::remove_file(&started.socket);
    }
    Ok(())
}

/// Builds the record of an attempt whose exit status is unknown.
fn lost_record(message: &str, started: Option<Timestamp>, leftovers: Vec<Leftover>) -> ExitRecord {
    let end = AttemptEnd::Lost { message: message.to_owned() };
    ExitRecord { started, leftovers, ..ended_now(end) }
}

/// The record of an attempt that nothing was run for.
pub(in crate::supervisor) fn ended_now(end: AttemptEnd) -> ExitRecord {
    ExitRecord {
        version: RUN_VERSION,
        end,
        started: None,
        ended: clock::now(),
        usage: None,
        leftovers: Vec::new(),
        lost_log_bytes: 0,
    }
}
