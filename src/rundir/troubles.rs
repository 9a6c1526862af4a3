//! What a supervisor cannot write now, as it says itself and as others see it.

use std::fs;

use jiff::Timestamp;

use super::error::RunDirError;
use super::layout::RunDir;
use super::{life, records};
use crate::model::state::write_trouble::{WriteTarget, WriteTrouble, WriteTroubles};

/// Reads what cannot be written now; an error where the file is being written at this moment.
pub fn read_troubles(run: &RunDir) -> Result<Vec<WriteTrouble>, RunDirError> {
    let known: Option<WriteTroubles> = records::read_if_there(&run.write_troubles_json())?;
    let mut troubles = known.map(|known| known.troubles).unwrap_or_default();
    troubles.extend(stopped_supervisor(run));
    Ok(troubles)
}

/// A supervisor that was stopped (SIGSTOP) lives and does nothing.
fn stopped_supervisor(run: &RunDir) -> Option<WriteTrouble> {
    let supervisor = life::living_supervisor(run)?;
    let stat = fs::read_to_string(format!("/proc/{}/stat", supervisor.process.pid)).ok()?;
    let state = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().next()?;
    let error = "it was stopped by a signal".to_owned();
    let since = Timestamp::UNIX_EPOCH;
    (state == "T").then_some(WriteTrouble { target: WriteTarget::Supervisor, since, no_room: false, error })
}
