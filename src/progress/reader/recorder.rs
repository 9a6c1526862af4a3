//! Keeps the reading of one log and makes a mark of everything that changes it.

use std::collections::BTreeMap;

use super::alert_mark::AlertMark;
use crate::model::logs::mark::MarkKind;
use crate::model::logs::metric_name::MetricName;
use crate::model::logs::stage::Stage;
use crate::model::logs::value_log::ValueLog;
use crate::model::outcome::{Progress, Proof};
use crate::progress::counts::bar::Bar;
use crate::progress::counts::metric_values::{MetricValues, NewestValue};
use crate::progress::counts::rate::as_rate;
use crate::progress::counts::rhythm::Rhythm;
use crate::progress::format::Preset;
use crate::progress::patterns::fault::PatternFault;
use crate::progress::reading::{LogSummary, shorten};
use crate::progress::text::kept_line::KeptLine;
use crate::progress::text::line_level::{is_news, is_of_kit};
use crate::progress::text::lines::PlainLine;
use crate::progress::trouble::built_in::BuiltInRules;
use crate::progress::trouble::outlived::Outlived;
use crate::progress::trouble::told_to_end::ToldToEnd;

/// A log must not be able to invent any number of them.
const MOST_METRICS: usize = 256;
const LONGEST_NAME: usize = 128;

/// Keeps the reading of one log and makes a mark of everything that changes it.
#[derive(Debug)]
pub struct Recorder {
    pub(super) reading: LogSummary,
    pub(super) built_in: BuiltInRules,
    pub(super) marks: Vec<(u64, MarkKind)>,
    pub(super) offset: u64,
    pub(super) announced: Vec<AlertMark>,
    pub(super) values: MetricValues,
    pub(super) progress_line: KeptLine,
    /// The newest progress is that of a file.
    told_by_file: bool,
    /// Progress of earlier attempts, where the log is that of one that continues.
    before: Option<Progress>,
    /// Offset of the line that drew a bar again since the newest trouble.
    pub(super) redrawn: Option<u64>,
    pub(super) last_line: KeptLine,
    /// The newest line is that of the alert at this place.
    pub(super) alerted: Option<usize>,
    /// Lines without a bar since the newest progress.
    pub(super) behind_bar: u64,
    /// Lines behind the end of the work.
    pub(super) behind_end: u64,
    pub(super) outlived: Outlived,
    /// The process with the newest trouble has said something since.
    pub(super) troubled_one_speaks: bool,
    pub(super) told_to_end: ToldToEnd,
}

/// Worth of the progress so far when `auto` settles on a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// No preset has read it.
    Kept,
    /// Another preset read it; this was known before the first line.
    Void(Option<Progress>),
}

impl Recorder {
    /// Begins with what is known before the first line.
    pub fn new(reading: LogSummary, built_in: BuiltInRules) -> Self {
        Self {
            reading,
            built_in,
            marks: Vec::new(),
            offset: 0,
            announced: Vec::new(),
            values: MetricValues::default(),
            progress_line: KeptLine::default(),
            told_by_file: false,
            before: None,
            redrawn: None,
            last_line: KeptLine::default(),
            alerted: None,
            behind_bar: 0,
            behind_end: 0,
            outlived: Outlived::default(),
            troubled_one_speaks: false,
            told_to_end: ToldToEnd::default(),
        }
    }

    /// Returns what has been read so far.
    pub fn reading(&self) -> &LogSummary {
        &self.reading
    }

    /// Moves the marks made since the last call to `out`, but for those of metrics, and brings the metrics of the
    /// reading up to date.
    pub fn drain_to(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        self.values.collect_to(&mut self.reading.metrics);
        // Marks are larger than the lines that many are made of.
        if out.is_empty() { std::mem::swap(out, &mut self.marks) } else { out.append(&mut self.marks) }
    }

    /// Makes a mark of every metric that changed since the last call.
    pub fn mark_metrics(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        self.values.collect_to(&mut self.reading.metrics);
        self.values.mark_to(out);
    }

    /// The patterns of the ladder that were seen.
    pub fn watched(&mut self) -> &mut Vec<String> {
        &mut self.reading.watched
    }

    /// Returns what is known of single values of a pack, and the offset of the line that is being read.
    pub fn values(&mut self) -> (&mut BTreeMap<String, ValueLog>, u64) {
        (&mut self.reading.values, self.offset)
    }

    /// Everything recorded from now on was read on this line.
    pub fn begin_line(&mut self, line: PlainLine<'_>) {
        self.offset = line.offset;
        self.reading.lines = line.number;
    }

    /// Remembers the newest line that says anything.
    pub fn speaks(&mut self, line: &[u8]) {
        self.leave_alerted_line();
        self.last_line.keep(self.reading.lines, self.offset, line);
        let in_trouble = self.reading.cause.is_some() || self.reading.exception.is_some();
        if in_trouble && is_of_kit(line) {
            self.cleanup();
        } else {
            self.reading.lines_since_trouble += 1;
            self.reading.news_since_trouble += u64::from(in_trouble && is_news(line));
        }
    }

    /// Makes text of the lines kept so far.
    pub fn end_piece(&mut self) {
        self.reading.last_line = self.last_line.text();
        self.reading.last_line_number = self.last_line.number();
        self.reading.progress_line = self.progress_line.proof();
    }

    /// Records that so much was done before the first line. A `guess` proves nothing.
    pub fn begin_from(&mut self, before: Progress, guess: bool) {
        self.before = Some(before);
        self.reading.progress = Some(before);
        self.reading.guessed = guess;
        self.mark(MarkKind::Progress(before));
    }

    /// The program itself has counted something.
    pub fn has_counted(&self) -> bool {
        let progress = self.reading.progress.filter(|progress| progress.done > 0);
        progress.is_some() && progress != self.before
    }

    /// Records how much is done; trouble before it did not end the program.
    pub fn progress(&mut self, progress: Progress, line: &[u8]) {
        if self.reading.progress == Some(progress) && self.reading.restarted.is_none() {
            return;
        }
        self.progress_line.keep(self.reading.lines, self.offset, line);
        self.reading.rhythm.count(progress.done, progress.total, self.reading.lines);
        self.told_by_file = false;
        self.advance(progress, line);
    }

    /// Records how much is done according to a file. A log that counts too may be ahead of it, or count what the file
    /// begins again for each part of the work.
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
        if let Some(before) = self.reading.progress.filter(|before| is_other_work(*before, progress)) {
            if progress.done < before.done && self.reading.complete() && !self.reading.expects_finish {
                self.count_run(line);
            }
            self.resumes();
        }
        self.leave_run_before();
        self.told_to_end.count();
        (self.behind_bar, self.behind_end) = (0, 0);
        let is_other_bar = self.reading.progress.is_none_or(|before| before.total != progress.total);
        self.reading.progress = Some(progress);
        self.reading.part = None;
        self.mark(MarkKind::Progress(progress));
        self.moves_on(line, is_other_bar);
    }

    /// A program that evaluates one suite after the other says that it is complete after each. A line that the sweep
    /// declares says so once and for all.
    pub fn resumes(&mut self) {
        if !self.reading.expects_finish {
            self.reading.finished = None;
            self.reading.lines_after_words = None;
        }
    }

    /// Records how much of the next unit is done.
    pub fn part(&mut self, part: Progress, line: &[u8]) {
        if self.reading.part != Some(part) {
            let before = self.reading.part.filter(|before| before.total == part.total);
            let stride = before.map_or(0, |before| part.done.saturating_sub(before.done));
            let is_other = before.is_none() && self.reading.part.is_some();
            self.reading.part_stride = if is_other { 0 } else { self.reading.part_stride.max(stride) };
            (self.reading.part, self.reading.part_line) = (Some(part), self.reading.lines);
            self.mark(MarkKind::Part(part));
            self.moves_on(line, false);
        }
    }

    /// The program went on, unless the line is a bar that its end closes: it is drawn once more, behind the trouble.
    fn moves_on(&mut self, line: &[u8], is_other_bar: bool) {
        let in_trouble = self.reading.cause.is_some() || self.reading.exception.is_some();
        let offset = self.offset;
        // Trouble is printed behind a bar that was not ended, and behind a count too where a scheduler ends the program.
        let on_line = self.reading.cause.as_ref().filter(|cause| cause.proof.offset == offset);
        let is_ended = on_line.is_some_and(|cause| matches!(cause.kind, "cancelled" | "timeout"));
        let is_of_bar = in_trouble && (!is_other_bar || on_line.is_some()) && Bar::parse(line).is_some();
        if is_ended || is_of_bar && *self.redrawn.get_or_insert(offset) == offset {
            return;
        }
        if in_trouble && self.is_of_another_process(line) {
            return;
        }
        self.reading.cause = None;
        if self.reading.exception.take().is_some() {
            self.outlived.outlive();
        }
        self.at(&Stage::Running);
    }

    /// The progress that follows counts these.
    pub fn name_unit(&mut self, unit: Option<&'static str>) {
        if let Some(unit) = unit.filter(|unit| *unit != self.reading.unit) {
            self.mark(MarkKind::Unit { name: unit.to_owned() });
        }
    }

    /// Records what the progress counts, where the line says so, whether it proves nothing, and whether that is because
    /// the newest one may only have begun.
    pub fn counts(&mut self, unit: Option<&'static str>, guessed: bool, is_open: bool) {
        self.reading.unit = unit.unwrap_or(self.reading.unit);
        self.reading.is_open = is_open;
        self.reading.guessed = guessed || self.is_full_bar_doubted();
    }

    /// A metric of the sweep has this value.
    pub fn metric(&mut self, name: MetricName, value: f64, line: &[u8]) {
        let place = self.values.find(&name).unwrap_or_else(|| self.values.add(name));
        self.result(place, value, line);
    }

    /// A metric of the preset has this value. One that is not a number spoils the results only where `is_result`; a
    /// share beyond 0 to 1 is unknown.
    pub fn preset_metric(&mut self, name: MetricName, value: f64, is_result: bool, line: &[u8]) {
        let place = match self.values.find(&name) {
            Some(place) => place,
            None if self.values.count_of_preset() == MOST_METRICS || name.len() > LONGEST_NAME => return,
            None => self.values.add(name),
        };
        self.values.is_of_preset(place);
        let value = if (0.0..=1.0).contains(&value) || !self.values.at(place).is_rate {
            Some(value)
        } else {
            as_rate(value)
        };
        let Some(value) = value else { return self.values.set(place, NewestValue::Unknown, self.offset) };
        if is_result {
            self.result(place, value, line);
        } else {
            self.value(place, value);
        }
    }

    /// Marks a metric of the preset as unclear: it has several values, and nothing says which of them counts.
    pub fn preset_metric_unclear(&mut self, name: MetricName) {
        if let Some(place) = self.values.find(&name) {
            self.values.set(place, NewestValue::Unknown, self.offset);
        }
    }

    fn result(&mut self, place: usize, value: f64, line: &[u8]) {
        if !value.is_nan() {
            self.value(place, value);
        } else if !matches!(self.values.at(place).newest, NewestValue::NotANumber(Some(_))) {
            let proof = self.proof(line);
            self.values.set(place, NewestValue::NotANumber(Some(proof)), self.offset);
            let name = self.values.at(place).name.clone();
            self.alert("nan", Some(&name), line);
        }
    }

    fn value(&mut self, place: usize, value: f64) {
        if value.is_finite() {
            if self.values.at(place).newest != NewestValue::Value(value) {
                self.values.set(place, NewestValue::Value(value), self.offset);
            }
        } else if !matches!(self.values.at(place).newest, NewestValue::NotANumber(_)) {
            self.values.set(place, NewestValue::NotANumber(None), self.offset);
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
                self.reading.rhythm = Rhythm::default();
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
        if self.reading.finished.is_none() || self.reading.lines_after_words.is_some() {
            (self.reading.lines_after_words, self.behind_end) = (None, 0);
            if self.leave_run_before() {
                (self.reading.progress, self.reading.part) = (None, None);
                self.progress_line = KeptLine::default();
            }
            self.reading.finished = Some(self.proof(line));
            self.mark(MarkKind::Finished);
        }
    }

    /// Records the stage that the line announces. Once the work has begun, most stages only describe its details; what
    /// is compiled again and the end are worth knowing, and everything that follows an end.
    pub fn stage(&mut self, stage: &Stage) {
        let begun = self.has_counted();
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

    pub(super) fn proof(&self, line: &[u8]) -> Proof {
        Proof { line: self.reading.lines, offset: self.offset, text: shorten(line) }
    }

    fn mark(&mut self, kind: MarkKind) {
        self.marks.push((self.offset, kind));
    }
}

/// True where `now` takes an end back: more is done, something is missing, or the count begins again.
fn is_other_work(before: Progress, now: Progress) -> bool {
    let begins_again = match now.total {
        Some(total) => now.done < total,
        // Processes side by side count a little less than one another.
        None => now.done < before.done.div_ceil(2),
    };
    now.done > before.done || begins_again
}
