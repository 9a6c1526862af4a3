//! What a reader makes of the patterns that the sweep declares itself.

use super::log_reader::Interpreter;
use crate::progress::patterns::own_use::Match;
use crate::progress::remarks::{RemarkSeverity, RuleRemark};

impl Interpreter {
    /// Holds the line against the patterns of the sweep; true where one of its rules matched.
    pub(super) fn read_own_patterns(&mut self, text: &[u8], sure: &[u8]) -> bool {
        self.rules.watched.note_on(text, self.recorder.watched());
        self.read_own_values(sure);
        self.read_own_rules(text)
    }

    /// Reads the progress and the metrics that the sweep declares.
    fn read_own_values(&mut self, text: &[u8]) {
        let line = self.recorder.reading().lines;
        if let Some(progress) = self.uses.done.take(line, self.rules.progress.read(text)) {
            let progress = self.whole(progress);
            self.recorder.progress(progress, text);
        }
        let (known, offset) = self.recorder.values();
        self.values.take(&self.rules.values, text, offset, known);
        let metrics = self.rules.metrics.iter().zip(&mut self.reductions).zip(&mut self.uses.metrics);
        for ((metric, reduction), used) in metrics {
            if let Some(value) = used.take(line, metric.read(text)) {
                self.recorder.metric(metric.name.clone().into(), reduction.take(value), text);
            }
        }
    }

    /// Applies the rules of the sweep; true when one matched.
    fn read_own_rules(&mut self, text: &[u8]) -> bool {
        let finished = if self.rules.progress.says_finished(text) { Match::Value(()) } else { Match::None };
        if self.uses.finished.take(self.recorder.reading().lines, finished).is_some() {
            self.recorder.finished(text);
        }
        let mut ruled = false;
        for rule in self.rules.rules.iter().filter(|rule| rule.matches(text)) {
            ruled = true;
            self.recorder.alert(alert_kind(rule.severity), None, text);
            self.recorder.remark(RuleRemark { severity: rule.severity, message: rule.message.clone() }, text);
        }
        ruled
    }

    /// Says at the end what patterns of the sweep did not do. Lines that never came were counted all the same.
    pub(super) fn judge_patterns(&mut self) {
        let lines = self.recorder.reading().lines;
        for (metric, used) in self.rules.metrics.iter().zip(&self.uses.metrics) {
            if metric.group().is_none() && used.is_idle() && lines > 0 {
                self.recorder.metric(metric.name.clone().into(), 0.0, b"");
            }
        }
        let faults = self.uses.faults(&self.rules, lines);
        self.recorder.pattern_faults(faults);
    }
}

fn alert_kind(severity: RemarkSeverity) -> &'static str {
    match severity {
        RemarkSeverity::Invalid => "invalid",
        RemarkSeverity::Failed => "failed",
        RemarkSeverity::Warning => "warning",
    }
}
