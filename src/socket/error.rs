//! What can go wrong between a client and a server, in words that tell what to do.

use std::io;
use std::path::{Path, PathBuf};

/// An error about a socket.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// Nobody listens there.
    #[error("nobody answers at {}: the process behind it has ended", path.display())]
    Absent {
        /// The socket.
        path: PathBuf,
    },
    /// The socket, its folder or the peer check refuses this user.
    #[error("{} belongs to another user; attach read-only instead", path.display())]
    NotPermitted {
        /// The socket.
        path: PathBuf,
    },
    /// The process behind it is stopped, stuck or swamped.
    #[error("no answer from {} within {seconds:.1} s", path.display())]
    TimedOut {
        /// The socket.
        path: PathBuf,
        /// How long was waited.
        seconds: f64,
    },
    /// The connection ended before the answer.
    #[error("the connection to {} was closed before the answer came", path.display())]
    Closed {
        /// The socket.
        path: PathBuf,
    },
    /// What came is not our protocol.
    #[error("{} does not speak the protocol of this sweepdeck: {problem}", path.display())]
    Protocol {
        /// The socket.
        path: PathBuf,
        /// What was wrong.
        problem: String,
    },
    /// The folder for sockets cannot be used.
    #[error("{} cannot hold sockets: {problem}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// Anything else the kernel refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        doing: &'static str,
        /// The socket or folder.
        path: PathBuf,
        /// Why not.
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
