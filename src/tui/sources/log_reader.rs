//! Reads the log of one attempt: its end first, then what is appended, and earlier pieces when asked.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::cleaner::Cleaner;
use crate::model::ids::AttemptKey;
use crate::tail::follower::Follower;
use crate::tail::lines::last_lines;
use crate::tui::model::log::LogChange;

/// Several screens of lines, whatever the size of the log.
const FIRST_LINES: usize = 2000;

/// The most that is read at once: a log that grows faster is skipped forward.
const PIECE: u64 = 512 << 10;

/// A log that is followed.
#[derive(Debug)]
pub struct LogReader {
    key: AttemptKey,
    path: PathBuf,
    /// Nothing before the file exists.
    follower: Option<Follower>,
    restarts: u64,
    cleaner: Cleaner,
    /// Where the first line that was read begins.
    begin: u64,
}

impl LogReader {
    /// A reader of a log that need not exist yet.
    pub fn new(key: AttemptKey, path: PathBuf) -> Self {
        Self { key, path, follower: None, restarts: 0, cleaner: Cleaner::default(), begin: 0 }
    }

    /// Whose log it is.
    pub fn key(&self) -> &AttemptKey {
        &self.key
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What came since the last call; `None` when nothing did.
    pub fn read(&mut self) -> Option<LogChange> {
        match self.try_read() {
            Ok(change) => change,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(self.trouble(&error)),
        }
    }

    /// The piece before the first line.
    pub fn read_earlier(&mut self) -> Option<LogChange> {
        (self.begin > 0).then(|| self.try_earlier().unwrap_or_else(|error| self.trouble(&error)))
    }

    fn try_earlier(&mut self) -> io::Result<LogChange> {
        let start = self.begin.saturating_sub(PIECE);
        let mut bytes = vec![0; (self.begin - start) as usize];
        File::open(&self.path)?.read_exact_at(&mut bytes, start)?;
        // A piece that begins within a line leaves that line to the next call.
        let skip = if start == 0 { 0 } else { memchr::memchr(b'\n', &bytes).map_or(0, |at| at + 1) };
        // A single line longer than a piece is cut rather than skipped for ever.
        let skip = if skip == bytes.len() { 0 } else { skip };
        let mut lines = Vec::new();
        Cleaner::default().feed(&bytes[skip..], &mut lines);
        self.begin = start + skip as u64;
        Ok(LogChange::Earlier { lines, more_before: self.begin > 0 })
    }

    fn trouble(&self, error: &io::Error) -> LogChange {
        LogChange::Trouble(format!("cannot read {}: {error}", self.path.display()))
    }

    fn try_read(&mut self) -> io::Result<Option<LogChange>> {
        let Some(follower) = &mut self.follower else { return self.open_end().map(Some) };
        let mut buffer = vec![0; PIECE as usize];
        let read = follower.read_more(&mut buffer)?;
        if follower.restarts() != self.restarts {
            return self.open_end().map(Some);
        }
        if read == 0 {
            return Ok(None);
        }
        if read as u64 == PIECE {
            // More is waiting than anybody reads line by line; what is shown is the end.
            let length = File::open(&self.path)?.metadata()?.len();
            if length > follower.offset() + PIECE {
                return self.open_end().map(Some);
            }
        }
        let mut lines = Vec::new();
        self.cleaner.feed(&buffer[..read], &mut lines);
        Ok(Some(LogChange::Grew { lines, open: self.cleaner.open_line() }))
    }

    fn open_end(&mut self) -> io::Result<LogChange> {
        let file = File::open(&self.path)?;
        let end = last_lines(&file, FIRST_LINES, PIECE)?;
        self.begin = end.offset;
        let follower = Follower::open_at(&self.path, end.offset + end.bytes.len() as u64)?;
        self.restarts = follower.restarts();
        self.follower = Some(follower);
        self.cleaner = Cleaner::default();
        let mut lines = Vec::new();
        self.cleaner.feed(&end.bytes, &mut lines);
        Ok(LogChange::Opened { lines, open: self.cleaner.open_line(), more_before: self.begin > 0 })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::model::ids::{AttemptNumber, ShardId};

    fn reader(path: PathBuf) -> LogReader {
        LogReader::new(AttemptKey { shard: ShardId::new("a").unwrap(), attempt: AttemptNumber::FIRST }, path)
    }

    #[test]
    fn the_end_comes_first_then_growth_and_earlier_pieces_on_demand() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("output.log");
        let mut reader = reader(path.clone());
        assert_eq!(reader.read(), None, "there is no file yet");
        let text: String = (0..100_000).map(|number| format!("line {number}\n")).collect();
        fs::write(&path, text).unwrap();
        let Some(LogChange::Opened { lines, more_before: true, .. }) = reader.read() else {
            panic!("not opened")
        };
        assert_eq!(lines.len(), FIRST_LINES);
        assert_eq!(lines.last().map(String::as_str), Some("line 99999"));
        let Some(LogChange::Earlier { lines: earlier, .. }) = reader.read_earlier() else {
            panic!("nothing earlier")
        };
        assert_eq!(earlier.last().map(String::as_str), Some("line 97999"));
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"new\nhalf").unwrap();
        let grew = LogChange::Grew { lines: vec!["new".to_owned()], open: "half".to_owned() };
        assert_eq!(reader.read(), Some(grew));
        assert_eq!(reader.read(), None);
    }

    #[test]
    fn all_earlier_pieces_together_are_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("output.log");
        let all: Vec<String> = (0..200_000).map(|number| format!("line {number}")).collect();
        fs::write(&path, all.join("\n") + "\n").unwrap();
        let mut reader = reader(path);
        let Some(LogChange::Opened { lines, .. }) = reader.read() else { panic!("not opened") };
        let mut found = lines;
        while let Some(LogChange::Earlier { mut lines, .. }) = reader.read_earlier() {
            lines.extend(found);
            found = lines;
        }
        assert_eq!(found, all);
    }
}
