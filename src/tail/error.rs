//! What can go wrong while watching files.

use std::path::PathBuf;

/// What can go wrong while watching files.
#[derive(Debug, thiserror::Error)]
pub enum TailError {
    /// The folder of the path cannot be watched.
    #[error("cannot watch `{path}`: {error}")]
    Watch {
        /// What was to be watched.
        path: PathBuf,
        /// What the kernel said.
        error: std::io::Error,
    },
}
