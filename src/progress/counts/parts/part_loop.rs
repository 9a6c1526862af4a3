//! The loop over parts of one name: `Fold 1/5`, and later `Fold 2/5`.

use super::heading::PartHeading;
use crate::model::outcome::{Progress, Proof};

/// A loop whose heads come one after the other, with nothing counted between, is no loop of parts but for a few that
/// were done before.
const MOST_SKIPPED: u32 = 2;

/// A format may take the headings of parts for a count of the work until it sees what lies within them.
const MOST_OWN_COUNTS: u32 = 1;

/// A part of the work behind which others are to come.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenPart {
    /// Its heading.
    pub heading: Proof,
    /// Whether another part came before it.
    pub has_moved: bool,
}

/// The loop over parts of one name.
#[derive(Debug)]
pub struct PartLoop {
    /// The newest heading.
    pub newest: PartHeading,
    from_zero: bool,
    /// So many headings came behind parts in which something was counted.
    pub moves: u32,
    /// Something was counted below the newest heading.
    is_counted: bool,
    /// So many headings came in a row with nothing counted between them.
    skipped: u32,
    /// So many headings in a row were counts of the work, with nothing else counted between them.
    own_counts: u32,
    /// How much of the work was done at the newest heading, where that was a part of it.
    within: Option<Progress>,
    state: LoopState,
}

/// What the headings turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopState {
    /// Parts that hold what is counted.
    Holds,
    /// Something within the work, or no loop of parts.
    IsOther,
    /// The part around it, or the run, is another one: its next heading begins it again.
    IsOver,
}

impl PartLoop {
    /// A loop that begins with this heading. One that does not begin with the first part is run by other processes too.
    pub fn begin(heading: PartHeading) -> Self {
        let state = if heading.index <= 1 { LoopState::Holds } else { LoopState::IsOther };
        Self {
            from_zero: heading.index == 0,
            newest: heading,
            moves: 0,
            is_counted: false,
            skipped: 0,
            own_counts: 0,
            within: None,
            state,
        }
    }

    /// Takes the next heading, with so much done of the present work, which the same line `counts` or not; true where it
    /// is that of another part.
    pub fn take(&mut self, heading: PartHeading, done: Option<Progress>, counts: bool) -> bool {
        let is_begun =
            |done: &Progress| done.done > 0 && done.total.is_none_or(|total| done.done < total) && !counts;
        self.within = done.filter(is_begun);
        if self.state == LoopState::IsOver {
            let goes_on = heading.index > self.newest.index;
            let from_zero = self.from_zero && goes_on;
            *self = Self {
                from_zero: from_zero || heading.index == 0,
                state: LoopState::Holds,
                moves: self.moves + u32::from(goes_on),
                ..Self::begin(heading)
            };
            return true;
        }
        if heading.index == self.newest.index {
            return false;
        }
        let is_next = heading.index == self.newest.index + 1;
        let falls = heading.index < self.newest.index;
        let counts_itself = counts && done.is_some_and(|done| done.total == Some(heading.total));
        self.own_counts += u32::from(counts_itself);
        let is_work = self.own_counts > MOST_OWN_COUNTS;
        if heading.index > heading.total || is_work || self.is_counted && falls {
            self.state = LoopState::IsOther;
        } else if self.is_counted {
            (self.moves, self.skipped) = (self.moves + 1, 0);
        } else if falls {
            // The list of the parts comes before them.
            self.skipped = 0;
            self.from_zero = heading.index == 0;
        } else {
            self.skipped += 1;
            if !is_next || self.skipped > MOST_SKIPPED {
                self.state = LoopState::IsOther;
            }
        }
        (self.newest, self.is_counted) = (heading, false);
        true
    }

    /// The count of the work moved on: a heading in the middle of it lies within it, unless the count begins again.
    pub fn count(&mut self, progress: Progress) {
        self.is_counted = true;
        if progress.total != Some(self.newest.total) {
            self.own_counts = 0;
        }
        let goes_on = self
            .within
            .take()
            .is_some_and(|before| before.total == progress.total && progress.done > before.done);
        if goes_on && self.state == LoopState::Holds {
            self.state = LoopState::IsOther;
        }
    }

    /// The part around it is another one, or the run is.
    pub fn end(&mut self) {
        if self.state == LoopState::Holds {
            self.state = LoopState::IsOver;
        }
    }

    /// Its parts hold what is counted, as far as is known.
    pub fn may_hold(&self) -> bool {
        self.state != LoopState::IsOther
    }

    /// Something was counted below the newest heading.
    pub fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// More parts are to come than were begun.
    pub fn is_open(&self) -> bool {
        let is_known = self.newest.is_sure || self.moves > 0;
        is_known
            && self.state == LoopState::Holds
            && self.newest.index + u64::from(self.from_zero) < self.newest.total
    }
}
