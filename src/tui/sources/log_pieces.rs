//! Pieces of a log that are read when the user goes to them: those before, after or around a place.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::cleaner::Cleaner;
use crate::rundir::beneath::PathBeneath;
use crate::tui::model::logs::log::LogChange;
use crate::tui::model::logs::log_line::LogLine;

/// The most that is read at once.
pub const PIECE: u64 = 512 << 10;

/// A log, as far as it is shown.
#[derive(Debug)]
pub struct Pieces<'a> {
    /// Path of the log file, beneath its folder.
    pub path: &'a PathBeneath,
    /// Offset at which the last complete line that is shown ends.
    pub end: u64,
    /// The line after it that has no end yet.
    pub open: Option<LogLine>,
}

impl Pieces<'_> {
    /// The piece before a line that begins there.
    pub fn read_before(&self, offset: u64) -> LogChange {
        let start = offset.saturating_sub(PIECE);
        let read = self.lines_between(start, offset);
        read.map_or_else(
            |error| describe_trouble(self.path, &error),
            |(lines, begin)| LogChange::Earlier { lines, more_before: begin > 0 },
        )
    }

    /// The piece from the start of a line on.
    pub fn read_after(self, offset: u64) -> LogChange {
        let until = self.end.min(offset + PIECE);
        match self.lines_between(offset, until) {
            // A line that ends in the next piece belongs to it; one longer than a piece is cut.
            Ok((lines, _)) => {
                let more_after = until < self.end;
                let open = self.open.filter(|_| !more_after);
                LogChange::Later { lines, open, more_after }
            }
            Err(error) => describe_trouble(self.path, &error),
        }
    }

    /// The lines around a place.
    pub fn read_around(&self, target: u64) -> LogChange {
        let (start, until) = (target.saturating_sub(PIECE / 2), self.end.min(target + PIECE / 2));
        match self.lines_between(start, until.max(start)) {
            Ok((lines, begin)) => LogChange::Around {
                target,
                lines,
                more_before: begin > 0,
                // What has no end yet is read by following.
                more_after: until < self.end || self.open.is_some(),
            },
            Err(error) => describe_trouble(self.path, &error),
        }
    }

    /// Complete lines between two places, and where the first one begins.
    fn lines_between(&self, start: u64, end: u64) -> io::Result<(Vec<LogLine>, u64)> {
        let mut bytes = vec![0; end.saturating_sub(start) as usize];
        let file = self.path.open()?;
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
        let mut cleaner = Cleaner::at_offset(begin);
        cleaner.feed(&bytes[skip..], &mut lines);
        if lines.is_empty() || end < self.end {
            lines.extend(cleaner.open_line());
        }
        Ok((lines, begin))
    }
}

/// Why a log cannot be shown.
pub fn describe_trouble(path: &Path, error: &io::Error) -> LogChange {
    LogChange::Trouble(format!("cannot read {}: {error}", path.display()))
}
