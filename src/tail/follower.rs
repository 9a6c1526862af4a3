//! Reads one growing file from where the last read stopped.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::SystemTime;

use super::filesystem::shared_filesystem;
use crate::rundir::beneath::PathBeneath;

/// Reads one growing file from where the last read stopped.
#[derive(Debug)]
pub struct Follower {
    path: PathBeneath,
    file: File,
    identity: Identity,
    offset: u64,
    restarts: u64,
    /// A file that is held open shows an old size there for up to a minute; opening it asks the server.
    reopen: bool,
}

/// Identity of the file that a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Follower {
    /// Begins at the start of the file.
    pub fn open(path: &PathBeneath) -> io::Result<Self> {
        Self::open_at(path, 0)
    }

    /// Begins at an offset, where an earlier reader stopped.
    pub fn open_at(path: &PathBeneath, offset: u64) -> io::Result<Self> {
        let (file, identity) = open_file(path)?;
        let reopen = shared_filesystem(&file).is_some();
        Ok(Self { path: path.clone(), file, identity, offset, restarts: 0, reopen })
    }

    /// Reads on and gives how many bytes there were; 0 when there is nothing new. A file that was cut or replaced is
    /// read from its start, and [`Self::restarts`] grows.
    pub fn read_more(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.read_once(buffer)?;
        if read > 0 || buffer.is_empty() || !self.begins_anew()? {
            return Ok(read);
        }
        self.read_once(buffer)
    }

    /// Returns where the next read begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// When it was last written to.
    pub fn modified(&self) -> io::Result<SystemTime> {
        self.file.metadata()?.modified()
    }

    /// How often the file was found cut or replaced.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// The file that is followed.
    pub fn path(&self) -> &PathBeneath {
        &self.path
    }

    fn read_once(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read_at(buffer, self.offset) {
                Ok(read) => {
                    self.offset += read as u64;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Looks, at the end of the file, whether the path leads to another one or the file has shrunk. True when a
    /// second read may find more.
    fn begins_anew(&mut self) -> io::Result<bool> {
        let metadata = match self.path.metadata() {
            Ok(metadata) => metadata,
            // Between removal and creation the old file is all there is.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        let found = Identity { device: metadata.dev(), inode: metadata.ino() };
        if found != self.identity {
            (self.file, self.identity) = open_file(&self.path)?;
            self.restart();
            return Ok(true);
        }
        if metadata.len() < self.offset {
            self.restart();
            return Ok(true);
        }
        if self.reopen {
            (self.file, self.identity) = open_file(&self.path)?;
        }
        Ok(self.reopen)
    }

    fn restart(&mut self) {
        self.offset = 0;
        self.restarts += 1;
    }
}

fn open_file(path: &PathBeneath) -> io::Result<(File, Identity)> {
    let file = path.open()?;
    let metadata = file.metadata()?;
    Ok((file, Identity { device: metadata.dev(), inode: metadata.ino() }))
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use super::*;

    fn read_all(follower: &mut Follower) -> String {
        let mut buffer = [0; 4];
        let mut text = Vec::new();
        loop {
            match follower.read_more(&mut buffer).unwrap() {
                0 => return String::from_utf8(text).unwrap(),
                read => text.extend_from_slice(&buffer[..read]),
            }
        }
    }

    #[test]
    fn it_reads_on_where_it_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("log"));
        std::fs::write(path.full_path(), "one two").unwrap();
        let mut follower = Follower::open(&path).unwrap();
        assert_eq!(read_all(&mut follower), "one two");
        OpenOptions::new().append(true).open(path.full_path()).unwrap().write_all(b" three").unwrap();
        assert_eq!(read_all(&mut follower), " three");
        assert_eq!((follower.offset(), follower.restarts()), (13, 0));
        assert_eq!(read_all(&mut Follower::open_at(&path, 8).unwrap()), "three");
    }

    #[test]
    fn a_cut_file_is_read_from_its_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("log"));
        std::fs::write(path.full_path(), "a long first text").unwrap();
        let mut follower = Follower::open(&path).unwrap();
        read_all(&mut follower);
        std::fs::write(path.full_path(), "new").unwrap();
        assert_eq!(read_all(&mut follower), "new");
        assert_eq!(follower.restarts(), 1);
    }

    #[test]
    fn a_replaced_file_is_read_to_its_end_and_then_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("marks"));
        std::fs::write(path.full_path(), "old").unwrap();
        let mut follower = Follower::open(&path).unwrap();
        std::fs::write(folder.path().join("new"), "new and longer").unwrap();
        std::fs::rename(folder.path().join("new"), path.full_path()).unwrap();
        assert_eq!(read_all(&mut follower), "oldnew and longer");
        assert_eq!(follower.restarts(), 1);
        std::fs::remove_file(path.full_path()).unwrap();
        assert_eq!(read_all(&mut follower), "");
    }
}
