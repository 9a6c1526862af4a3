//! What a recorder makes of trouble: alerts and their counts, the cause of a failure, exceptions and remarks.

use std::collections::BTreeMap;

use super::alert_mark::AlertMark;
use super::recorded_ends::proof_of;
use super::recorder::Recorder;
use crate::model::logs::mark::{Alert, MarkKind};
use crate::model::outcome::{FailureReason, Proof};
use crate::model::sweep::rule::BuiltInRule;
use crate::progress::format::LogFinding;
use crate::progress::reading::shorten;
use crate::progress::remarks::{RemarkHits, RemarkSeverity, RuleRemark};
use crate::progress::text::kept_line::KeptLine;
use crate::progress::text::line_level::is_mild;
use crate::progress::text::log_tail::LastLine;
use crate::progress::text::speaker::{are_of_one_process, are_of_two_processes};
use crate::progress::trouble::alerts::{AlertMeaning, ErrorPattern};
use crate::progress::trouble::cause::FailureCause;
use crate::progress::trouble::memory_holders::memory_holders;
use crate::progress::trouble::traceback::TracebackLine;
use crate::progress::trouble::uncaught::{Uncaught, is_of_user};

/// What ends a program without an error of its own.
fn is_of_others(reason: FailureReason) -> bool {
    matches!(reason, FailureReason::Cancelled | FailureReason::Timeout)
}

/// A log must not be able to invent any number of them.
const MOST_PARTS: usize = 32;
const MOST_REMARKS: usize = 64;

impl Recorder {
    /// The line shows trouble, and is this to a traceback: what was caught explains nothing by itself. Nor does what
    /// its logger calls no error: JAX that tries a smaller pool, a server that takes the next port. That a user ends
    /// a program is no error to its logger.
    pub fn trouble(&mut self, error_pattern: &ErrorPattern, step: TracebackLine, line: &[u8]) {
        self.reading.forget_outlived_cause();
        let since_trouble = (self.reading.lines_since_trouble, self.reading.news_since_trouble);
        self.alert(error_pattern.kind, error_pattern.part.of(line).as_deref(), line);
        let is_survived = step != TracebackLine::Thrown && is_mild(line);
        if error_pattern.tells_to_end(line, is_survived) {
            let doubtful = matches!(error_pattern.meaning, AlertMeaning::Stops);
            self.told_to_end.tell(self.proof(line), doubtful);
        }
        match error_pattern.meaning {
            AlertMeaning::Explains
                if is_survived || matches!(step, TracebackLine::Caught | TracebackLine::Cleanup) => {}
            AlertMeaning::Fails(reason) if is_survived && !is_of_others(reason) => {}
            AlertMeaning::Fails(reason) => self.cause(error_pattern.kind, Some(reason), line),
            AlertMeaning::Explains => self.cause(error_pattern.kind, None, line),
            // What trainings log again and again does not keep earlier trouble alive.
            AlertMeaning::Tells if error_pattern.kind == "nan" => {
                (self.reading.lines_since_trouble, self.reading.news_since_trouble) = since_trouble;
            }
            AlertMeaning::Tells | AlertMeaning::Stops => {}
            AlertMeaning::Breaks(rule, message) => self.broken(rule, message, line),
            AlertMeaning::ExplainsOrBreaks(rule, message) => {
                self.cause(error_pattern.kind, None, line);
                self.broken(rule, message, line);
            }
            AlertMeaning::FailsOrBreaks(reason, rule, message) => {
                self.cause(error_pattern.kind, Some(reason), line);
                self.broken(rule, message, line);
            }
        }
    }

    /// The first trouble counts, because chains of errors follow it, unless it is outweighed.
    fn cause(&mut self, kind: &'static str, reason: Option<FailureReason>, line: &[u8]) {
        self.troubled_one_speaks = false;
        self.redrawn = None;
        let is_cancelled_after = kind == "cancelled" && self.reading.ending_exception().is_some();
        if is_cancelled_after || self.reading.is_end_of_exception(reason) {
            self.reading.exception.iter_mut().for_each(Uncaught::ends);
            return;
        }
        if self.reading.cause.as_ref().is_none_or(|known| known.is_outweighed_by(kind, reason, line)) {
            let memory_holders = memory_holders(line);
            self.reading.cause = Some(FailureCause { kind, reason, proof: self.proof(line), memory_holders });
        }
    }

    /// A key that was pressed on this line stopped the program.
    pub fn stopped_by_key(&mut self, line: &[u8]) {
        self.alert("cancelled", None, line);
        self.cause("cancelled", Some(FailureReason::Cancelled), line);
    }

    fn broken(&mut self, rule: BuiltInRule, message: &str, line: &[u8]) {
        if let Some(severity) = self.built_in.meaning(rule) {
            self.remark(RuleRemark { severity, message: message.to_owned() }, line);
        }
    }

    /// The line names the exception that ended a traceback.
    pub fn exception(&mut self, line: &[u8]) {
        self.troubled_one_speaks = false;
        self.redrawn = None;
        self.alert("traceback", None, line);
        // It was another program that a user ended by Ctrl-C.
        if is_of_user(&shorten(line)) {
            self.reading.cause.take_if(|cause| cause.refuses_command_line());
        }
        let goes_on = self.reading.ending_exception().is_some();
        match &mut self.reading.exception {
            Some(first) if first.is_of_another_rank(line) || goes_on && first.is_of_user_and(line) => {
                first.goes_on_to(self.reading.lines);
            }
            Some(_) | None => {
                if self.reading.exception.is_some() && self.reading.ending_exception().is_none() {
                    self.outlived.outlive();
                }
                let is_habit = self.outlived.take(line);
                self.reading.exception = Some(Uncaught::new(self.proof(line), is_habit));
            }
        }
    }

    /// The line shows no trouble: where it shows that the newest exception was caught, that one explains nothing.
    pub fn hear_worker(&mut self, line: &[u8]) {
        if !self.troubled_one_speaks
            && let Some(proof) = self.deadly_trouble()
        {
            self.troubled_one_speaks = are_of_one_process(proof.text.as_bytes(), line);
        }
        if self.reading.exception.as_mut().is_some_and(|exception| exception.is_caught_by_worker(line)) {
            self.reading.exception = None;
            self.outlived.outlive();
        }
    }

    /// The line counts for another process than the one whose trouble is the newest: that one has not gone on.
    pub(super) fn is_of_another_process(&self, line: &[u8]) -> bool {
        !self.troubled_one_speaks
            && self.deadly_trouble().is_some_and(|proof| are_of_two_processes(proof.text.as_bytes(), line))
    }

    /// The newest trouble that a process seldom survives.
    fn deadly_trouble(&self) -> Option<&Proof> {
        let cause = self.reading.cause.as_ref().filter(|cause| cause.kind == "gpu-oom");
        cause.map(|cause| &cause.proof).or(self.reading.exception.as_ref().map(|thrown| &thrown.proof))
    }

    /// The line names a renderer of the processor; the first one counts.
    pub fn renderer(&mut self, name: &'static str) {
        self.reading.renderer.get_or_insert(name);
    }

    /// The line belongs to what Python prints while it cleans up after an exception.
    pub fn cleanup(&mut self) {
        self.reading.exception.iter_mut().for_each(Uncaught::skip_line);
    }

    /// A rule has something to say about this line.
    pub fn remark(&mut self, remark: RuleRemark, line: &[u8]) {
        if let Some(said) = self.reading.remarks.get_mut(&remark) {
            said.count += 1;
        } else if self.reading.remarks.len() < MOST_REMARKS {
            let said = RemarkHits { count: 1, proof: Some(self.proof(line)) };
            self.reading.remarks.insert(remark, said);
        }
    }

    /// Counts an alert. The first ones are marked one by one, later ones whenever the count grew by a sixteenth:
    /// a simulator can print a hundred thousand of them.
    pub fn alert(&mut self, kind: &str, part: Option<&str>, line: &[u8]) {
        let position = self.reading.alerts.iter().position(|alert| alert.kind == kind).unwrap_or_else(|| {
            let (first_line, text) = (self.reading.lines, shorten(line));
            let parts = BTreeMap::new();
            let kind = kind.to_owned();
            self.reading.alerts.push(Alert { kind, count: 0, first_line, last_line: 0, text, parts });
            self.announced.push(AlertMark::default());
            self.announced.len() - 1
        });
        let alert = &mut self.reading.alerts[position];
        alert.count += 1;
        alert.last_line = self.reading.lines;
        (self.reading.lines_since_trouble, self.reading.news_since_trouble) = (0, 0);
        if let Some(part) = part {
            if let Some(count) = alert.parts.get_mut(part) {
                *count += 1;
            } else if alert.parts.len() < MOST_PARTS {
                alert.parts.insert(part.to_owned(), 1);
            }
        }
        let count = alert.count;
        self.announced[position].newest = self.offset;
        self.keep_alerted_line(position, line);
        if count - self.announced[position].count > count / 16 {
            self.announce(position);
        }
    }

    /// Remembers the newest line of the alert. A simulator may print nothing else, so that the copy of the newest line,
    /// which is there already, changes its owner when the next one comes.
    fn keep_alerted_line(&mut self, position: usize, line: &[u8]) {
        let is_kept = self.last_line.begins_at(self.offset);
        match self.alerted {
            None if is_kept => self.alerted = Some(position),
            Some(alerted) if is_kept && alerted == position => {}
            Some(_) | None => self.announced[position].line.keep(self.reading.lines, self.offset, line),
        }
    }

    /// Stores the alerted line with its alert, because another line comes.
    pub(super) fn leave_alerted_line(&mut self) {
        if let Some(position) = self.alerted.take() {
            std::mem::swap(&mut self.last_line, &mut self.announced[position].line);
        }
    }

    /// The newest line of the alert.
    fn alerted_line(&self, position: usize) -> &KeptLine {
        if self.alerted == Some(position) { &self.last_line } else { &self.announced[position].line }
    }

    /// Ends the log: marks the true count of every alert, and judges what only the whole log shows.
    pub fn finish(&mut self, signs: Vec<LogFinding>) {
        for position in 0..self.announced.len() {
            if self.announced[position].count < self.reading.alerts[position].count {
                self.announce(position);
            }
            let alert = &self.reading.alerts[position];
            if alert.count > 1 {
                let newest = (alert.kind.clone(), self.alerted_line(position).text());
                self.reading.newest_texts.extend([newest]);
            }
        }
        self.conclude_all(signs);
        for (message, proof) in self.values.spoiled() {
            self.conclude(BuiltInRule::Nan, message, Some(proof));
        }
    }

    /// Judges what only the whole log of a run shows.
    pub(super) fn conclude_all(&mut self, signs: Vec<LogFinding>) {
        for LogFinding { rule, message } in signs {
            self.conclude(rule, message, None);
        }
    }

    fn conclude(&mut self, rule: BuiltInRule, message: String, proof: Option<Proof>) {
        if let Some(severity) = self.built_in.meaning(rule) {
            self.reading.remarks.insert(RuleRemark { severity, message }, RemarkHits { count: 1, proof });
        }
    }

    /// Notes that a command of several failed, which its launcher reports and goes on.
    pub(super) fn command_failed(&mut self, line: &LastLine) {
        let proof = proof_of(line);
        let remark = RuleRemark {
            severity: RemarkSeverity::Failed,
            message: format!("a command of several failed: {}", proof.text),
        };
        self.reading.remarks.insert(remark, RemarkHits { count: 1, proof: Some(proof) });
    }

    fn announce(&mut self, position: usize) {
        let alert = self.reading.alerts[position].clone();
        self.announced[position].count = alert.count;
        self.marks.push((self.announced[position].newest, MarkKind::Alert(Box::new(alert))));
    }
}
