//! The life of a holder: take the attempt, run it, leave the record of its end.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use tracing::{error, info};

use super::error::SessionError;
use super::holder_loop::Conversation;
use super::{isolation, start};
use crate::model::attempt::{AttemptEnd, ExitRecord, HolderOrder, StartRecord};
use crate::model::state::run_info::RUN_VERSION;
use crate::rundir::layout::AttemptDir;
use crate::rundir::{clock, lock, records, trust};

/// A full disk gets room some time; until then the end of the attempt is known to its holder alone.
const RETRY_RECORD: Duration = Duration::from_secs(1);

/// How long the rest of a log may be refused.
const LOG_PATIENCE: Duration = Duration::from_secs(10);

/// [`hold_attempt`] as the work of a process: gives its exit code, and logs what went wrong.
pub fn serve_attempt(dir: &Path, announce: &mut dyn FnMut(&StartRecord)) -> i32 {
    match hold_attempt(dir, announce) {
        Ok(()) => 0,
        Err(error) => {
            error!("{}: {error}", dir.display());
            1
        }
    }
}

/// Runs the attempt in this folder to its end and leaves its `exit.json`. `announce` is called when its program runs.
///
/// The process becomes the holder: it must have one thread, leaves its session and ends only by itself or by
/// SIGKILL.
pub fn hold_attempt(dir: &Path, announce: &mut dyn FnMut(&StartRecord)) -> Result<(), SessionError> {
    let attempt = AttemptDir::at(dir);
    let Some(_lock) = lock::acquire_lock(&attempt.holder_lock())? else {
        return Err(SessionError::Held { path: dir.to_owned() });
    };
    if attempt.exit_json().exists() {
        return Err(SessionError::Ended { path: dir.to_owned() });
    }
    match begin_attempt(&attempt) {
        Ok((mut conversation, started)) => {
            info!("{} runs as {}", dir.display(), started.child.pid);
            announce(&started);
            conversation.run();
            end_attempt(&attempt, &mut conversation, &started)?;
            conversation.attach.send_end();
            conversation.watch.ensure_successor(conversation.output.relief());
        }
        Err(error) => leave_record(&attempt, &not_started(&error))?,
    }
    Ok(())
}

fn begin_attempt(attempt: &AttemptDir) -> Result<(Conversation, StartRecord), SessionError> {
    trust::verify_file(&attempt.order_json())?;
    let order: HolderOrder = records::read_versioned(&attempt.order_json(), RUN_VERSION)?;
    order.clock.iter().for_each(clock::serve_clock);
    start::start_program(attempt, &order, isolation::isolate_process()?)
}

fn build_record(conversation: &Conversation, started: &StartRecord) -> ExitRecord {
    let (end, usage) = match conversation.processes.main_end() {
        Some((status, usage)) => (AttemptEnd::Exited { status }, Some(usage)),
        None => {
            let pid = started.child.pid;
            let message =
                format!("the main process {pid} hangs in the kernel (state D) and cannot be killed");
            (AttemptEnd::Lost { message }, None)
        }
    };
    ExitRecord {
        version: RUN_VERSION,
        end,
        started: Some(started.started),
        ended: clock::now(),
        usage,
        leftovers: conversation.processes.leftovers(),
        lost_log_bytes: conversation.output.missing_bytes(),
    }
}

fn not_started(error: &SessionError) -> ExitRecord {
    ExitRecord {
        version: RUN_VERSION,
        end: match error.start_shortage() {
            Some(lack) => AttemptEnd::PutBack { lack },
            None => AttemptEnd::LaunchError { message: error.to_string() },
        },
        started: None,
        ended: clock::now(),
        usage: None,
        leftovers: Vec::new(),
        lost_log_bytes: 0,
    }
}

/// Writes the rest of the log and then the record, which promises that no more of the log comes. A disk that has room for
/// the record and none for the log is not waited for without end.
fn end_attempt(
    attempt: &AttemptDir,
    conversation: &mut Conversation,
    started: &StartRecord,
) -> Result<(), SessionError> {
    let mut record = build_record(conversation, started);
    info!("{} is over: {:?}", attempt.folder().display(), record.end);
    let give_up_log = Instant::now() + LOG_PATIENCE;
    loop {
        let is_whole = conversation.output.settle(&mut conversation.attach);
        record.lost_log_bytes = conversation.output.missing_bytes();
        if (is_whole || Instant::now() >= give_up_log) && try_record(attempt, &record)? {
            return Ok(());
        }
        thread::sleep(RETRY_RECORD);
    }
}

/// Writes the record, however long it takes: as long as the lock is held no process takes the attempt for lost.
fn leave_record(attempt: &AttemptDir, record: &ExitRecord) -> Result<(), SessionError> {
    while !try_record(attempt, record)? {
        thread::sleep(RETRY_RECORD);
    }
    Ok(())
}

/// Writes the record unless the disk refuses it. Only a folder that is gone leaves nothing to write to.
fn try_record(attempt: &AttemptDir, record: &ExitRecord) -> Result<bool, SessionError> {
    match records::write_once(&attempt.exit_json(), record) {
        Ok(_) => Ok(true),
        Err(error) if error.is_lasting() || !attempt.folder().exists() => Err(error.into()),
        Err(_) => Ok(false),
    }
}
