//! What a reader makes of the log of an attempt that continues others: its counts are a part of all the work.

use super::earlier_counts::EarlierProgress;
use super::log_reader::{Interpreter, LogReader};
use crate::model::logs::mark::MarkKind;
use crate::model::outcome::Progress;
use crate::progress::counts::parts::part_loops::LINES_BEFORE_WORK;
use crate::progress::counts::steps_beside::StepsDone;

impl LogReader {
    /// The log is that of an attempt that continues others, which had done so much: it counts as their work goes on.
    pub fn continue_from(&mut self, before: Progress, out: &mut Vec<(u64, MarkKind)>) {
        let reading = self.interpreter.recorder.reading();
        let total = before.total.or(reading.progress.and_then(|progress| progress.total));
        self.interpreter.earlier = EarlierProgress::of(Progress { total, ..before });
        if let Some(earlier) = &self.interpreter.earlier {
            let (rules, before) = (&self.interpreter.rules, earlier.progress());
            let own = &rules.progress;
            let is_guess = rules.is_auto() && !own.declares_done() && !own.has_file;
            self.interpreter.recorder.begin_from(before, is_guess);
            self.interpreter.recorder.drain_to(out);
        }
    }

    /// The program itself has counted something.
    pub fn has_counted(&self) -> bool {
        self.interpreter.recorder.has_counted()
    }
}

impl Interpreter {
    /// A count as one of all the work, with what earlier attempts had done of it.
    pub(super) fn whole(&mut self, progress: Progress) -> Progress {
        let declared = self.rules.progress.total;
        let progress = Progress { total: progress.total.or(declared), ..progress };
        match &mut self.earlier {
            Some(earlier) => earlier.add_to(progress, declared),
            None => progress,
        }
    }

    /// Looks for a total that is announced before the work.
    pub(super) fn look_for_total(&mut self, text: &[u8]) {
        let reading = self.recorder.reading();
        let precedes_work = !self.recorder.has_counted() || reading.restarted.is_some();
        let begun = reading.restarted.as_ref().map_or(0, |restarted| restarted.line);
        if precedes_work && reading.lines - begun <= LINES_BEFORE_WORK && self.announced.takes_lines() {
            self.announced.take(text);
            self.parts.announce(text, self.memory.shape());
        }
    }

    /// Looks for the heading of a part of the work.
    pub(super) fn look_for_part(&mut self, text: &[u8]) {
        let reading = self.recorder.reading();
        if !self.parts.is_idle_at(reading.progress) {
            self.parts.take(text, reading.lines, self.recorder.offset, reading.progress);
            self.recorder.head_part(self.parts.open_beside(reading.unit));
        }
    }

    /// Takes the steps on the same line in place of a count whose total was not announced, where theirs was. They only show
    /// what falls short: trainings take them by the stride, so that the last ones go beyond the total or are never taken,
    /// and go on to evaluate.
    pub(super) fn count_announced_steps(&mut self, progress: Progress) -> Progress {
        const UNIT: &str = "steps";
        let Some(StepsDone { done, stride }) = self.notes.steps else { return progress };
        let unit = self.notes.unit.unwrap_or(self.recorder.reading().unit);
        if progress.total.is_some() || self.announced.total_of(unit, progress.done).is_some() {
            return progress;
        }
        let is_short =
            |done| self.announced.total_of(UNIT, done).is_some() || self.announced.all_exceed(UNIT, done);
        // The last ones may come or not.
        if !is_short(done.saturating_sub(stride)) {
            return progress;
        }
        self.notes.unit = Some(UNIT);
        self.notes.is_doubtful |= !is_short(done.saturating_add(stride));
        Progress { done, total: None }
    }

    /// Adds a total that was announced, or is usual, to a count that has none; true where it was, or where the count falls
    /// short of each of several.
    pub(super) fn with_announced_total(&self, progress: Progress, unit: &str) -> (Progress, bool) {
        let is_open = progress.total.is_none() && self.earlier.is_none() && !self.notes.is_doubtful;
        if !is_open {
            return (progress, false);
        }
        let is_doubted =
            |total: &u64| self.notes.doubted_totals.as_ref().is_some_and(|all| all.contains(total));
        let announced = self
            .announced
            .total_of(unit, progress.done)
            .filter(|total| !is_doubted(total))
            .or_else(|| self.notes.usual_total.filter(|total| *total > progress.done));
        let is_announced = announced.is_some() || self.announced.all_exceed(unit, progress.done);
        (Progress { total: announced, ..progress }, is_announced)
    }
}
