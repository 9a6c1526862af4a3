//! Output that the log has not taken yet: in memory, then in a file of this machine without a name, up to a limit.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// A disk that is slow for a moment is waited for in memory.
const MEMORY: usize = 1024 * 1024;

/// Most that the file takes; further output is dropped and counted.
const FILE: u64 = 64 * 1024 * 1024;

/// What is left to others of the file system with the file: this part of it, and no more than so many bytes.
const KEPT_PART: u64 = 10;
const KEPT_MOST: u64 = 1024 * 1024 * 1024;

/// Output in its order.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    /// The oldest bytes, of which those before `taken` were taken.
    memory: Vec<u8>,
    taken: usize,
    file: Option<SpoolFile>,
    dropped: u64,
}

#[derive(Debug)]
struct SpoolFile {
    file: File,
    taken: u64,
    written: u64,
}

impl Spool {
    /// An empty spool, whose file would lie in this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, memory: Vec::new(), taken: 0, file: None, dropped: 0 }
    }

    /// Nothing waits, and nothing that was dropped is still to be reported.
    pub fn is_empty(&self) -> bool {
        self.length() == 0 && self.dropped == 0
    }

    /// Bytes that wait.
    pub fn length(&self) -> u64 {
        let in_file = self.file.as_ref().map_or(0, |file| file.written - file.taken);
        (self.memory.len() - self.taken) as u64 + in_file
    }

    /// Takes bytes in. After the first that found no room all are dropped until the spool is empty: one gap is easier to
    /// understand than many.
    pub fn append(&mut self, bytes: &[u8]) {
        if self.dropped == 0 && (self.fits_in_memory(bytes) || self.append_to_file(bytes)) {
            return;
        }
        self.dropped += bytes.len() as u64;
    }

    fn fits_in_memory(&mut self, bytes: &[u8]) -> bool {
        let fits = self.file.is_none() && self.memory.len() + bytes.len() <= MEMORY;
        if fits {
            self.memory.extend_from_slice(bytes);
        }
        fits
    }

    fn append_to_file(&mut self, bytes: &[u8]) -> bool {
        if self.file.is_none() {
            let Ok(file) = tempfile::tempfile_in(&self.folder) else { return false };
            self.file = Some(SpoolFile { file, taken: 0, written: 0 });
        }
        let Some(spooled) = &mut self.file else { return false };
        let length = bytes.len() as u64;
        let is_taken = spooled.written + length <= FILE
            && leaves_room(&spooled.file, length)
            && spooled.file.write_all_at(bytes, spooled.written).is_ok();
        if is_taken {
            spooled.written += length;
        }
        is_taken
    }

    /// Moves the oldest bytes to the end of a buffer, up to `most`.
    pub fn take(&mut self, buffer: &mut Vec<u8>, most: usize) {
        let length = most.min(self.memory.len() - self.taken);
        if length > 0 {
            buffer.extend_from_slice(&self.memory[self.taken..self.taken + length]);
            self.taken += length;
        } else if let Some(spooled) = &mut self.file {
            let length = (spooled.written - spooled.taken).min(most as u64) as usize;
            let start = buffer.len();
            buffer.resize(start + length, 0);
            if spooled.file.read_exact_at(&mut buffer[start..], spooled.taken).is_err() {
                // The disk of this machine is broken.
                buffer.truncate(start);
                self.dropped += length as u64;
            }
            spooled.taken += length as u64;
        }
        if self.length() == 0 {
            (self.memory, self.taken, self.file) = (Vec::new(), 0, None);
        }
    }

    /// About the last `most` bytes that wait.
    pub fn read_tail(&self, most: usize) -> Vec<u8> {
        let Some(spooled) = &self.file else {
            return self.memory[self.memory.len().saturating_sub(most).max(self.taken)..].to_vec();
        };
        let start = spooled.written.saturating_sub(most as u64).max(spooled.taken);
        let mut tail = vec![0; (spooled.written - start) as usize];
        let is_read = spooled.file.read_exact_at(&mut tail, start).is_ok();
        if is_read { tail } else { Vec::new() }
    }

    /// Bytes that were dropped, once all before them were taken; they are counted once.
    pub fn take_dropped(&mut self) -> u64 {
        if self.length() == 0 { std::mem::take(&mut self.dropped) } else { 0 }
    }

    /// Bytes that would be missing in the log if it never took another one.
    pub fn missing(&self) -> u64 {
        self.length() + self.dropped
    }
}

fn leaves_room(file: &File, length: u64) -> bool {
    let Ok(system) = rustix::fs::fstatvfs(file) else { return false };
    let bytes = |blocks: u64| blocks.saturating_mul(system.f_frsize);
    bytes(system.f_bavail) > length + (bytes(system.f_blocks) / KEPT_PART).min(KEPT_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(spool: &mut Spool) -> Vec<u8> {
        let mut all = Vec::new();
        while spool.length() > 0 {
            spool.take(&mut all, 10_000);
        }
        all
    }

    #[test]
    fn what_memory_and_file_took_comes_out_in_its_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path().to_owned());
        let mut written = Vec::new();
        for number in 0..2 * MEMORY as u64 / 6 {
            let line = format!("{number:06}\n");
            spool.append(line.as_bytes());
            written.extend_from_slice(line.as_bytes());
        }
        assert!(spool.file.is_some());
        assert_eq!(spool.read_tail(7), written[written.len() - 7..]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
        assert!(drain(&mut spool) == written);
        assert!(spool.is_empty() && spool.file.is_none());
        spool.append(b"later");
        assert_eq!((spool.read_tail(3), drain(&mut spool)), (b"ter".to_vec(), b"later".to_vec()));
    }

    #[test]
    fn what_finds_no_room_is_counted_and_leaves_one_gap() {
        let mut spool = Spool::new("/no/such/folder".into());
        spool.append(&vec![b'a'; MEMORY]);
        spool.append(b"12345");
        spool.take(&mut Vec::new(), MEMORY / 2);
        spool.append(b"678");
        assert_eq!(
            (spool.take_dropped(), spool.missing()),
            (0, MEMORY as u64 / 2 + 8),
            "the gap is behind what waits"
        );
        assert_eq!(drain(&mut spool).len(), MEMORY / 2);
        assert!(!spool.is_empty());
        assert_eq!((spool.take_dropped(), spool.take_dropped()), (8, 0));
        assert!(spool.is_empty());
        spool.append(b"again");
        assert_eq!(drain(&mut spool), b"again");
    }
}
