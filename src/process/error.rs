//! What can go wrong with processes.

use std::ffi::NulError;
use std::io;

/// An error about processes.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The kernel refused an operation.
    #[error("cannot {doing}: {source}")]
    Refused {
        /// Operation that was tried, as a verb: `fork`, `watch process 12`.
        doing: String,
        /// Reason that the kernel gives.
        source: io::Error,
    },
    /// Forking copies only the calling thread, so locks held by the others would stay locked for ever.
    #[error("cannot fork: this process has {threads} threads, and only the one that forks would live on")]
    Threads {
        /// How many there are.
        threads: u32,
    },
    /// The process is not there, or is not the one that was meant.
    #[error("process {pid} is gone")]
    Gone {
        /// Number of the missing process.
        pid: u32,
    },
    /// The kernel takes no zero bytes in names.
    #[error("{what} contains a zero byte")]
    ZeroByte {
        /// The argument, variable or path.
        what: String,
        /// Error that names the byte's position.
        source: NulError,
    },
}

impl ProcessError {
    /// For `map_err`: what was tried.
    pub(crate) fn refused<E: Into<io::Error>>(doing: impl Into<String>) -> impl FnOnce(E) -> Self {
        let doing = doing.into();
        move |source| Self::Refused { doing, source: source.into() }
    }
}
