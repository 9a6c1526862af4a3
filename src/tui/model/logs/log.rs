//! The log of the selected shard: a window of clean lines into a file of any size, of which the view shows the end or a
//! place that was scrolled or jumped to.

use std::collections::VecDeque;

use jiff::Timestamp;

use super::log_hits::LogHits;
use super::log_line::LogLine;
use crate::model::ids::AttemptKey;
use crate::tui::model::search::LogSearch;

/// The window never takes more memory, however long the lines are; what falls out of it is read again when wanted.
const MOST_BYTES: usize = 8 << 20;

/// The log pane: a window of lines of one log, and how they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogPane {
    /// The attempt whose log it is; `None` if no log is shown.
    pub key: Option<AttemptKey>,
    /// Complete lines, oldest first; those of the file without a gap.
    pub lines: VecDeque<LogLine>,
    /// The line that has no end yet: a progress bar, a prompt.
    pub open: Option<LogLine>,
    /// There is more of the file before the first line.
    pub more_before: bool,
    /// There is more of the file after the last line; then `open` is not known.
    pub more_after: bool,
    /// The place among the lines that is shown.
    pub place: LogPosition,
    /// Lines that came since the view was scrolled up.
    pub unseen: usize,
    /// The line that was jumped to.
    pub target: Option<u64>,
    /// Columns hidden on the left.
    pub shifted: u16,
    /// Why the log cannot be shown.
    pub trouble: Option<String>,
    /// How the user wants logs shown.
    pub wishes: Wishes,
    /// The lines that match the search.
    pub hits: LogHits,
    weight: usize,
}

/// The place among the lines that is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogPosition {
    /// The end, also when it grows.
    #[default]
    End,
    /// The last line that is shown is the one that begins here.
    At(u64),
}

/// How logs are shown; the same for all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The text that is looked for.
    pub search: LogSearch,
    /// Only lines with a match are shown.
    pub only: bool,
    /// Long lines go on in the next row.
    pub wraps: bool,
    /// The times of lines are shown.
    pub times: bool,
}

/// A piece that was read of a log, or why nothing could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogChange {
    /// The end of a log, read for the first time or after the file was replaced.
    Opened {
        /// The last lines of the file, without control sequences.
        lines: Vec<LogLine>,
        /// The line without end.
        open: Option<LogLine>,
        /// The file has more before that.
        more_before: bool,
    },
    /// More was written to the end of the log.
    Grew {
        /// Clean lines that are complete now.
        lines: Vec<LogLine>,
        /// The line without end.
        open: Option<LogLine>,
    },
    /// An earlier piece was asked for.
    Earlier {
        /// The lines of that piece, without control sequences.
        lines: Vec<LogLine>,
        /// The file has more before that.
        more_before: bool,
    },
    /// A later piece was asked for.
    Later {
        /// The lines of that piece, without control sequences.
        lines: Vec<LogLine>,
        /// The line without end, where the end was reached.
        open: Option<LogLine>,
        /// The file continues after it.
        more_after: bool,
    },
    /// The lines around a place that was asked for.
    Around {
        /// Offset of the place that was asked for.
        target: u64,
        /// The lines around it, without control sequences.
        lines: Vec<LogLine>,
        /// The file has more before that.
        more_before: bool,
        /// The file continues after it.
        more_after: bool,
    },
    /// The log cannot be read, for this reason.
    Trouble(String),
}

/// The piece of the file that a movement still needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeededPiece {
    /// The piece that comes before this place.
    Before(u64),
    /// The piece that comes after this place.
    After(u64),
    /// The last piece of the file.
    End,
}

impl LogPane {
    /// Shows another log, from its end.
    pub fn turn_to(&mut self, key: Option<AttemptKey>) {
        *self = Self { key, wishes: std::mem::take(&mut self.wishes), ..Self::default() };
    }

    /// Takes what was read; lines that were just written were written `now`.
    pub fn apply_change(&mut self, change: LogChange, now: Timestamp) {
        match change {
            LogChange::Opened { lines, open, more_before } => {
                self.turn_to_lines(lines);
                (self.open, self.more_before) = (open, more_before);
            }
            LogChange::Grew { lines, open } => self.apply_growth(lines, open, now),
            LogChange::Earlier { lines, more_before } => {
                self.more_before = more_before;
                for line in lines.into_iter().rev() {
                    self.weight += line.weight();
                    self.lines.push_front(line);
                }
                self.drop_last();
            }
            LogChange::Later { lines, open, more_after } => {
                (self.open, self.more_after) = (open, more_after);
                self.append_lines(lines);
                self.drop_first();
            }
            LogChange::Around { target, lines, more_before, more_after } => {
                self.turn_to_lines(lines);
                (self.more_before, self.more_after) = (more_before, more_after);
                self.target = Some(target);
            }
            LogChange::Trouble(message) => self.trouble = Some(message),
        }
    }

    /// Other lines of the same log.
    fn turn_to_lines(&mut self, lines: Vec<LogLine>) {
        let unseen = self.unseen;
        self.turn_to(self.key.clone());
        self.unseen = unseen;
        self.append_lines(lines);
    }

    fn append_lines(&mut self, lines: Vec<LogLine>) {
        self.weight += lines.iter().map(LogLine::weight).sum::<usize>();
        self.lines.extend(lines);
    }

    fn apply_growth(&mut self, mut lines: Vec<LogLine>, open: Option<LogLine>, now: Timestamp) {
        if !self.is_following() {
            self.unseen += lines.len();
        }
        if self.more_after {
            return;
        }
        lines.iter_mut().for_each(|line| line.at = Some(now));
        self.append_lines(lines);
        self.open = open;
        if self.is_following() {
            self.drop_first();
        } else {
            // Who has scrolled up keeps seeing the same lines.
            self.drop_last();
        }
    }

    fn drop_first(&mut self) {
        while self.weight > MOST_BYTES
            && let Some(line) = self.lines.pop_front()
        {
            self.weight -= line.weight();
            self.more_before = true;
        }
    }

    fn drop_last(&mut self) {
        // A page below the last line that is shown stays in any case.
        let kept = self.last_shown_line().map_or(0, |bottom| bottom + 200);
        while self.weight > MOST_BYTES
            && self.lines.len() > kept
            && let Some(line) = self.lines.pop_back()
        {
            self.weight -= line.weight();
            (self.more_after, self.open) = (true, None);
        }
        self.drop_first();
    }

    /// The end is shown and stays shown.
    pub fn is_following(&self) -> bool {
        self.place == LogPosition::End
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.lines.len() + usize::from(self.open.is_some())
    }

    /// Returns the line of that number, counted from 0; the open line is the last.
    pub fn line(&self, number: usize) -> Option<&LogLine> {
        match self.lines.get(number) {
            Some(line) => Some(line),
            None => self.open.as_ref().filter(|_| number == self.lines.len()),
        }
    }

    /// The text of the last line.
    pub fn last_text(&self) -> &str {
        self.line_count().checked_sub(1).and_then(|last| self.line(last)).map_or("", |line| &line.text)
    }

    /// The number of the line at a place of the file, or of the last one before it.
    pub fn number_at(&self, offset: u64) -> Option<usize> {
        let behind = self.lines.partition_point(|line| line.offset <= offset);
        let in_open = self.open.as_ref().is_some_and(|open| open.offset <= offset);
        (behind + usize::from(in_open)).checked_sub(1)
    }

    /// The line is among those that are shown.
    fn is_shown(&self, number: usize) -> bool {
        !self.wishes.only
            || self.wishes.search.is_empty()
            || self.line(number).is_some_and(|line| self.wishes.search.matches(&line.text))
    }

    /// Numbers of shown lines from one on upwards, itself included.
    pub fn numbers_upwards(&self, from: usize) -> impl Iterator<Item = usize> {
        (0..self.line_count().min(from + 1)).rev().filter(|number| self.is_shown(*number))
    }

    /// Numbers of shown lines from one on downwards, itself included.
    pub fn numbers_downwards(&self, from: usize) -> impl Iterator<Item = usize> {
        (from..self.line_count()).filter(|number| self.is_shown(*number))
    }

    /// The last line that is shown.
    pub fn last_shown_line(&self) -> Option<usize> {
        let last = match self.place {
            LogPosition::End => self.line_count().checked_sub(1)?,
            LogPosition::At(offset) => self.number_at(offset).unwrap_or(0),
        };
        self.numbers_upwards(last).next().or_else(|| self.numbers_downwards(last).next())
    }

    /// Scrolls by lines, positive is up, and returns which piece of the file is needed for it.
    pub fn scroll(&mut self, lines: isize, page: usize) -> Option<NeededPiece> {
        let bottom = self.last_shown_line()?;
        // The first page is shown whole.
        let highest = self.numbers_downwards(0).take(page.max(1)).last().unwrap_or(0);
        let far = lines.unsigned_abs();
        if lines >= 0 {
            let wanted = self.numbers_upwards(bottom).nth(far).unwrap_or(0);
            if wanted > highest {
                self.go_to(wanted);
                return None;
            }
            if bottom > highest || lines > 0 && highest + 1 < self.line_count() {
                self.go_to(highest.min(bottom));
            }
            let first = self.lines.front().filter(|_| lines > 0 && self.more_before)?;
            return Some(NeededPiece::Before(first.offset));
        }
        let wanted = self.numbers_downwards(bottom).nth(far);
        match wanted {
            Some(wanted) if self.more_after || self.numbers_downwards(wanted + 1).next().is_some() => {
                self.go_to(wanted);
                None
            }
            Some(_) | None if self.more_after => {
                self.go_to(self.line_count().saturating_sub(1));
                self.lines.back().map(|last| NeededPiece::After(last.end))
            }
            Some(_) | None => self.follow_end(),
        }
    }

    fn go_to(&mut self, number: usize) {
        if let Some(line) = self.line(number) {
            self.place = LogPosition::At(line.offset);
            if !self.more_after {
                self.unseen = self.unseen.min(self.line_count() - 1 - number);
            }
        }
    }

    /// Shows the end again; what of the file that needs.
    pub fn follow_end(&mut self) -> Option<NeededPiece> {
        self.place = LogPosition::End;
        (self.unseen, self.target) = (0, None);
        self.more_after.then_some(NeededPiece::End)
    }

    /// Shows a line in the middle of the page and marks it.
    pub fn jump_to_line(&mut self, number: usize, page: usize) {
        let bottom = self.numbers_downwards(number).take(page / 2 + 1).last().unwrap_or(number);
        self.target = self.line(number).map(|line| line.offset);
        self.go_to(bottom);
    }

    /// Shows the line that was asked for with [`LogChange::Around`].
    pub fn jump_to_target(&mut self, page: usize) {
        if let Some(number) = self.target.and_then(|target| self.number_at(target)) {
            self.jump_to_line(number, page);
        }
    }

    /// The nearest line with a match above or below the one that was jumped to, or else the last one shown.
    pub fn find_match(&self, up: bool) -> Option<usize> {
        let search = &self.wishes.search;
        let from = self.target.and_then(|target| self.number_at(target));
        let matches = |number: &usize| self.line(*number).is_some_and(|line| search.matches(&line.text));
        match (from, up) {
            (Some(from), true) => (0..from).rev().find(matches),
            (Some(from), false) => (from + 1..self.line_count()).find(matches),
            (None, true) => (0..=self.last_shown_line()?).rev().find(matches),
            (None, false) => (self.last_shown_line()? + 1..self.line_count()).find(matches),
        }
    }

    /// Returns where in the file a search that found nothing among these lines goes on, if there is more of the file.
    pub fn next_search_offset(&self, up: bool) -> Option<u64> {
        if up {
            self.lines.front().filter(|_| self.more_before).map(|line| line.offset)
        } else {
            self.lines.back().filter(|_| self.more_after).map(|line| line.end)
        }
    }
}
