//! Errors between a client and a server, worded with what to do.

use std::io;
use std::path::{Path, PathBuf};

/// An error about a socket.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// No process listens at the socket.
    #[error("nobody answers at {}: the process behind it has ended", path.display())]
    Absent {
        /// Path of the socket.
        path: PathBuf,
    },
    /// The socket, its folder or the peer check refuses this user.
    #[error("{} belongs to another user; attach read-only instead", path.display())]
    NotPermitted {
        /// Path of the socket.
        path: PathBuf,
    },
    /// The process behind it is stopped, stuck or swamped.
    #[error(
        "no answer from {} within {seconds:.1} s: the process behind it is stopped, or waits for its disk; `sweepdeck \
         status` says more, and what was asked is not done later unless it has begun",
        path.display()
    )]
    TimedOut {
        /// Path of the socket.
        path: PathBuf,
        /// How long was waited.
        seconds: f64,
    },
    /// The connection ended before the answer.
    #[error("the connection to {} was closed before the answer came", path.display())]
    Closed {
        /// Path of the socket.
        path: PathBuf,
    },
    /// The bytes that came are not our protocol.
    #[error("{} does not speak the protocol of this sweepdeck: {problem}", path.display())]
    Protocol {
        /// Path of the socket.
        path: PathBuf,
        /// Description of what was wrong.
        problem: String,
    },
    /// The folder for sockets cannot be used.
    #[error("{} cannot hold sockets: {problem}", path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Reason why it cannot.
        problem: String,
    },
    /// Anything else the kernel refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// Operation that was tried, as a verb.
        doing: &'static str,
        /// The socket or folder.
        path: PathBuf,
        /// Reason that the kernel gave.
        source: io::Error,
    },
}

impl SocketError {
    /// For `map_err`: what was tried at which path; refusals with a meaning of their own get it.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Self::Absent { path },
            io::ErrorKind::PermissionDenied => Self::NotPermitted { path },
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => {
                Self::Closed { path }
            }
            _ => Self::Io { doing, path, source },
        }
    }
}
