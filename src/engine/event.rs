//! What an engine tells its supervisor, and how attempts are started through it.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::EngineError;
use crate::model::attempt::Started;
use crate::model::shortage::StartShortage;

/// A place where attempts run.
///
/// An attempt is a folder with an `order.json`; whoever runs it leaves `started.json`, `output.log` and `exit.json`
/// there. Events only say when it is worth looking, so one that is lost loses nothing but time.
pub trait Engine {
    /// Asks for an attempt to be started and returns at once.
    fn start(&mut self, attempt_dir: &Path) -> Result<(), EngineError>;

    /// Readable when there are events.
    fn events_fd(&self) -> BorrowedFd<'_>;

    /// Appends the events that are there and never waits.
    fn read_events(&mut self, events: &mut Vec<EngineEvent>) -> Result<(), EngineError>;
}

/// Something happened to an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum EngineEvent {
    /// Its program runs.
    Started {
        /// The attempt's folder.
        dir: PathBuf,
        /// The same as in `started.json`.
        started: Started,
    },
    /// Its holder is gone: there is an `exit.json`, or the attempt is lost.
    Gone {
        /// The attempt's folder.
        dir: PathBuf,
    },
    /// It could not even be tried.
    Failed {
        /// The attempt's folder.
        dir: PathBuf,
        /// Why.
        message: String,
        /// What the machine lacked for it, where that is the reason.
        lack: Option<StartShortage>,
    },
}
