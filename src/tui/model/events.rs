//! What happened, newest last: facts of the journal in words, and what was asked for from this screen.

use std::collections::VecDeque;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::fact::{Event, Fact};
use crate::tui::model::filter::Filter;
use crate::tui::model::words;
use crate::tui::theme::role::Role;

/// Older ones are in the journal.
const MOST: usize = 2000;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLine {
    /// When.
    pub at: Timestamp,
    /// Its importance.
    pub role: Role,
    /// The user who asked for it, where somebody did.
    pub by: Option<u32>,
    /// What.
    pub text: String,
}

/// The list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// Oldest first.
    pub lines: VecDeque<EventLine>,
    /// How many of the lines that pass the filter the view is scrolled up; 0 follows.
    pub scrolled: usize,
    /// What was typed to narrow the list.
    pub filter: Filter,
}

impl Events {
    /// Takes facts. Only as many are put into words as are kept.
    pub fn take(&mut self, facts: &[Fact], zone: &TimeZone) {
        for fact in &facts[facts.len().saturating_sub(MOST)..] {
            // The start itself follows within milliseconds and says the same.
            if let Event::AttemptStarting { .. } = fact.event {
                continue;
            }
            let (role, text) = words::event(fact, zone);
            let by = words::actor(&fact.event).map(|actor| actor.uid);
            self.push(EventLine { at: fact.at, role, by, text });
        }
    }

    /// Adds a line of our own.
    pub fn push(&mut self, line: EventLine) {
        if self.lines.len() == MOST {
            self.lines.pop_front();
        }
        // A view that is scrolled up keeps showing the same lines.
        if self.scrolled > 0 && self.filter.admits_text(&line.text) {
            self.scrolled = (self.scrolled + 1).min(self.lines.len());
        }
        self.lines.push_back(line);
    }

    /// The lines that pass the filter, oldest first.
    pub fn shown(&self) -> impl DoubleEndedIterator<Item = &EventLine> {
        self.lines.iter().filter(|line| self.filter.is_empty() || self.filter.admits_text(&line.text))
    }

    /// How many lines pass the filter.
    pub fn height(&self) -> usize {
        if self.filter.is_empty() { self.lines.len() } else { self.shown().count() }
    }

    /// Narrows the list, and shows its end.
    pub fn set_filter(&mut self, text: &str) {
        self.filter = Filter::new(text);
        self.scrolled = 0;
    }

    /// Scrolls by lines, positive is up, within what there is.
    pub fn scroll(&mut self, lines: isize, page: usize) {
        let most = self.height().saturating_sub(page);
        self.scrolled = self.scrolled.saturating_add_signed(lines).min(most);
    }
}
