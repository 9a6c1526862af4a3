//! What can go wrong between a supervisor and the place where its attempts run.

use std::io;
use std::path::PathBuf;

use crate::process::error::ProcessError;

/// An error of an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The engine could not be set up.
    #[error("cannot prepare the start of attempts: {source}")]
    Setup {
        /// Reason why the setup failed.
        #[from]
        source: ProcessError,
    },
    /// The pipes to the spawner could not be made or used.
    #[error("cannot talk to the process that starts attempts: {source}")]
    Pipe {
        /// Reason why the pipes failed.
        #[from]
        source: io::Error,
    },
    /// The spawner has died. Running attempts go on; a new supervisor finds them and has a new spawner.
    #[error("the process that starts attempts has died; a new supervisor must take over")]
    SpawnerGone,
    /// A path that cannot be sent.
    #[error("the path {path:?} is not plain text on one line; choose another --out")]
    Path {
        /// Folder of the attempt.
        path: PathBuf,
    },
}

impl EngineError {
    /// Another attempt would be started all the same.
    pub fn is_about_attempt(&self) -> bool {
        match self {
            Self::Path { .. } => true,
            Self::Setup { .. } | Self::Pipe { .. } | Self::SpawnerGone => false,
        }
    }
}
