//! What a reader makes of rates that a program prints in its own words.

use super::log_reader::Interpreter;
use crate::model::outcome::Proof;
use crate::progress::counts::count_remark::CountRemark;
use crate::progress::counts::printed::accuracy::accuracy_on;
use crate::progress::counts::printed::rate::RateWorth;
use crate::progress::counts::printed::share::{Scope, share_on};
use crate::progress::counts::printed::success_share::SuccessShare;
use crate::progress::format::{Notes, PresetRank};

/// The metric of all rates of success, and that of all accuracies.
const SUCCESS_RATE: &str = "success_rate";
const ACCURACY: &str = "accuracy";

/// Units that trainings count: where one of these moves on, the next rate is the newer one and not that of another
/// part.
const OF_TRAINING: [&str; 8] =
    ["epochs", "iterations", "updates", "generations", "rounds", "steps", "timesteps", "games"];

impl Interpreter {
    /// Reads the rate on the line, unless the format that reads the log knows better what it is.
    pub(super) fn read_printed_rate(&mut self, text: &[u8]) {
        if self.knows_rates() {
            return;
        }
        let counts = self.chooser.chosen().is_some_and(|preset| preset.rank == PresetRank::Count);
        if counts && let Some(CountRemark::Share(_)) = CountRemark::on(text) {
            // The format takes it itself, and knows how many episodes it is about.
            self.rates.successes.hear();
            return;
        }
        if let Some((scope, share)) = share_on(text) {
            self.take_printed_rate(SUCCESS_RATE, (scope, share), text);
        } else {
            match accuracy_on(text) {
                Some((scope, Some(accuracy))) => {
                    self.take_printed_rate(ACCURACY, (scope, SuccessShare::Rate(accuracy)), text)
                }
                Some((_, None)) => self.rates.accuracies.hear(),
                None => {}
            }
        }
    }

    /// Reports whether the format that reads the log knows its rates, and all that is said of them.
    pub(super) fn knows_rates(&self) -> bool {
        self.chooser.chosen().is_some_and(|preset| match preset.rank {
            PresetRank::Program => true,
            // Episodes that say nothing of their success, summed up behind the last of them.
            PresetRank::Manner => !self.recorder.reading().all_done() || self.counts_successes(),
            PresetRank::Open | PresetRank::Bar | PresetRank::Count => false,
        })
    }

    /// Reports whether the format that reads has counted how many succeeded. What was collected of that so far depends on
    /// the pieces in which the log came.
    fn counts_successes(&self) -> bool {
        let mut notes = Notes::default();
        self.chooser.totals(&mut notes);
        notes.metrics.iter().any(|(name, _)| **name == *SUCCESS_RATE)
    }

    /// Reports whether what is counted is that of a training, whose evaluations print rates before it is over.
    pub(super) fn trains(&self) -> bool {
        self.recorder.has_counted() && OF_TRAINING.contains(&self.recorder.reading().unit)
    }

    /// Reports whether a training was counted, as its unit or its newest line says, and not to its end.
    pub(super) fn is_in_training(&self) -> bool {
        const UNITS: [&str; 5] = ["epochs", "iterations", "updates", "generations", "rounds"];
        let reading = self.recorder.reading();
        let learns = |line: &Proof| ["loss", "Loss"].iter().any(|word| line.text.contains(word));
        let trains = UNITS.contains(&reading.unit) || reading.progress_line.as_ref().is_some_and(learns);
        self.recorder.has_counted() && trains && !reading.all_done()
    }

    /// Takes the episodes of a summary for what is done, where nothing was counted. Whether they are all is not said.
    pub(super) fn count_summary(&mut self) {
        let is_silent = self.recorder.reading().progress.is_none() && self.rules.is_auto();
        if let Some(episodes) = self.rates.successes.episodes().filter(|_| is_silent) {
            self.recorder.count_in_summary(episodes);
        }
    }

    fn take_printed_rate(&mut self, name: &'static str, (scope, share): (Scope, SuccessShare), text: &[u8]) {
        if self.rules.metrics.iter().any(|metric| metric.name == name) {
            return;
        }
        let reading = self.recorder.reading();
        let done =
            reading.progress.filter(|_| OF_TRAINING.contains(&reading.unit)).map(|progress| progress.done);
        let rates = if name == ACCURACY { &mut self.rates.accuracies } else { &mut self.rates.successes };
        match rates.take(scope, share, done) {
            RateWorth::Rate(rate) => self.recorder.preset_metric(name.into(), rate, false, text),
            RateWorth::Unclear => self.recorder.preset_metric_unclear(name.into()),
            RateWorth::Nothing => {}
        }
    }
}
