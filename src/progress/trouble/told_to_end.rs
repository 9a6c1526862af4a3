//! Whether a run was told to end, and has not shown since that it goes on.

/// A program that was told to end counts no more than so often until it does, and prints no more lines.
const MOST_COUNTS: u32 = 9;
const MOST_LINES: u64 = 1000;

/// The line on which a run was told to end, and what came since.
#[derive(Debug, Default)]
pub struct ToldToEnd {
    line: Option<u64>,
    counts: u32,
    /// What seems to tell it comes again and again: `Terminated` behind each episode.
    is_habit: bool,
}

impl ToldToEnd {
    /// Takes the number of such a line. Where the run has counted since the one before, it is `doubtful` ones that
    /// tell it nothing.
    pub fn tell(&mut self, line: u64, doubtful: bool) {
        self.is_habit |= doubtful && self.line.is_some() && self.counts > 0;
        (self.line, self.counts) = ((!doubtful || !self.is_habit).then_some(line), 0);
    }

    /// The run has counted something.
    pub fn count(&mut self) {
        self.counts += 1;
        if self.counts > MOST_COUNTS {
            self.line = None;
        }
    }

    /// Another run began, or the same one went on from where it was.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The line, in a log of so many lines.
    pub fn line(&self, lines: u64) -> Option<u64> {
        self.line.filter(|told| lines.saturating_sub(*told) <= MOST_LINES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_goes_on_was_not_told() {
        let mut told = ToldToEnd::default();
        told.tell(8, true);
        told.count();
        assert_eq!(told.line(10), Some(8));
        assert_eq!(told.line(9 + MOST_LINES), None, "it prints on");
        (0..MOST_COUNTS).for_each(|_| told.count());
        assert_eq!(told.line(30), None, "it counts on");
    }

    #[test]
    fn what_comes_behind_each_count_tells_nothing() {
        let mut told = ToldToEnd::default();
        for line in [3, 5] {
            told.tell(line, false);
            told.count();
        }
        assert_eq!(told.line(6), Some(5), "the job was cancelled twice");
        told.forget();
        for line in [8, 10, 12] {
            told.tell(line, true);
            told.count();
        }
        assert_eq!(told.line(13), None, "a flag of each episode");
    }
}
