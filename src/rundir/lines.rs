//! Complete lines of a growing file, each once; a torn last line waits for its end.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

use super::beneath::PathBeneath;
use super::refusal::OpenRefusal;
use crate::model::units::Bytes;

/// Longer than any line this program writes: facts hold no plans, and marks are short.
const LONGEST_LINE: u64 = 64 << 20;

/// Reads on from where it stopped.
#[derive(Debug)]
pub struct LineReader {
    path: PathBeneath,
    open: Option<TailedFile>,
    torn: Vec<u8>,
}

#[derive(Debug)]
struct TailedFile {
    file: File,
    inode: u64,
    offset: u64,
}

/// Lines that were added since the last reading.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NewLines {
    /// The file was replaced or cut: what was read before counts no more.
    pub restarted: bool,
    /// Complete lines with their newlines.
    pub text: Vec<u8>,
}

impl NewLines {
    /// The lines without their ends.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
    }
}

impl LineReader {
    /// A reader at the start of a file that need not exist yet.
    pub fn new(path: &PathBeneath) -> Self {
        Self { path: path.clone(), open: None, torn: Vec::new() }
    }

    /// The file that is read.
    pub fn path(&self) -> &PathBeneath {
        &self.path
    }

    /// Everything complete that came since the last call; nothing when the file is not there.
    pub fn read_new(&mut self) -> io::Result<NewLines> {
        let mut new = NewLines { restarted: self.reopen_if_replaced()?, text: Vec::new() };
        let Some(open) = &mut self.open else { return Ok(new) };
        let mut text = std::mem::take(&mut self.torn);
        // `text` has whole lines up to here.
        let mut complete = 0;
        loop {
            let before = text.len();
            let read = (&open.file).take(LONGEST_LINE).read_to_end(&mut text)?;
            open.offset += read as u64;
            complete = memchr::memrchr(b'\n', &text[before..]).map_or(complete, |at| before + at + 1);
            if text.len() - complete > LONGEST_LINE as usize {
                // A sparse file can claim any length; it is not read into memory.
                self.open = None;
                return Err(OpenRefusal::LongLine(Bytes(LONGEST_LINE)).into());
            }
            if (read as u64) < LONGEST_LINE {
                break;
            }
        }
        self.torn = text.split_off(complete);
        new.text = text;
        Ok(new)
    }

    /// Opens the file, or opens it again from the start where the name now means another or a shorter file.
    fn reopen_if_replaced(&mut self) -> io::Result<bool> {
        let there = match self.path.metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        let restarted = self.open.is_some();
        if self.open.as_ref().is_some_and(|open| open.inode == there.ino() && there.len() >= open.offset) {
            return Ok(false);
        }
        let file = self.path.open()?;
        let inode = file.metadata()?.ino();
        self.open = Some(TailedFile { file, inode, offset: 0 });
        self.torn.clear();
        Ok(restarted)
    }
}

/// The length up to and with the last newline.
pub(super) fn whole_length(file: &File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let floor = end.saturating_sub(LONGEST_LINE);
    let mut block = [0; 4096];
    while end > floor {
        let start = end.saturating_sub(block.len() as u64);
        let part = &mut block[..(end - start) as usize];
        file.read_exact_at(part, start)?;
        if let Some(newline) = memchr::memrchr(b'\n', part) {
            return Ok(start + newline as u64 + 1);
        }
        end = start;
    }
    if floor == 0 { Ok(0) } else { Err(OpenRefusal::LongLine(Bytes(LONGEST_LINE)).into()) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_line_that_does_not_end_is_not_read_into_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("journal.jsonl"));
        let file = path.create().unwrap();
        file.set_len(LONGEST_LINE + 1).unwrap();
        let refused = [
            LineReader::new(&path).read_new().unwrap_err(),
            whole_length(&path.open().unwrap()).unwrap_err(),
        ];
        for error in refused {
            assert_eq!(OpenRefusal::from_error(&error), Some(OpenRefusal::LongLine(Bytes(LONGEST_LINE))));
        }
    }

    #[test]
    fn torn_lines_wait_and_replaced_files_start_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("marks.jsonl"));
        let mut reader = LineReader::new(&path);
        assert_eq!(reader.read_new().unwrap(), NewLines::default());
        fs::write(path.full_path(), "one\ntw").unwrap();
        assert_eq!(reader.read_new().unwrap().text, b"one\n");
        assert_eq!(reader.read_new().unwrap().text, b"");
        fs::OpenOptions::new().append(true).open(path.full_path()).unwrap().write_all(b"o\nthree").unwrap();
        assert_eq!(reader.read_new().unwrap().text, b"two\n");
        let other = folder.path().join("new");
        fs::write(&other, "ONE\n").unwrap();
        fs::rename(&other, path.full_path()).unwrap();
        let new = reader.read_new().unwrap();
        assert!(new.restarted);
        assert_eq!(new.lines().collect::<Vec<_>>(), [b"ONE"]);
    }
}
