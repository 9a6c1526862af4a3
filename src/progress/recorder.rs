//! Keeps the reading of one log and makes a mark of everything that changes it.

use std::collections::BTreeSet;

use super::alerts::{Meaning, Spelling};
use super::format::Preset;
use super::lines::Line;
use super::reading::{Exception, Reading, Remark, shorten};
use crate::model::mark::{Alert, MarkKind};
use crate::model::outcome::{Failure, Progress};

/// Keeps the reading of one log and makes a mark of everything that changes it.
#[derive(Debug, Default)]
pub struct Recorder {
    reading: Reading,
    marks: Vec<(u64, MarkKind)>,
    offset: u64,
    announced: Vec<Announced>,
    of_preset: BTreeSet<String>,
    not_numbers: BTreeSet<String>,
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
    pub fn new(reading: Reading) -> Self {
        Self { reading, ..Self::default() }
    }

    /// What has been read so far.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Moves the marks made since the last call to `out`.
    pub fn drain_to(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        out.append(&mut self.marks);
    }

    /// Everything recorded from now on was read on this line.
    pub fn begin_line(&mut self, line: Line<'_>) {
        self.offset = line.offset;
        self.reading.lines = line.number;
    }

    /// Remembers the newest line that says anything.
    pub fn last_line(&mut self, line: &[u8]) {
        self.reading.last_line = shorten(line);
    }

    /// That much is done; trouble before it did not end the program.
    pub fn progress(&mut self, progress: Progress) {
        if self.reading.progress == Some(progress) {
            return;
        }
        self.reading.progress = Some(progress);
        self.reading.cause = None;
        self.reading.exception = None;
        self.mark(MarkKind::Progress(progress));
    }

    /// A metric of the sweep has this value.
    pub fn metric(&mut self, name: &str, value: f64) {
        let known = self.reading.metrics.get(name);
        if value.is_finite() {
            if known.is_some_and(|known| *known == value) {
                return;
            }
            self.not_numbers.remove(name);
            self.reading.metrics.insert(name.to_owned(), value);
            self.mark(MarkKind::Metric { name: name.to_owned(), value: Some(value) });
        } else if self.not_numbers.insert(name.to_owned()) {
            self.forget_metric(name);
        }
    }

    /// A metric of the preset has this value.
    pub fn preset_metric(&mut self, name: &str, value: f64) {
        if !self.of_preset.contains(name) {
            self.of_preset.insert(name.to_owned());
        }
        self.metric(name, value);
    }

    /// `auto` settled on this preset; what another one had read is void.
    pub fn settle(&mut self, preset: &'static Preset, unit: &'static str, guessed: bool) {
        self.reading.preset = Some(preset.name);
        self.reading.unit = unit;
        self.reading.guessed = guessed;
        self.mark(MarkKind::Preset { name: preset.name.to_owned() });
        for name in std::mem::take(&mut self.of_preset) {
            self.forget_metric(&name);
        }
    }

    /// The program said that it is complete.
    pub fn finished(&mut self) {
        if !self.reading.finished {
            self.reading.finished = true;
            self.mark(MarkKind::Finished);
        }
    }

    /// The program is at this stage; of no interest any more once there is progress.
    pub fn stage(&mut self, name: &str) {
        let begun = self.reading.progress.is_some_and(|progress| progress.done > 0);
        if !begun && self.reading.stage.as_deref() != Some(name) {
            self.reading.stage = Some(name.to_owned());
            self.mark(MarkKind::Stage { name: name.to_owned() });
        }
    }

    /// The line shows trouble.
    pub fn trouble(&mut self, spelling: &Spelling, line: &[u8]) {
        self.alert(spelling.kind, line);
        match spelling.meaning {
            Meaning::Fails(reason) if self.reading.cause.is_none() => {
                self.reading.cause = Some(Failure { reason, message: shorten(line) });
            }
            Meaning::Fails(_) => {}
            Meaning::Spoils(message) => self.remark(Remark::invalid(message)),
        }
    }

    /// The line names the exception that ended a traceback.
    pub fn exception(&mut self, line: &[u8]) {
        self.alert("traceback", line);
        self.reading.exception = Some(Exception { text: shorten(line), line: self.reading.lines });
    }

    /// A rule has something to say about the results.
    pub fn remark(&mut self, remark: Remark) {
        *self.reading.remarks.entry(remark).or_default() += 1;
    }

    /// Counts an alert. The first ones are marked one by one, later ones whenever the count grew by a sixteenth:
    /// a simulator can print a hundred thousand of them.
    pub fn alert(&mut self, kind: &str, line: &[u8]) {
        let position = self.reading.alerts.iter().position(|alert| alert.kind == kind).unwrap_or_else(|| {
            let (first_line, text) = (self.reading.lines, shorten(line));
            self.reading.alerts.push(Alert { kind: kind.to_owned(), count: 0, first_line, text });
            self.announced.push(Announced { count: 0, newest: 0 });
            self.announced.len() - 1
        });
        let count = self.reading.alerts[position].count + 1;
        self.reading.alerts[position].count = count;
        self.announced[position].newest = self.offset;
        if count - self.announced[position].count > count / 16 {
            self.announce(position);
        }
    }

    /// Marks the true count of every alert, at the end of the log.
    pub fn finish(&mut self) {
        for position in 0..self.announced.len() {
            if self.announced[position].count < self.reading.alerts[position].count {
                self.announce(position);
            }
        }
    }

    fn announce(&mut self, position: usize) {
        let alert = self.reading.alerts[position].clone();
        self.announced[position].count = alert.count;
        self.marks.push((self.announced[position].newest, MarkKind::Alert(alert)));
    }

    fn forget_metric(&mut self, name: &str) {
        self.reading.metrics.remove(name);
        self.mark(MarkKind::Metric { name: name.to_owned(), value: None });
    }

    fn mark(&mut self, kind: MarkKind) {
        self.marks.push((self.offset, kind));
    }
}
