//! Files that are not opened although the system would: links, pipes, devices and what has no end.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::model::units::Bytes;

/// A named pipe or a terminal in place of a file blocks no process and becomes no process's terminal.
pub(super) const NEVER_BLOCKS: OFlags =
    OFlags::from_bits_retain(OFlags::NONBLOCK.bits() | OFlags::NOCTTY.bits() | OFlags::CLOEXEC.bits());

/// Why something in a run is not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenRefusal {
    /// The file, or a folder on the way to it, is a link.
    #[error(
        "it or a folder on the way to it is a symbolic link, and links inside a run are not followed; put the file itself \
         in its place"
    )]
    Link,
    /// The path does not lie beneath the directory.
    #[error("it is outside of the directory it belongs to")]
    Outside,
    /// The path is no regular file.
    #[error("it is {0} and not a file; move it away")]
    NotAFile(&'static str),
    /// The file is longer than one of its kind ever is.
    #[error("it is longer than {0}, which no such file is; move it away")]
    TooLong(Bytes),
    /// A line does not end.
    #[error("it has a line of more than {0}, which no such file has; move it away")]
    LongLine(Bytes),
}

impl From<OpenRefusal> for io::Error {
    fn from(refusal: OpenRefusal) -> Self {
        Self::other(refusal)
    }
}

impl OpenRefusal {
    /// The refusal that is behind an error.
    pub fn from_error(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref::<Self>().cloned()
    }
}

/// The opened file where it is a regular one.
pub(super) fn require_regular(opened: OwnedFd) -> io::Result<File> {
    let file = File::from(opened);
    let kind = file.metadata()?.file_type();
    let name = if kind.is_file() {
        return Ok(file);
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else {
        "a device"
    };
    Err(OpenRefusal::NotAFile(name).into())
}

/// Opens a file that a program of the user wrote, such as one in an attempt's `out/`: links are followed, because a
/// program may keep its data elsewhere, and what is no regular file is refused.
pub fn open_foreign(path: &Path) -> io::Result<File> {
    require_regular(rustix::fs::open(path, OFlags::RDONLY | NEVER_BLOCKS, Mode::empty())?)
}

/// Reads a file whole, unless it is longer than `limit` bytes.
pub fn read_bounded(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A sparse file can claim any length and costs its maker nothing, so its length is asked before memory is
    // taken.
    if file.metadata()?.len() <= limit {
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= limit {
            return Ok(bytes);
        }
    }
    Err(OpenRefusal::TooLong(Bytes(limit)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_long_is_not_read_into_memory() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(10).unwrap();
        assert_eq!(read_bounded(file.try_clone().unwrap(), 10).unwrap(), [0; 10]);
        file.set_len(11).unwrap();
        let refused = read_bounded(file, 10).unwrap_err();
        assert_eq!(OpenRefusal::from_error(&refused), Some(OpenRefusal::TooLong(Bytes(10))));
    }
}
