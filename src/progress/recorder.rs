//! Keeps the reading of one log and makes a mark of everything that changes it.

use std::collections::BTreeMap;

use super::alerts::{Meaning, Spelling};
use super::built_in::BuiltInRules;
use super::format::{Preset, Sign};
use super::kept_line::KeptLine;
use super::lines::Line;
use super::memory_holders::memory_holders;
use super::metric_values::{MetricValues, Newest};
use super::reading::{Cause, PatternFault, Reading, Remark, Said, shorten};
use super::traceback::Step;
use super::uncaught::Uncaught;
use crate::model::mark::{Alert, MarkKind};
use crate::model::metric_name::MetricName;
use crate::model::outcome::{FailureReason, Progress, Proof};
use crate::model::rule::BuiltInRule;
use crate::model::stage::Stage;
use crate::model::value_log::ValueLog;

/// A log must not be able to invent any number of them.
const MOST_PARTS: usize = 32;
const MOST_METRICS: usize = 256;
const LONGEST_NAME: usize = 128;
const MOST_REMARKS: usize = 64;

/// Keeps the reading of one log and makes a mark of everything that changes it.
#[derive(Debug)]
pub struct Recorder {
    reading: Reading,
    built_in: BuiltInRules,
    marks: Vec<(u64, MarkKind)>,
    offset: u64,
    announced: Vec<Announced>,
    values: MetricValues,
    progress_line: KeptLine,
    /// The newest progress is that of a file.
    told_by_file: bool,
    last_line: KeptLine,
}

/// What the progress so far is worth when `auto` settles on a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// No preset has read it.
    Kept,
    /// Another preset read it; this was known before the first line.
    Void(Option<Progress>),
}

/// The newest mark of an alert; parallel to the reading's alerts.
#[derive(Debug, Clone, Copy)]
struct Announced {
    count: u64,
    /// Where its newest line begins.
    newest: u64,
}

impl Recorder {
    /// Begins with what is known before the first line.
    pub fn new(reading: Reading, built_in: BuiltInRules) -> Self {
        Self {
            reading,
            built_in,
            marks: Vec::new(),
            offset: 0,
            announced: Vec::new(),
            values: MetricValues::default(),
            progress_line: KeptLine::default(),
            told_by_file: false,
            last_line: KeptLine::default(),
        }
    }

    /// What has been read so far.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Moves the marks made since the last call to `out`, but for those of metrics, and brings the metrics of the reading
    /// up to date.
    pub fn drain_to(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        self.values.collect_to(&mut self.reading.metrics);
        out.append(&mut self.marks);
    }

    /// Makes a mark of every metric that changed since the last call.
    pub fn mark_metrics(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        self.values.collect_to(&mut self.reading.metrics);
        self.values.mark_to(out);
    }

    /// What is known of single values of a pack, and where the line begins that is read.
    pub fn values(&mut self) -> (&mut BTreeMap<String, ValueLog>, u64) {
        (&mut self.reading.values, self.offset)
    }

    /// Everything recorded from now on was read on this line.
    pub fn begin_line(&mut self, line: Line<'_>) {
        self.offset = line.offset;
        self.reading.lines = line.number;
    }

    /// Remembers the newest line that says anything.
    pub fn speaks(&mut self, line: &[u8]) {
        self.last_line.keep(self.reading.lines, self.offset, line);
    }

    /// Makes text of the lines kept so far.
    pub fn end_piece(&mut self) {
        self.reading.last_line = self.last_line.text();
        self.reading.progress_line = self.progress_line.proof();
    }

    /// That much is done; trouble before it did not end the program.
    pub fn progress(&mut self, progress: Progress, line: &[u8]) {
        if self.reading.progress == Some(progress) {
            return;
        }
        self.progress_line.keep(self.reading.lines, self.offset, line);
        self.told_by_file = false;
        self.advance(progress, line);
    }

    /// That much is done, as a file tells it. A log that counts too may be ahead of it, or count what the file begins
    /// anew for each part of the work.
    pub fn progress_of_file(&mut self, progress: Progress) {
        let known = self.reading.progress;
        let log_is_ahead = !self.told_by_file && known.is_some_and(|known| known.done > progress.done);
        if log_is_ahead || known == Some(progress) {
            return;
        }
        // No line of the log proves it.
        self.progress_line = KeptLine::default();
        self.told_by_file = true;
        self.advance(progress, b"");
    }

    /// The file went away before its last count could be read, so that the newest one proves nothing.
    pub fn file_is_gone(&mut self) {
        if self.told_by_file {
            self.reading.guessed = true;
        }
    }

    fn advance(&mut self, progress: Progress, line: &[u8]) {
        if self.reading.progress.is_some_and(|before| progress.done > before.done) {
            self.resumes();
        }
        self.reading.progress = Some(progress);
        self.reading.part = None;
        self.mark(MarkKind::Progress(progress));
        if !self.reading.exception.as_mut().is_some_and(|exception| exception.outlasts(line)) {
            self.goes_on();
        }
    }

    /// A program that evaluates one suite after the other says that it is complete after each. A line that the sweep
    /// declares says so once and for all.
    pub fn resumes(&mut self) {
        if !self.reading.expects_finish {
            self.reading.finished = None;
        }
    }

    /// That much of the next one is done.
    pub fn part(&mut self, part: Progress) {
        if self.reading.part != Some(part) {
            self.reading.part = Some(part);
            self.mark(MarkKind::Part(part));
            self.goes_on();
        }
    }

    fn goes_on(&mut self) {
        self.reading.cause = None;
        self.reading.exception = None;
        self.at(&Stage::Running);
    }

    /// What the progress counts, where the line says so, and whether it proves nothing.
    pub fn counts(&mut self, unit: Option<&'static str>, guessed: bool) {
        self.reading.unit = unit.unwrap_or(self.reading.unit);
        self.reading.guessed = guessed;
    }

    /// A metric of the sweep has this value.
    pub fn metric(&mut self, name: MetricName, value: f64, line: &[u8]) {
        let place = self.values.find(&name).unwrap_or_else(|| self.values.add(name));
        self.result(place, value, line);
    }

    /// A metric of the preset has this value. One that is not a number spoils the results only where `is_result`.
    pub fn preset_metric(&mut self, name: MetricName, value: f64, is_result: bool, line: &[u8]) {
        let place = match self.values.find(&name) {
            Some(place) => place,
            None if self.values.count_of_preset() == MOST_METRICS || name.len() > LONGEST_NAME => return,
            None => self.values.add(name),
        };
        self.values.is_of_preset(place);
        if is_result {
            self.result(place, value, line);
        } else {
            self.value(place, value);
        }
    }

    fn result(&mut self, place: usize, value: f64, line: &[u8]) {
        if !value.is_nan() {
            self.value(place, value);
        } else if !matches!(self.values.at(place).newest, Newest::NotANumber(Some(_))) {
            let proof = self.proof(line);
            self.values.set(place, Newest::NotANumber(Some(proof)), self.offset);
            let name = self.values.at(place).name.clone();
            self.alert("nan", Some(&name), line);
        }
    }

    fn value(&mut self, place: usize, value: f64) {
        if value.is_finite() {
            if self.values.at(place).newest != Newest::Value(value) {
                self.values.set(place, Newest::Value(value), self.offset);
            }
        } else if !matches!(self.values.at(place).newest, Newest::NotANumber(_)) {
            self.values.set(place, Newest::NotANumber(None), self.offset);
        }
    }

    /// `auto` settled on this preset; what another one had read is void.
    pub fn settle(&mut self, preset: &'static Preset, unit: &'static str, guessed: bool, before: Before) {
        self.reading.preset = Some(preset.name);
        self.reading.unit = unit;
        self.reading.guessed = guessed;
        self.resumes();
        match before {
            Before::Kept => {}
            Before::Void(_) if self.told_by_file => {}
            Before::Void(progress) => {
                self.reading.progress = progress;
                self.reading.part = None;
                self.progress_line = KeptLine::default();
            }
        }
        self.mark(MarkKind::Preset { name: preset.name.to_owned() });
        self.values.forget_presets(self.offset);
    }

    /// These patterns of the sweep did not do what they are there for.
    pub fn pattern_faults(&mut self, faults: Vec<PatternFault>) {
        self.reading.pattern_faults = faults;
    }

    /// The program said that it is complete.
    pub fn finished(&mut self, line: &[u8]) {
        if self.reading.finished.is_none() {
            self.reading.finished = Some(self.proof(line));
            self.mark(MarkKind::Finished);
        }
    }

    /// The line announces this stage. Once the work has begun, most of them tell of its details; what is compiled
    /// again and the end are worth knowing, and everything that follows an end.
    pub fn stage(&mut self, stage: &Stage) {
        let begun = self.reading.progress.is_some_and(|progress| progress.done > 0);
        let counts = match stage {
            Stage::Compiling(_) | Stage::Closing(_) => true,
            Stage::Starting(_) | Stage::Loading(_) | Stage::CreatingScene(_) | Stage::Running => {
                !begun || matches!(self.reading.stage, Some(Stage::Closing(_)))
            }
        };
        if counts {
            self.at(stage);
        }
    }

    fn at(&mut self, stage: &Stage) {
        if self.reading.stage.as_ref() != Some(stage) {
            self.reading.stage = Some(stage.clone());
            self.mark(MarkKind::Stage(stage.clone()));
        }
    }

    /// The line names a renderer of the processor; the first one counts.
    pub fn renderer(&mut self, name: &'static str) {
        self.reading.renderer.get_or_insert(name);
    }

    /// The line shows trouble, and is this to a traceback: what was caught explains nothing by itself.
    pub fn trouble(&mut self, spelling: &Spelling, step: Step, line: &[u8]) {
        self.reading.forget_outlived_cause();
        self.alert(spelling.kind, spelling.part.of(line).as_deref(), line);
        match spelling.meaning {
            Meaning::Explains if matches!(step, Step::Caught | Step::Cleanup) => {}
            Meaning::Fails(reason) => self.cause(spelling.kind, Some(reason), line),
            Meaning::Explains => self.cause(spelling.kind, None, line),
            Meaning::Tells => {}
            Meaning::Breaks(rule, message) => self.broken(rule, message, line),
            Meaning::ExplainsOrBreaks(rule, message) => {
                self.cause(spelling.kind, None, line);
                self.broken(rule, message, line);
            }
            Meaning::FailsOrBreaks(reason, rule, message) => {
                self.cause(spelling.kind, Some(reason), line);
                self.broken(rule, message, line);
            }
        }
    }

    /// The first trouble counts, because chains of errors follow it, unless it is outweighed.
    fn cause(&mut self, kind: &'static str, reason: Option<FailureReason>, line: &[u8]) {
        if self.reading.is_end_of_exception(reason) {
            self.reading.exception.iter_mut().for_each(Uncaught::ends);
            return;
        }
        if self.reading.cause.as_ref().is_none_or(|known| known.is_outweighed_by(reason)) {
            let memory_holders = memory_holders(line);
            self.reading.cause = Some(Cause { kind, reason, proof: self.proof(line), memory_holders });
        }
    }

    fn broken(&mut self, rule: BuiltInRule, message: &str, line: &[u8]) {
        if let Some(severity) = self.built_in.meaning(rule) {
            self.remark(Remark { severity, message: message.to_owned() }, line);
        }
    }

    /// The line names the exception that ended a traceback.
    pub fn exception(&mut self, line: &[u8]) {
        self.alert("traceback", None, line);
        match &mut self.reading.exception {
            Some(first) if first.is_of_another_rank(line) => first.goes_on_to(self.reading.lines),
            Some(_) | None => self.reading.exception = Some(Uncaught::new(self.proof(line))),
        }
    }

    /// The line belongs to what Python prints while it cleans up after an exception.
    pub fn cleanup(&mut self) {
        self.reading.exception.iter_mut().for_each(Uncaught::skip_line);
    }

    /// A rule has something to say about this line.
    pub fn remark(&mut self, remark: Remark, line: &[u8]) {
        if let Some(said) = self.reading.remarks.get_mut(&remark) {
            said.count += 1;
        } else if self.reading.remarks.len() < MOST_REMARKS {
            let said = Said { count: 1, proof: Some(self.proof(line)) };
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
            self.announced.push(Announced { count: 0, newest: 0 });
            self.announced.len() - 1
        });
        let alert = &mut self.reading.alerts[position];
        alert.count += 1;
        alert.last_line = self.reading.lines;
        if let Some(part) = part {
            if let Some(count) = alert.parts.get_mut(part) {
                *count += 1;
            } else if alert.parts.len() < MOST_PARTS {
                alert.parts.insert(part.to_owned(), 1);
            }
        }
        let count = alert.count;
        self.announced[position].newest = self.offset;
        if count - self.announced[position].count > count / 16 {
            self.announce(position);
        }
    }

    /// Ends the log: marks the true count of every alert, and judges what only the whole log shows.
    pub fn finish(&mut self, signs: Vec<Sign>) {
        for position in 0..self.announced.len() {
            if self.announced[position].count < self.reading.alerts[position].count {
                self.announce(position);
            }
        }
        for Sign { rule, message } in signs {
            self.conclude(rule, message, None);
        }
        for (message, proof) in self.values.spoiled() {
            self.conclude(BuiltInRule::Nan, message, Some(proof));
        }
    }

    fn conclude(&mut self, rule: BuiltInRule, message: String, proof: Option<Proof>) {
        if let Some(severity) = self.built_in.meaning(rule) {
            self.reading.remarks.insert(Remark { severity, message }, Said { count: 1, proof });
        }
    }

    fn announce(&mut self, position: usize) {
        let alert = self.reading.alerts[position].clone();
        self.announced[position].count = alert.count;
        self.marks.push((self.announced[position].newest, MarkKind::Alert(Box::new(alert))));
    }

    fn proof(&self, line: &[u8]) -> Proof {
        Proof { line: self.reading.lines, offset: self.offset, text: shorten(line) }
    }

    fn mark(&mut self, kind: MarkKind) {
        self.marks.push((self.offset, kind));
    }
}
