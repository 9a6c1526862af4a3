//! Ends that a line near the end of a log tells by summing up all that came before it.

use super::log_reader::Interpreter;
use super::recorded_ends::proof_of;
use crate::model::outcome::Proof;
use crate::progress::format::PresetRank;
use crate::progress::formats::closing_doubts::shows_failure;
use crate::progress::formats::closing_launcher::{Queue, queue_in};
use crate::progress::formats::closing_tally::tally_of;
use crate::progress::formats::line_words::words_of;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::log_tail::LastLine;
use crate::progress::text::number::leading_fraction;

impl Interpreter {
    /// `RESULT pick-cube 12/30` as the last line, behind as many episodes, and printed once: of all of them.
    pub(super) fn end_by_result(&mut self, last: &[LastLine]) {
        const RESULT: &str = "RESULT ";
        const OF_PART: [&str; 4] = ["task", "seed", "fold", "suite"];
        let is_result = |line: &&LastLine| {
            let text = line.text.as_bytes();
            behind_prefix(text).unwrap_or(text).starts_with(RESULT.as_bytes())
        };
        let mut results = last.iter().filter(is_result);
        let (Some(done), Some(result), None) = (self.done_of_unknown(), results.next(), results.next())
        else {
            return;
        };
        let share = result.text.rsplit(' ').next().and_then(|share| leading_fraction(share.as_bytes()));
        let mut words = result.text.split(|letter: char| !letter.is_alphabetic());
        let is_of_part = words.any(|word| OF_PART.contains(&word));
        let is_of_all = share.is_some_and(|(successes, episodes, rest)| {
            rest.is_empty() && episodes == done && successes <= episodes && episodes > 1
        });
        if is_of_all && !is_of_part && last.last() == Some(result) {
            self.end_with_all(done, result);
        }
    }

    /// A line that sums up all that were listed ends the work, where no format counts it: nothing else was counted, or
    /// as many.
    pub(super) fn end_by_tally(&mut self, last: &[LastLine]) {
        let is_silent = !self.recorder.has_counted();
        let done = self.done_of_unknown();
        let Some(tally) = tally_of(last).filter(|_| is_silent || done.is_some()) else { return };
        let words: Vec<_> = last.iter().map(|line| words_of(&line.text)).collect();
        if self.ends_in_words() || shows_failure(last, &words) {
            return;
        }
        let line = &last[tally.place];
        if is_silent {
            self.close_by(line);
        } else if done == Some(tally.number) && self.is_counted_by_guess() {
            self.end_with_all(tally.number, line);
        }
    }

    /// A launcher that runs one command after the other has the last word: none of theirs ends the whole.
    pub(super) fn end_by_launcher(&mut self, last: &[LastLine]) {
        let words: Vec<_> = last.iter().map(|line| words_of(&line.text)).collect();
        let Some(queue) = queue_in(&words).filter(|_| !self.rules.progress.declares_done()) else { return };
        match queue {
            Queue::AtWork => self.doubt_ends(),
            Queue::Failed(place) => {
                self.doubt_ends();
                self.recorder.command_failed(&last[place]);
            }
            Queue::Over(_) if shows_failure(last, &words) => self.doubt_ends(),
            Queue::Over(all) => {
                let closing = self.close_by(&last[all.place]);
                if last.first().is_some_and(|line| line.number <= 1) {
                    self.recorder.count_at_end(all.number, "jobs", &closing);
                }
            }
        }
    }

    /// How many are done, where nothing says of how many, nor that they are all.
    fn done_of_unknown(&self) -> Option<u64> {
        let reading = self.recorder.reading();
        let counted = reading.progress.filter(|progress| progress.total.is_none());
        counted.filter(|_| !self.ends_in_words()).map(|progress| progress.done)
    }

    /// The end is known already, or it is for others to say.
    fn ends_in_words(&self) -> bool {
        self.recorder.reading().closing.is_some() || self.rules.progress.declares_done()
    }

    /// What is counted is no format of a program.
    fn is_counted_by_guess(&self) -> bool {
        self.chooser.chosen().is_some_and(|preset| match preset.rank {
            PresetRank::Count => true,
            PresetRank::Program | PresetRank::Open | PresetRank::Bar | PresetRank::Manner => false,
        })
    }

    fn end_with_all(&mut self, all: u64, line: &LastLine) {
        let unit = self.recorder.reading().unit;
        let closing = self.close_by(line);
        self.recorder.count_at_end(all, unit, &closing);
    }

    fn close_by(&mut self, line: &LastLine) -> Proof {
        self.recorder.reading.closing.insert(proof_of(line)).clone()
    }
}
