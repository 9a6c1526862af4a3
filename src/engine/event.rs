//! What an engine reports to its supervisor, and how attempts are started through it.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::EngineError;
use crate::model::attempt::StartRecord;
use crate::model::shortage::StartShortage;

/// A place where attempts run.
///
/// An attempt is a folder with an `order.json`; the process that runs it leaves `started.json`, `output.log` and
/// `exit.json` there. Events only show when it is worth looking, so one that is lost loses nothing but time.
pub trait Engine {
    /// Asks for an attempt to be started and returns at once.
    fn start_attempt(&mut self, attempt_dir: &Path) -> Result<(), EngineError>;

    /// Readable when there are events.
    fn events_fd(&self) -> BorrowedFd<'_>;

    /// Appends the events that are there and never waits.
    fn read_events(&mut self, events: &mut Vec<EngineEvent>) -> Result<(), EngineError>;
}

/// Something happened to an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum EngineEvent {
    /// The attempt's program runs.
    Started {
        /// Folder of the attempt.
        dir: PathBuf,
        /// The same as in `started.json`.
        started: StartRecord,
    },
    /// Its holder is gone: there is an `exit.json`, or the attempt is lost.
    Gone {
        /// Folder of the attempt.
        dir: PathBuf,
    },
    /// The attempt could not even be tried.
    Failed {
        /// Folder of the attempt.
        dir: PathBuf,
        /// Reason why it could not.
        message: String,
        /// Resource that the machine lacked for it, where that is the reason.
        lack: Option<StartShortage>,
    },
}
