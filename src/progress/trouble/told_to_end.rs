//! Whether a run was told to end, and has not shown since that it goes on.

use crate::model::outcome::Proof;

/// A program that was told to end counts no more than so often until it does.
const MOST_COUNTS: u32 = 9;

/// Nor does it print more lines.
const MOST_LINES: u64 = 1000;

/// What comes so often, with counts between, is a flag of each episode and tells nothing: Gymnasium's `Terminated`.
const FEWEST_OF_HABIT: u32 = 4;

/// The line on which a run was told to end, and what came since.
#[derive(Debug, Default)]
pub struct ToldToEnd {
    told: Option<Proof>,
    /// The line can mean nothing else.
    is_certain: bool,
    /// Counts since the newest such line.
    counts: u32,
    /// Doubtful lines behind counts.
    repeats: u32,
}

impl ToldToEnd {
    /// Takes such a line; a `doubtful` one may be a habit of the program.
    pub fn tell(&mut self, line: Proof, doubtful: bool) {
        self.repeats += u32::from(doubtful && self.counts > 0);
        if doubtful && self.is_certain && self.told.is_some() {
            return;
        }
        self.told = (!doubtful || !self.is_habit()).then_some(line);
        (self.is_certain, self.counts) = (!doubtful, 0);
    }

    /// The run has counted something.
    pub fn count(&mut self) {
        self.counts = self.counts.saturating_add(1);
        if self.counts > MOST_COUNTS {
            self.told = None;
        }
    }

    /// Another run began, or the same one went on from where it was.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// What seems to tell it comes again and again.
    pub fn is_habit(&self) -> bool {
        self.repeats >= FEWEST_OF_HABIT
    }

    /// The line, in a log of so many lines.
    pub fn line(&self, lines: u64) -> Option<&Proof> {
        self.told.as_ref().filter(|told| lines.saturating_sub(told.line) <= MOST_LINES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(told: &mut ToldToEnd, line: u64, doubtful: bool) {
        told.tell(Proof { line, offset: 0, text: String::new() }, doubtful);
    }

    fn line(told: &ToldToEnd, lines: u64) -> Option<u64> {
        told.line(lines).map(|told| told.line)
    }

    #[test]
    fn a_run_that_goes_on_was_not_told() {
        let mut told = ToldToEnd::default();
        tell(&mut told, 8, true);
        told.count();
        assert_eq!(line(&told, 10), Some(8));
        assert_eq!(line(&told, 9 + MOST_LINES), None, "it prints on");
        (0..MOST_COUNTS).for_each(|_| told.count());
        assert_eq!(line(&told, 30), None, "it counts on");
    }

    #[test]
    fn what_comes_behind_each_count_tells_nothing() {
        let mut told = ToldToEnd::default();
        for number in [3, 5] {
            tell(&mut told, number, false);
            told.count();
        }
        tell(&mut told, 6, true);
        assert_eq!(line(&told, 7), Some(5), "the job was cancelled twice, and the shell says so");
        told.forget();
        for number in [8, 10, 12, 14] {
            told.count();
            tell(&mut told, number, true);
        }
        assert_eq!((line(&told, 15), told.is_habit()), (None, true), "a flag of each episode");
    }
}
