//! Work that another program started, of which only the log and the processes are watched.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::process_identity::ProcessIdentity;

/// A log that something else writes, and the processes that write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignWork {
    /// Absolute path of the log.
    pub log: PathBuf,
    /// Its processes; each counts with all that it has started. Empty where the work had ended before it was found.
    pub processes: Vec<ProcessIdentity>,
    /// When the first of them was started; unknown without a process.
    pub began: Option<Timestamp>,
}
