//! What can go wrong while watching files.

use std::path::PathBuf;

/// An error about watched files.
#[derive(Debug, thiserror::Error)]
pub enum TailError {
    /// The folder of the path cannot be watched.
    #[error("cannot watch {}: {source}", path.display())]
    Watch {
        /// Path that was to be watched.
        path: PathBuf,
        /// Reason why it cannot be.
        source: std::io::Error,
    },
}
