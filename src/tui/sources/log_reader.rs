//! Reads the log of one attempt: its end first, then what is appended, and earlier pieces when asked.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::cleaner::Cleaner;
use super::log_find::{Found, find};
use crate::model::ids::AttemptKey;
use crate::tail::follower::Follower;
use crate::tail::lines::last_lines;
use crate::tui::model::log::LogChange;
use crate::tui::model::log_line::LogLine;

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
}

impl LogReader {
    /// A reader of a log that need not exist yet.
    pub fn new(key: AttemptKey, path: PathBuf) -> Self {
        Self { key, path, follower: None, restarts: 0, cleaner: Cleaner::default() }
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

    /// The piece before a line that begins there.
    pub fn read_before(&self, offset: u64) -> LogChange {
        let start = offset.saturating_sub(PIECE);
        let read = self.lines_between(start, offset);
        read.map_or_else(
            |error| self.trouble(&error),
            |(lines, begin)| LogChange::Earlier { lines, more_before: begin > 0 },
        )
    }

    /// The piece from the begin of a line on.
    pub fn read_after(&self, offset: u64) -> LogChange {
        let end = self.whole_end();
        let until = end.min(offset + PIECE);
        match self.lines_between(offset, until) {
            // A line that ends in the next piece belongs to it; one longer than a piece is cut.
            Ok((lines, _)) => {
                let more_after = until < end;
                let open = self.cleaner.open_line().filter(|_| !more_after);
                LogChange::Later { lines, open, more_after }
            }
            Err(error) => self.trouble(&error),
        }
    }

    /// The lines around a place.
    pub fn read_around(&self, target: u64) -> LogChange {
        let end = self.whole_end();
        let (start, until) = (target.saturating_sub(PIECE / 2), end.min(target + PIECE / 2));
        match self.lines_between(start, until.max(start)) {
            Ok((lines, begin)) => LogChange::Around {
                target,
                lines,
                more_before: begin > 0,
                // What has no end yet is read by following.
                more_after: until < end || self.cleaner.open_line().is_some(),
            },
            Err(error) => self.trouble(&error),
        }
    }

    /// The end once more.
    pub fn read_end(&mut self) -> LogChange {
        self.open_end().unwrap_or_else(|error| self.trouble(&error))
    }

    /// Looks for a text above or below a place.
    pub fn find(&self, from: u64, up: bool, needle: (&[u8], bool)) -> io::Result<Found> {
        find(&File::open(&self.path)?, from, up, needle)
    }

    /// Where the last complete line ends that was followed to.
    fn whole_end(&self) -> u64 {
        if self.follower.is_some() { self.cleaner.begin() } else { 0 }
    }

    /// Complete lines between two places, and where the first one begins.
    fn lines_between(&self, start: u64, end: u64) -> io::Result<(Vec<LogLine>, u64)> {
        let mut bytes = vec![0; end.saturating_sub(start) as usize];
        let file = File::open(&self.path)?;
        file.read_exact_at(&mut bytes, start)?;
        let before = start.checked_sub(1).map(|before| {
            let mut byte = [0];
            file.read_exact_at(&mut byte, before).map(|()| byte[0])
        });
        let is_begin = before.transpose()?.is_none_or(|byte| byte == b'\n');
        // A piece that begins within a line leaves that line to the piece before.
        let skip = if is_begin { 0 } else { memchr::memchr(b'\n', &bytes).map_or(0, |at| at + 1) };
        // A single line longer than a piece is cut rather than skipped for ever.
        let skip = if skip == bytes.len() { 0 } else { skip };
        let begin = start + skip as u64;
        let mut lines = Vec::new();
        let mut cleaner = Cleaner::at(begin);
        cleaner.feed(&bytes[skip..], &mut lines);
        if lines.is_empty() || end < self.whole_end() {
            lines.extend(cleaner.open_line());
        }
        Ok((lines, begin))
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
        let follower = Follower::open_at(&self.path, end.offset + end.bytes.len() as u64)?;
        self.restarts = follower.restarts();
        self.follower = Some(follower);
        self.cleaner = Cleaner::at(end.offset);
        let mut lines = Vec::new();
        self.cleaner.feed(&end.bytes, &mut lines);
        Ok(LogChange::Opened { lines, open: self.cleaner.open_line(), more_before: end.offset > 0 })
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
        assert_eq!(lines.last().map(|line| line.text.as_str()), Some("line 99999"));
        let LogChange::Earlier { lines: earlier, .. } = reader.read_before(lines[0].offset) else {
            panic!("nothing earlier")
        };
        assert_eq!(earlier.last().map(|line| line.text.as_str()), Some("line 97999"));
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"new\nhalf").unwrap();
        let Some(LogChange::Grew { lines, open: Some(open) }) = reader.read() else { panic!("not grown") };
        assert_eq!((lines[0].text.as_str(), open.text.as_str()), ("new", "half"));
        assert_eq!(reader.read(), None);
    }

    fn numbered(folder: &Path, count: usize) -> (LogReader, Vec<String>) {
        let path = folder.join("output.log");
        let all: Vec<String> = (0..count).map(|number| format!("line {number}")).collect();
        fs::write(&path, all.join("\n") + "\n").unwrap();
        (reader(path), all)
    }

    #[test]
    fn all_pieces_together_are_the_whole_file_upwards_and_downwards() {
        let folder = tempfile::tempdir().unwrap();
        let (mut reader, all) = numbered(folder.path(), 200_000);
        let Some(LogChange::Opened { lines, .. }) = reader.read() else { panic!("not opened") };
        let mut found = lines;
        loop {
            let LogChange::Earlier { mut lines, more_before } = reader.read_before(found[0].offset) else {
                panic!("nothing earlier")
            };
            lines.extend(found);
            found = lines;
            if !more_before {
                break;
            }
        }
        let texts = |lines: &[LogLine]| lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        assert!(texts(&found) == all);
        let middle = found[100_000].offset + 3;
        let LogChange::Around { lines, more_before: true, more_after: true, .. } = reader.read_around(middle)
        else {
            panic!("not around")
        };
        let mut found = lines;
        let begin = found[0].text.clone();
        loop {
            // The last line may have been cut.
            let last = found.pop().unwrap();
            let LogChange::Later { lines, more_after, .. } = reader.read_after(last.offset) else {
                panic!("nothing later")
            };
            found.extend(lines);
            if !more_after {
                break;
            }
        }
        let first = all.iter().position(|line| *line == begin).unwrap();
        assert!(texts(&found) == all[first..]);
    }

    #[test]
    fn the_place_of_a_huge_log_is_read_without_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("output.log");
        let mut file = File::create(&path).unwrap();
        // A sparse file: reading its two gigabytes would give as many zeros.
        file.set_len(2 << 30).unwrap();
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).unwrap();
        file.write_all(b"\nlast\n").unwrap();
        let mut reader = reader(path);
        let Some(LogChange::Opened { lines, more_before: true, .. }) = reader.read() else {
            panic!("not opened")
        };
        assert_eq!(lines.last().unwrap().text, "last");
        let LogChange::Around { lines, .. } = reader.read_around(1 << 30) else { panic!("not around") };
        assert!(lines.iter().map(LogLine::weight).sum::<usize>() < 1 << 20);
    }
}
