//! What happened, newest last: facts of the journal in words, and what was asked for from this screen.

use std::collections::VecDeque;

use jiff::Timestamp;

use crate::model::fact::{Event, Fact};
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
    /// How many lines the view is scrolled up; 0 follows.
    pub scrolled: usize,
}

impl Events {
    /// Takes facts. Only as many are put into words as are kept.
    pub fn take(&mut self, facts: &[Fact]) {
        for fact in &facts[facts.len().saturating_sub(MOST)..] {
            // The start itself follows within milliseconds and says the same.
            if let Event::AttemptStarting { .. } = fact.event {
                continue;
            }
            let (role, text) = words::event(&fact.event);
            let by = words::actor(&fact.event).map(|actor| actor.uid);
            self.push(EventLine { at: fact.at, role, by, text });
        }
    }

    /// Adds a line of our own.
    pub fn push(&mut self, line: EventLine) {
        if self.lines.len() == MOST {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
        // Who has scrolled up keeps seeing the same lines.
        if self.scrolled > 0 {
            self.scrolled = (self.scrolled + 1).min(self.lines.len());
        }
    }

    /// Scrolls by lines, positive is up, within what there is.
    pub fn scroll(&mut self, lines: isize, page: usize) {
        let most = self.lines.len().saturating_sub(page);
        self.scrolled = self.scrolled.saturating_add_signed(lines).min(most);
    }
}
