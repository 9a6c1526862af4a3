//! What can keep a holder from its work.

use std::io;
use std::path::PathBuf;

use crate::model::shortage::StartShortage;
use crate::process::error::ProcessError;
use crate::process::lack;
use crate::rundir::error::RunDirError;

/// An error of a holder.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Another holder or an adopter has the attempt.
    #[error("{} is held by another process", path.display())]
    Held {
        /// The attempt's folder.
        path: PathBuf,
    },
    /// The attempt is over and is never run twice.
    #[error("{} has ended already: its exit.json is there", path.display())]
    Ended {
        /// The attempt's folder.
        path: PathBuf,
    },
    /// The files of the attempt.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// Processes and signals.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The pseudo-terminal.
    #[error("cannot open a pseudo-terminal: {problem}")]
    Terminal {
        /// Why not.
        problem: String,
        /// What the machine lacked for it, where that is the reason.
        lack: Option<StartShortage>,
    },
    /// The log.
    #[error("cannot open {}: {source}", path.display())]
    Log {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The program.
    #[error("{message}")]
    Launch {
        /// What failed and what to mend.
        message: String,
        /// What the machine lacked for it, where that is the reason.
        lack: Option<StartShortage>,
    },
}

impl SessionError {
    /// What the machine lacked, where that is the reason: another start may work later.
    pub fn lack(&self) -> Option<StartShortage> {
        match self {
            Self::Terminal { lack, .. } | Self::Launch { lack, .. } => *lack,
            Self::RunDir(_) | Self::Process(_) | Self::Log { .. } => lack::of(self),
            Self::Held { .. } | Self::Ended { .. } => None,
        }
    }
}
