//! The log of an attempt as it was at some moment of the past: the file up to a place, and nothing after it.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::cleaner::Cleaner;
use super::log_find::{LogSearchResult, find_bytes};
use super::log_pieces::{PIECE, Pieces, describe_trouble};
use crate::model::ids::AttemptKey;
use crate::rundir::beneath::PathBeneath;
use crate::tui::message::LogPiece;
use crate::tui::model::logs::log::LogChange;

/// Several screens of a log.
const FIRST: u64 = 64 << 10;

/// A line is looked for its end so far.
const LINE: usize = 16 << 10;

/// A log, shown up to a place.
#[derive(Debug)]
pub struct PastLog {
    key: AttemptKey,
    path: PathBeneath,
    /// Up to here it is shown; nothing before it was shown at all.
    shown: Option<u64>,
    cleaner: Cleaner,
}

impl PastLog {
    /// A log of which nothing is shown yet.
    pub fn new(key: AttemptKey, path: PathBeneath) -> Self {
        Self { key, path, shown: None, cleaner: Cleaner::default() }
    }

    /// Returns the key of the attempt that wrote the log.
    pub fn key(&self) -> &AttemptKey {
        &self.key
    }

    /// Returns the path of the log file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Shows the whole of it.
    pub fn show_all(&mut self) -> Option<LogChange> {
        let end = self.path.metadata().map_or(0, |file| file.len());
        self.show_up_to(end)
    }

    /// Shows it up to the end of the line that begins there.
    pub fn show_line_at(&mut self, begin: u64) -> Option<LogChange> {
        let end = end_of_line(&self.path, begin).unwrap_or(begin);
        self.show_up_to(end)
    }

    /// Shows it up to there; nothing changes where that is already shown. Newer lines are reported as growth, so that a
    /// user who has scrolled up stays in place.
    pub fn show_up_to(&mut self, end: u64) -> Option<LogChange> {
        let change = match self.shown {
            Some(shown) if shown == end => return None,
            Some(shown) if shown < end && end - shown <= PIECE => self.grow_up_to(shown, end),
            Some(_) | None => self.open_up_to(end),
        };
        Some(change.unwrap_or_else(|error| describe_trouble(&self.path, &error)))
    }

    /// Another piece of it.
    pub fn read_piece(&mut self, piece: LogPiece) -> LogChange {
        match piece {
            LogPiece::Before(offset) => self.pieces().read_before(offset),
            LogPiece::After(offset) => self.pieces().read_after(offset),
            LogPiece::Around(offset) => self.pieces().read_around(offset),
            LogPiece::End => {
                let opened = self.open_up_to(self.shown.unwrap_or(0));
                opened.unwrap_or_else(|error| describe_trouble(&self.path, &error))
            }
        }
    }

    /// Looks for a text above or below a place; what comes after the shown part has not been written yet.
    pub fn find_text(&self, from: u64, up: bool, needle: (&[u8], bool)) -> io::Result<LogSearchResult> {
        let end = self.shown.unwrap_or(0);
        let found = find_bytes(&self.path.open()?, from.min(end), up, needle)?;
        Ok(match found {
            LogSearchResult::At(at) | LogSearchResult::NotUpTo(at) if at >= end => LogSearchResult::Nowhere,
            LogSearchResult::At(_) | LogSearchResult::NotUpTo(_) | LogSearchResult::Nowhere => found,
        })
    }

    fn pieces(&self) -> Pieces<'_> {
        Pieces { path: &self.path, end: self.cleaner.open_line_offset(), open: self.cleaner.open_line() }
    }

    fn open_up_to(&mut self, end: u64) -> io::Result<LogChange> {
        let begin = end.saturating_sub(FIRST);
        let bytes = self.read_range(begin, end)?;
        let is_cut = begin > 0;
        let skip = if is_cut { memchr::memchr(b'\n', &bytes).map_or(0, |newline| newline + 1) } else { 0 };
        self.cleaner = Cleaner::at_offset(begin + skip as u64);
        self.shown = Some(end);
        let mut lines = Vec::new();
        self.cleaner.feed(&bytes[skip..], &mut lines);
        Ok(LogChange::Opened { lines, open: self.cleaner.open_line(), more_before: is_cut })
    }

    fn grow_up_to(&mut self, shown: u64, end: u64) -> io::Result<LogChange> {
        let bytes = self.read_range(shown, end)?;
        self.shown = Some(end);
        let mut lines = Vec::new();
        self.cleaner.feed(&bytes, &mut lines);
        Ok(LogChange::Grew { lines, open: self.cleaner.open_line() })
    }

    fn read_range(&self, begin: u64, end: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; (end - begin) as usize];
        if end > begin {
            self.path.open()?.read_exact_at(&mut bytes, begin)?;
        }
        Ok(bytes)
    }
}

/// Returns where the line that begins there ends, or a state of it that was overwritten.
fn end_of_line(path: &PathBeneath, begin: u64) -> io::Result<u64> {
    let mut bytes = vec![0; LINE];
    let read = path.open()?.read_at(&mut bytes, begin)?;
    let end = memchr::memchr2(b'\n', b'\r', &bytes[..read]);
    Ok(begin + end.map_or(read, |end| end + 1) as u64)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::ids::{AttemptNumber, ShardId};
    use crate::tui::model::logs::log_line::LogLine;

    fn log(folder: &Path, text: &str) -> PastLog {
        let path = PathBeneath::of_file(folder.join("output.log"));
        fs::write(path.full_path(), text).unwrap();
        let key = AttemptKey { shard: ShardId::new("a").unwrap(), attempt: AttemptNumber::FIRST };
        PastLog::new(key, path)
    }

    fn texts(lines: &[LogLine]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn it_grows_with_the_moment_and_is_opened_anew_when_that_goes_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path(), "one\ntwo\nthree\n");
        let Some(LogChange::Opened { lines, more_before: false, .. }) = log.show_line_at(0) else {
            panic!("not opened")
        };
        assert_eq!(texts(&lines), ["one"]);
        let Some(LogChange::Grew { lines, .. }) = log.show_line_at(8) else { panic!("not grown") };
        assert_eq!(texts(&lines), ["two", "three"]);
        assert_eq!(log.show_all(), None, "that is all of it");
        let Some(LogChange::Opened { lines, .. }) = log.show_up_to(0) else { panic!("not opened") };
        assert!(lines.is_empty());
    }

    #[test]
    fn earlier_lines_are_there_and_later_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let text: String = (0..100_000).map(|number| format!("line {number}\n")).collect();
        let at = |number: usize| text.find(&format!("line {number}\n")).unwrap() as u64;
        let mut log = log(folder.path(), &text);
        let Some(LogChange::Opened { lines, more_before: true, .. }) = log.show_up_to(at(50_000)) else {
            panic!("not opened")
        };
        assert_eq!(texts(&lines).last(), Some(&"line 49999"));
        let LogChange::Earlier { lines: earlier, .. } = log.read_piece(LogPiece::Before(lines[0].offset))
        else {
            panic!("nothing earlier")
        };
        assert_eq!(earlier.last().unwrap().end, lines[0].offset);
        let LogChange::Around { lines, more_after: false, .. } = log.read_piece(LogPiece::Around(at(49_999)))
        else {
            panic!("not around")
        };
        assert_eq!(texts(&lines).last(), Some(&"line 49999"));
        let find = |text: &str, from, up| log.find_text(from, up, (text.as_bytes(), false)).unwrap();
        assert_eq!(find("line 123\n", at(50_000), true), LogSearchResult::At(at(123)));
        assert_eq!(find("line 77777\n", at(123), false), LogSearchResult::Nowhere, "it was not written yet");
        assert_eq!(find("line 49999\n", at(123), false), LogSearchResult::At(at(49_999)));
    }
}
