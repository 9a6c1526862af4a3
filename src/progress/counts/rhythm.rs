//! How often a log counts: one that stops sooner than the next count could come was at work.

use crate::model::outcome::Progress;

/// Fewer counts show no rhythm.
const FEWEST: u32 = 4;

/// The lines on which a log counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rhythm {
    counts: u32,
    newest: u64,
    /// Most lines from one count to the next, and fewest.
    longest: u64,
    shortest: Option<u64>,
    done: u64,
    total: Option<u64>,
    /// Most by which a count grew.
    stride: u64,
    /// The counts fell back, and not to their start: they are those of several workers.
    falls_back: bool,
}

impl Rhythm {
    /// Takes the next count and the number of its line.
    pub fn count(&mut self, done: u64, total: Option<u64>, line: u64) {
        if total != self.total {
            *self = Self { total, falls_back: self.falls_back, ..Self::default() };
        }
        let begins_round = done < self.done && done <= 1;
        if begins_round {
            // The next round begins after whatever lies between two.
            self.counts = 0;
        }
        self.falls_back |= done < self.done && !begins_round;
        if self.counts > 0 {
            self.stride = self.stride.max(done.saturating_sub(self.done));
            let lines = line.saturating_sub(self.newest);
            self.longest = self.longest.max(lines);
            self.shortest = Some(self.shortest.map_or(lines, |shortest| shortest.min(lines)));
        }
        (self.counts, self.newest, self.done) = (self.counts.saturating_add(1), line, done);
    }

    /// Reports whether the next count would be beyond the total: loops print every twentieth, and none at their end.
    pub fn is_at_last_stride(&self, progress: Progress) -> bool {
        let is_known = self.counts > 1 && (self.done, self.total) == (progress.done, progress.total);
        let is_beyond = |total: u64| self.done > 0 && self.done.saturating_add(self.stride) > total;
        is_known && self.stride > 1 && self.total.is_some_and(is_beyond)
    }

    /// Reports whether a log of so many lines ends before the next count could have come, and one was to come. The last
    /// one may only have been begun and end without a line that counts it.
    pub fn ends_within(&self, lines: u64) -> bool {
        let next = self.done.saturating_add(self.stride);
        let goes_on = self.total.is_some_and(|total| self.done > 0 && next <= total);
        let is_last = self.stride == 1 && self.total == Some(next);
        let room = self.shortest.filter(|_| is_last).unwrap_or(self.longest);
        let behind = lines.saturating_sub(self.newest);
        self.counts >= FEWEST && goes_on && !self.falls_back && behind < room
    }

    /// Reports whether a log of so many lines has as many behind the newest count as lie between two.
    pub fn fills_stride(&self, lines: u64) -> bool {
        lines.saturating_sub(self.newest) + 1 >= self.longest
    }
}
