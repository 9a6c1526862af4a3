//! The log of the selected shard: clean lines, of which the view shows the end or a place scrolled to.

use std::collections::VecDeque;

use crate::model::ids::AttemptKey;

/// About 10 MB of usual lines; the whole log is one `evaldeck logs` away.
const MOST_LINES: usize = 50_000;

/// The log pane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogPane {
    /// Whose log it is.
    pub key: Option<AttemptKey>,
    /// Complete lines, oldest first.
    pub lines: VecDeque<String>,
    /// The line that has no end yet: a progress bar, a prompt.
    pub open: String,
    /// There is more of the file before the first line.
    pub more_before: bool,
    /// Lines hidden below the view; 0 follows the end.
    pub scrolled: usize,
    /// Lines that came since the view was scrolled up.
    pub unseen: usize,
    /// Columns hidden on the left.
    pub shifted: u16,
    /// Why the log cannot be shown.
    pub trouble: Option<String>,
}

/// What was read of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogChange {
    /// The end of a log, read for the first time or after the file was replaced.
    Opened {
        /// Clean lines.
        lines: Vec<String>,
        /// The line without end.
        open: String,
        /// The file has more before that.
        more_before: bool,
    },
    /// It grew.
    Grew {
        /// Clean lines that are complete now.
        lines: Vec<String>,
        /// The line without end.
        open: String,
    },
    /// An earlier piece was asked for.
    Earlier {
        /// Clean lines.
        lines: Vec<String>,
        /// The file has more before that.
        more_before: bool,
    },
    /// It cannot be read.
    Trouble(String),
}

impl LogPane {
    /// Shows another log, from its end.
    pub fn turn_to(&mut self, key: Option<AttemptKey>) {
        *self = Self { key, ..Self::default() };
    }

    /// Takes what was read.
    pub fn take(&mut self, change: LogChange) {
        match change {
            LogChange::Opened { lines, open, more_before } => {
                *self =
                    Self { key: self.key.take(), lines: lines.into(), open, more_before, ..Self::default() };
            }
            LogChange::Grew { lines, open } => {
                if self.scrolled > 0 {
                    self.scrolled += lines.len();
                    self.unseen += lines.len();
                }
                self.lines.extend(lines);
                self.open = open;
                while self.lines.len() > MOST_LINES {
                    self.lines.pop_front();
                    self.more_before = true;
                }
            }
            LogChange::Earlier { lines, more_before } => {
                self.more_before = more_before && self.lines.len() < MOST_LINES;
                for line in lines.into_iter().rev() {
                    self.lines.push_front(line);
                }
            }
            LogChange::Trouble(message) => self.trouble = Some(message),
        }
    }

    /// The end is shown and stays shown.
    pub fn follows(&self) -> bool {
        self.scrolled == 0
    }

    /// How many lines there are to show.
    pub fn height(&self) -> usize {
        self.lines.len() + usize::from(!self.open.is_empty())
    }

    /// Line by number.
    pub fn line(&self, number: usize) -> Option<&str> {
        match self.lines.get(number) {
            Some(line) => Some(line),
            None => (number == self.lines.len() && !self.open.is_empty()).then_some(self.open.as_str()),
        }
    }

    /// Scrolls by lines, positive is up. `true` when the first line is reached and more is wanted.
    pub fn scroll(&mut self, lines: isize, page: usize) -> bool {
        let most = self.height().saturating_sub(page);
        let wanted = self.scrolled.saturating_add_signed(lines);
        self.scrolled = wanted.min(most);
        self.unseen = self.unseen.min(self.scrolled);
        lines > 0 && wanted >= most && self.more_before
    }

    /// Shows the end again.
    pub fn follow(&mut self) {
        self.scrolled = 0;
        self.unseen = 0;
    }
}
