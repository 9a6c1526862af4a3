//! The log of an attempt: raw bytes, appended.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::rundir::beneath::PathBeneath;

/// The open log of an attempt.
#[derive(Debug)]
pub struct OutputLog {
    file: File,
    path: PathBeneath,
    lost: u64,
}

/// How far the log has taken bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// They are written, or lost for good and counted.
    All,
    /// The rest may be taken later: a full disk, a file server that is gone.
    Part {
        /// Bytes that are written.
        written: usize,
    },
}

impl OutputLog {
    /// Opens the log for appending.
    pub fn open(path: &PathBeneath) -> io::Result<Self> {
        Ok(Self { file: path.open_append()?, path: path.clone(), lost: 0 })
    }

    /// Appends bytes, as many as the disk takes.
    pub fn append(&mut self, bytes: &[u8]) -> Appended {
        let mut written = 0;
        while written < bytes.len() {
            match self.file.write(&bytes[written..]) {
                Ok(more) if more > 0 => written += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A limit on the size of files stays.
                Err(error) if error.raw_os_error() == Some(libc::EFBIG) => {
                    self.lost += (bytes.len() - written) as u64;
                    return Appended::All;
                }
                Ok(_) | Err(_) => return Appended::Part { written },
            }
        }
        Appended::All
    }

    /// Bytes that were lost for good.
    pub fn lost_bytes(&self) -> u64 {
        self.lost
    }

    /// About the last `length` bytes, from the start of a line if there is one.
    pub fn read_tail(&self, length: u64) -> Vec<u8> {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = self.path.open()?;
            let start = file.metadata()?.len().saturating_sub(length);
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::new();
            file.take(length).read_to_end(&mut bytes)?;
            let line = memchr::memchr(b'\n', &bytes).filter(|_| start > 0);
            Ok(bytes.split_off(line.map_or(0, |end| end + 1)))
        };
        // An empty screen is all that is lost.
        read().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_begins_with_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = OutputLog::open(&PathBeneath::of_file(folder.path().join("output.log"))).unwrap();
        assert_eq!(log.read_tail(10), b"");
        assert_eq!(log.append(b"one\ntwo\nthree"), Appended::All);
        assert_eq!(log.read_tail(100), b"one\ntwo\nthree");
        assert_eq!(log.read_tail(10), b"two\nthree");
        assert_eq!(log.read_tail(9), b"three");
        assert_eq!(log.read_tail(3), b"ree");
        assert_eq!(log.lost_bytes(), 0);
    }

    #[test]
    fn a_device_without_room_takes_nothing_and_loses_nothing() {
        let path = PathBeneath::of_file("/dev/full");
        assert!(OutputLog::open(&path).is_err(), "a device is no log");
        let file = File::options().append(true).open(path.full_path()).unwrap();
        let mut log = OutputLog { file, path, lost: 0 };
        assert_eq!(log.append(b"12345"), Appended::Part { written: 0 });
        assert_eq!(log.lost_bytes(), 0);
    }
}
