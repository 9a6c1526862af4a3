//! Reads the log of one attempt: its end first, then what is appended, and earlier pieces when asked.

use std::io;
use std::path::Path;

use super::cleaner::Cleaner;
use super::log_find::{LogSearchResult, find_bytes};
use super::log_pieces::{self, PIECE, Pieces};
use crate::model::ids::AttemptKey;
use crate::rundir::beneath::PathBeneath;
use crate::tail::follower::Follower;
use crate::tail::lines::last_lines;
use crate::tui::model::logs::log::LogChange;

/// Several screens of lines, whatever the size of the log.
const FIRST_LINES: usize = 2000;

/// A log that is followed.
#[derive(Debug)]
pub struct FollowedLog {
    key: AttemptKey,
    path: PathBeneath,
    /// Nothing before the file exists.
    follower: Option<Follower>,
    restarts: u64,
    cleaner: Cleaner,
}

impl FollowedLog {
    /// A reader of a log that need not exist yet.
    pub fn new(key: AttemptKey, path: PathBeneath) -> Self {
        Self { key, path, follower: None, restarts: 0, cleaner: Cleaner::default() }
    }

    /// Returns the key of the attempt that writes the log.
    pub fn key(&self) -> &AttemptKey {
        &self.key
    }

    /// Returns the path of the log file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what was added since the last call; `None` when nothing was.
    pub fn read_new(&mut self) -> Option<LogChange> {
        match self.try_read() {
            Ok(change) => change,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(self.describe_trouble(&error)),
        }
    }

    /// Pieces of what was followed so far.
    pub fn pieces(&self) -> Pieces<'_> {
        // Where the last complete line ends.
        let end = if self.follower.is_some() { self.cleaner.open_line_offset() } else { 0 };
        Pieces { path: &self.path, end, open: self.cleaner.open_line() }
    }

    /// The end once more.
    pub fn read_end(&mut self) -> LogChange {
        self.open_end().unwrap_or_else(|error| self.describe_trouble(&error))
    }

    /// Looks for a text above or below a place.
    pub fn find_text(&self, from: u64, up: bool, needle: (&[u8], bool)) -> io::Result<LogSearchResult> {
        find_bytes(&self.path.open()?, from, up, needle)
    }

    fn describe_trouble(&self, error: &io::Error) -> LogChange {
        log_pieces::describe_trouble(&self.path, error)
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
            // More is waiting than anyone reads line by line; what is shown is the end.
            let length = self.path.open()?.metadata()?.len();
            if length > follower.offset() + PIECE {
                return self.open_end().map(Some);
            }
        }
        let mut lines = Vec::new();
        self.cleaner.feed(&buffer[..read], &mut lines);
        Ok(Some(LogChange::Grew { lines, open: self.cleaner.open_line() }))
    }

    fn open_end(&mut self) -> io::Result<LogChange> {
        let file = self.path.open()?;
        let end = last_lines(&file, FIRST_LINES, PIECE)?;
        let follower = Follower::open_at(&self.path, end.offset + end.bytes.len() as u64)?;
        self.restarts = follower.restarts();
        self.follower = Some(follower);
        self.cleaner = Cleaner::at_offset(end.offset);
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
    use crate::tui::model::logs::log_line::LogLine;

    fn reader(path: PathBeneath) -> FollowedLog {
        FollowedLog::new(
            AttemptKey { shard: ShardId::new("a").unwrap(), attempt: AttemptNumber::FIRST },
            path,
        )
    }

    #[test]
    fn the_end_comes_first_then_growth_and_earlier_pieces_on_demand() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("output.log"));
        let mut reader = reader(path.clone());
        assert_eq!(reader.read_new(), None, "there is no file yet");
        let text: String = (0..100_000).map(|number| format!("line {number}\n")).collect();
        fs::write(path.full_path(), text).unwrap();
        let Some(LogChange::Opened { lines, more_before: true, .. }) = reader.read_new() else {
            panic!("not opened")
        };
        assert_eq!(lines.len(), FIRST_LINES);
        assert_eq!(lines.last().map(|line| line.text.as_str()), Some("line 99999"));
        let LogChange::Earlier { lines: earlier, .. } = reader.pieces().read_before(lines[0].offset) else {
            panic!("nothing earlier")
        };
        assert_eq!(earlier.last().map(|line| line.text.as_str()), Some("line 97999"));
        fs::OpenOptions::new().append(true).open(path.full_path()).unwrap().write_all(b"new\nhalf").unwrap();
        let Some(LogChange::Grew { lines, open: Some(open) }) = reader.read_new() else {
            panic!("not grown")
        };
        assert_eq!((lines[0].text.as_str(), open.text.as_str()), ("new", "half"));
        assert_eq!(reader.read_new(), None);
    }

    fn numbered(folder: &Path, count: usize) -> (FollowedLog, Vec<String>) {
        let path = PathBeneath::of_file(folder.join("output.log"));
        let all: Vec<String> = (0..count).map(|number| format!("line {number}")).collect();
        fs::write(path.full_path(), all.join("\n") + "\n").unwrap();
        (reader(path), all)
    }

    #[test]
    fn all_pieces_together_are_the_whole_file_upwards_and_downwards() {
        let folder = tempfile::tempdir().unwrap();
        let (mut reader, all) = numbered(folder.path(), 200_000);
        let Some(LogChange::Opened { lines, .. }) = reader.read_new() else { panic!("not opened") };
        let mut found = lines;
        loop {
            let LogChange::Earlier { mut lines, more_before } = reader.pieces().read_before(found[0].offset)
            else {
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
        let LogChange::Around { lines, more_before: true, more_after: true, .. } =
            reader.pieces().read_around(middle)
        else {
            panic!("not around")
        };
        let mut found = lines;
        let begin = found[0].text.clone();
        loop {
            // The last line may have been cut.
            let last = found.pop().unwrap();
            let LogChange::Later { lines, more_after, .. } = reader.pieces().read_after(last.offset) else {
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
        let path = PathBeneath::of_file(folder.path().join("output.log"));
        let mut file = fs::File::create(path.full_path()).unwrap();
        // A sparse file: reading its two gigabytes would give as many zeros.
        file.set_len(2 << 30).unwrap();
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).unwrap();
        file.write_all(b"\nlast\n").unwrap();
        let mut reader = reader(path);
        let Some(LogChange::Opened { lines, more_before: true, .. }) = reader.read_new() else {
            panic!("not opened")
        };
        assert_eq!(lines.last().unwrap().text, "last");
        let LogChange::Around { lines, .. } = reader.pieces().read_around(1 << 30) else {
            panic!("not around")
        };
        assert!(lines.iter().map(LogLine::weight).sum::<usize>() < 1 << 20);
    }
}
