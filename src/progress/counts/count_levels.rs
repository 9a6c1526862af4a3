//! Counts within counts: tasks, episodes of a task, steps of an episode. The outermost that still counts drives.

use std::ops::RangeInclusive;

use super::count_level::Level;
use super::count_level::Taken;
use super::count_units::EPOCHS;
use super::count_units::NAMELESS;
use super::count_units::STEPS_OF_EPOCH;
use super::item_state::ItemState;
use super::text_count::TextCount;
use super::text_count::TextCounts;

/// No program counts deeper.
const MOST_LEVELS: usize = 6;

/// The loops of a program, the outermost first.
#[derive(Debug, Default)]
pub struct CountLevels {
    levels: Vec<Level>,
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkCount {
    /// Unit of the count, in the plural.
    pub unit: &'static str,
    /// So many are done.
    pub done: u64,
    /// Total number to be done, where that is known.
    pub total: Option<u64>,
    /// How much of the next one is done.
    pub part: Option<(u64, u64)>,
}

impl CountLevels {
    /// Takes the counts of a line.
    pub fn take(&mut self, counted: &TextCounts<'_>, line: u64) -> Taken {
        let mut counts = counted.counts().peekable();
        let mut taken = Taken::default();
        while let Some(count) = counts.next() {
            let is_last = counts.peek().is_none();
            // A count above another one on the same line is at work.
            let is_over = counts.peek().is_none_or(|inner| self.measures_the_same(&count, inner));
            let told = if is_over { counted.told } else { ItemState::Begins };
            taken = self.take_one(&count, told, is_last && counted.outcome.is_some(), line);
        }
        taken
    }

    /// `[Update 7/915] Step: 114688/15000000`: both grow with every line and neither starts over, so that the second is
    /// the first in another unit.
    fn measures_the_same(&self, outer: &TextCount, inner: &TextCount) -> bool {
        let level = |count: &TextCount| self.levels.iter().find(|level| level.word.unit == count.word.unit);
        level(outer).is_some_and(Level::counts_with_every_line)
            && level(inner).is_some_and(Level::goes_across)
    }

    fn take_one(&mut self, count: &TextCount, told: ItemState, has_outcome: bool, line: u64) -> Taken {
        let Some(position) = self.position(count) else { return Taken::default() };
        let position = self.moved_out(position, count);
        let taken = self.levels[position].take(count, told, has_outcome, line);
        if taken.counts_on {
            self.levels[position + 1..].iter_mut().for_each(|inner| inner.is_current = false);
        }
        taken
    }

    /// Returns the level to which the count belongs; a new level goes below those that are usually further out.
    fn position(&mut self, count: &TextCount) -> Option<usize> {
        let known = self.levels.iter().position(|level| level.word.unit == count.word.unit);
        if known.is_some() || self.levels.len() == MOST_LEVELS {
            return known;
        }
        // What was over before this began does not hold it.
        self.levels.retain(|level| {
            !(level.is_complete() && level.is_certain() && level.word.order <= count.word.order)
        });
        let place = self.levels.iter().position(|level| level.word.order > count.word.order);
        let place = place.unwrap_or(self.levels.len());
        self.levels.insert(place, Level::new(count));
        Some(place)
    }

    /// Places a level that starts over while a deeper one goes on within that one, whatever its word; returns its new
    /// position.
    fn moved_out(&mut self, position: usize, count: &TextCount) -> usize {
        if !self.levels[position].begins_anew(count) {
            return position;
        }
        match (position + 1..self.levels.len()).find(|deeper| self.levels[*deeper].goes_across()) {
            Some(deeper) => {
                let outer = self.levels.remove(deeper);
                self.levels.insert(position, outer);
                self.levels[position].is_current = true;
                position + 1
            }
            None => position,
        }
    }

    /// A line says that something is complete: so is the loop that was at its last.
    pub fn close(&mut self) {
        let Some(driver) = self.driver() else { return };
        if self.levels[driver].is_at_last() && !self.is_short_within(driver) {
            self.levels[driver].close();
        }
    }

    /// The last one was begun, or may have been, and no count within it falls short.
    pub fn is_at_last(&self) -> bool {
        let is_begun = |driver: &usize| {
            let level = &self.levels[*driver];
            level.is_open() && level.is_at_last() || level.may_be_at_last()
        };
        self.driver().filter(is_begun).is_some_and(|driver| !self.is_short_within(driver))
    }

    /// A bar within the present round is full, and with it the round.
    pub fn end_round(&mut self) {
        let Some(driver) = self.driver() else { return };
        if self.levels[driver].is_at_last() && self.levels[driver].is_open() {
            self.levels[driver].close();
        }
    }

    /// All is done that was counted, and nothing was counted twice: another round may follow where one did before.
    pub fn is_all_of_one_round(&self) -> bool {
        let is_full = |level: &Level| level.is_complete() && level.left_behind().is_none();
        self.driver().is_some_and(|driver| is_full(&self.levels[driver]))
            && self.levels.iter().all(|level| !level.restarts())
    }

    /// The same, of what an evaluation counts.
    pub fn is_believed_round(&self) -> bool {
        self.is_all_of_one_round()
            && self.driver().is_some_and(|driver| self.levels[driver].is_believed_loop())
    }

    /// Something is counted for certain, and not epochs alone.
    pub fn is_certain(&self) -> bool {
        self.counts_steps_of_epochs()
            || self.driver().is_some_and(|driver| self.levels[driver].word.unit != EPOCHS)
    }

    /// The lines that count steps name their epoch too.
    fn counts_steps_of_epochs(&self) -> bool {
        self.levels.iter().any(|level| level.word.unit == STEPS_OF_EPOCH.unit && level.is_certain())
    }

    /// How far the outermost loop is.
    pub fn count(&self) -> Option<WorkCount> {
        let driver = self.driver()?;
        let level = &self.levels[driver];
        let done = self.done(driver);
        // `Episode 20/20` behind `Episode 31/50`: two tasks, of which the first was left.
        if let Some((done, total)) = level.left_behind().filter(|_| level.total == Some(done)) {
            return Some(WorkCount { unit: level.word.unit, done, total: Some(total), part: None });
        }
        let part = self.inner(driver).and_then(|inner| {
            let total = self.levels[inner].total?;
            let done = self.done(inner);
            (done < total).then_some((done, total))
        });
        Some(WorkCount { unit: level.word.unit, done, total: level.total, part })
    }

    /// How many epochs there cannot be for certain while one is at work: no fewer than with it, and perhaps as many where
    /// no more of its steps need to come, but perhaps something else.
    pub fn doubted_epochs(&self) -> Option<RangeInclusive<u64>> {
        let driver = self.driver()?;
        let epochs = &self.levels[driver];
        if epochs.word.unit != EPOCHS || epochs.total.is_some() || !epochs.is_open() {
            return None;
        }
        let may_end = self.inner(driver).is_some_and(|inner| !self.levels[inner].is_short());
        let done = epochs.done();
        // What goes on in the midst may count from 0 or from 1.
        let last = done.saturating_add(u64::from(may_end) * (1 + u64::from(epochs.begins_within())));
        Some(done..=last)
    }

    /// No word says what is counted.
    pub fn is_nameless(&self) -> bool {
        self.levels.iter().any(|level| level.is_certain() && level.word.unit == NAMELESS.unit)
    }

    /// The innermost level that counts each of what is evaluated.
    pub fn counts_each(&self) -> bool {
        self.levels.iter().all(|level| level.word.order > 3 || !level.is_certain() || level.counts_each())
    }

    fn driver(&self) -> Option<usize> {
        let holds_steps = |level: &Level| level.word.unit == EPOCHS && self.counts_steps_of_epochs();
        self.levels.iter().position(|level| level.is_certain() || holds_steps(level))
    }

    fn inner(&self, outer: usize) -> Option<usize> {
        let is_same = |inner: &Level| inner.goes_across() && self.levels[outer].counts_with_every_line();
        let mut deeper = outer + 1..self.levels.len();
        deeper.find(|inner| {
            let inner = &self.levels[*inner];
            inner.is_current && inner.is_certain() && !is_same(inner)
        })
    }

    /// With the last of the loop within, the present one ends too.
    fn done(&self, position: usize) -> u64 {
        let level = &self.levels[position];
        let is_full = |inner| {
            let inner_level: &Level = &self.levels[inner];
            inner_level.total.is_some_and(|total| self.done(inner) >= total)
        };
        let ends = level.is_open() && self.inner(position).is_some_and(is_full);
        let done = level.done().saturating_add(u64::from(ends));
        level.total.map_or(done, |total| total.min(done))
    }

    fn is_short_within(&self, position: usize) -> bool {
        let level = &self.levels[position];
        if level.is_short() {
            return true;
        }
        let inner = self.inner(position).filter(|inner| self.levels[*inner].is_believed());
        level.is_open() && inner.is_some_and(|inner| self.is_short_within(inner))
    }
}
