//! What a supervisor cannot write now, as it says itself and as others see it.

use std::fs;
use std::os::unix::fs::MetadataExt;

use jiff::Timestamp;
use rustix::io::Errno;

use super::error::RunDirError;
use super::layout::RunDir;
use super::{life, records};
use crate::model::state::run_info::SupervisorInfo;
use crate::model::state::write_trouble::{WriteTarget, WriteTrouble, WriteTroubles};

/// Reads what cannot be written now; an error where the file is being written at this moment.
pub fn read_troubles(run: &RunDir) -> Result<Vec<WriteTrouble>, RunDirError> {
    let known: Option<WriteTroubles> = records::read_if_there(&run.write_troubles_json())?;
    let mut troubles = known.map(|known| known.troubles).unwrap_or_default();
    if let Some(supervisor) = life::living_supervisor(run) {
        troubles.extend(stopped_supervisor(&supervisor));
        if troubles.iter().all(|trouble| trouble.target != WriteTarget::Journal) {
            troubles.extend(unwritable_journal(run));
        }
    }
    Ok(troubles)
}

/// A supervisor that was stopped (SIGSTOP) lives and does nothing.
fn stopped_supervisor(supervisor: &SupervisorInfo) -> Option<WriteTrouble> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", supervisor.process.pid)).ok()?;
    let state = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().next()?;
    (state == "T")
        .then(|| seen_from_outside(WriteTarget::Supervisor, "it was stopped by a signal".to_owned()))
}

/// Where all of a run is immutable (`chattr -R +i`) or its file system became read-only, a supervisor cannot even
/// say so. Another user may look through a read-only mount, which says nothing about the owner's.
fn unwritable_journal(run: &RunDir) -> Option<WriteTrouble> {
    let is_mine = run.run_json().metadata().ok()?.uid() == rustix::process::geteuid().as_raw();
    let journal = run.journal_path();
    match journal.check_writable() {
        Err(error @ (Errno::PERM | Errno::ROFS)) if is_mine => {
            let error = format!("{}: {}", journal.display(), std::io::Error::from(error));
            Some(seen_from_outside(WriteTarget::Journal, error))
        }
        Ok(()) | Err(_) => None,
    }
}

fn seen_from_outside(target: WriteTarget, error: String) -> WriteTrouble {
    WriteTrouble { target, since: Timestamp::UNIX_EPOCH, no_room: false, error }
}
