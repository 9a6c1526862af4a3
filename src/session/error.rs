//! What can keep a holder from its work.

use std::io;
use std::path::PathBuf;

use crate::model::shortage::StartShortage;
use crate::process::error::ProcessError;
use crate::process::shortage;
use crate::rundir::error::RunDirError;

/// An error of a holder.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Another holder or an adopter has the attempt.
    #[error("{} is held by another process", path.display())]
    Held {
        /// Path of the attempt's folder.
        path: PathBuf,
    },
    /// The attempt is over and is never run twice.
    #[error("{} has ended already: its exit.json is there", path.display())]
    Ended {
        /// Path of the attempt's folder.
        path: PathBuf,
    },
    /// The files of the attempt.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// An operation on processes or signals failed.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The pseudo-terminal cannot be opened.
    #[error("cannot open a pseudo-terminal: {problem}")]
    Terminal {
        /// Reason that the system gives.
        problem: String,
        /// Resource that the machine lacked for it, where that is the reason.
        lack: Option<StartShortage>,
    },
    /// The log cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Log {
        /// Path of the log file.
        path: PathBuf,
        /// Reason that the system gives.
        source: io::Error,
    },
    /// The program cannot be started.
    #[error("{message}")]
    Launch {
        /// Failure in words, and what to mend.
        message: String,
        /// Resource that the machine lacked for it, where that is the reason.
        lack: Option<StartShortage>,
    },
}

impl SessionError {
    /// Returns the resource that the machine lacked, where that is the reason: another start may work later.
    pub fn start_shortage(&self) -> Option<StartShortage> {
        match self {
            Self::Terminal { lack, .. } | Self::Launch { lack, .. } => *lack,
            Self::RunDir(_) | Self::Process(_) | Self::Log { .. } => shortage::find_shortage(self),
            Self::Held { .. } | Self::Ended { .. } => None,
        }
    }
}
