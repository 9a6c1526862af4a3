//! Reads one log as it grows: bytes in, marks out, and a reading of everything so far.

use std::sync::Arc;

use super::earlier_counts::EarlierProgress;
use super::line_memory::LineMemory;
use super::outcomes::keep_outcomes;
use super::recorder::{Before, Recorder};
use super::rules::{LogRules, PatternCounts};
use super::run_starts::RunStarts;
use crate::model::logs::mark::MarkKind;
use crate::model::outcome::Progress;
use crate::progress::counts::count_units::holds_episodes;
use crate::progress::counts::metrics::Reduction;
use crate::progress::counts::parts::part_loops::PartLoops;
use crate::progress::counts::printed::rate::PrintedScores;
use crate::progress::format::{Notes, Preset, PresetRank};
use crate::progress::formats::chooser::{Chooser, LineReadResult};
use crate::progress::formats::needles::Seekers;
use crate::progress::formats::stages::AnnouncedEnd;
use crate::progress::patterns::own_values::ValuesTold;
use crate::progress::reader::announced_total::AnnouncedTotals;
use crate::progress::reading::LogSummary;
use crate::progress::text::lines::{LineReducer, PlainLine};
use crate::progress::text::log_tail::LogTail;
use crate::progress::text::number::split_last_number;
use crate::progress::trouble::built_in::reads_results;
use crate::progress::trouble::prompt::asks;
use crate::progress::trouble::renderer;
use crate::progress::trouble::traceback::{TracebackLine, Tracebacks};

/// Reads one log as it grows.
#[derive(Debug)]
pub struct LogReader {
    lines: LineReducer,
    tail: LogTail,
    pub(super) interpreter: Interpreter,
}

/// Makes sense of single lines.
#[derive(Debug)]
pub(super) struct Interpreter {
    pub(super) rules: Arc<LogRules>,
    pub(super) chooser: Chooser,
    /// Behind the end of the work: what another program may have to say.
    pub(super) next: Option<Chooser>,
    pub(super) starts: RunStarts,
    /// True if the chosen preset counts a part of something larger that was not over when it was chosen.
    pub(super) lies_within: bool,
    pub(super) notes: Notes,
    /// Progress of earlier attempts, where the log is that of one that continues.
    pub(super) earlier: Option<EarlierProgress>,
    pub(super) announced: AnnouncedTotals,
    pub(super) parts: PartLoops,
    pub(super) tracebacks: Tracebacks,
    pub(super) reductions: Vec<Reduction>,
    pub(super) uses: PatternCounts,
    pub(super) values: ValuesTold,
    pub(super) rates: PrintedScores,
    pub(super) recorder: Recorder,
    pub(super) memory: LineMemory,
    /// The sweep has patterns of its own.
    has_patterns: bool,
}

impl LogReader {
    /// A reader at the start of a log.
    pub fn new(rules: Arc<LogRules>) -> Self {
        let interpreter = Interpreter {
            chooser: Chooser::new(rules.presets, rules.bar()),
            next: None,
            starts: RunStarts::default(),
            lies_within: false,
            notes: Notes::default(),
            earlier: None,
            announced: AnnouncedTotals::default(),
            parts: PartLoops::default(),
            tracebacks: Tracebacks::default(),
            reductions: rules.metrics.iter().map(|metric| Reduction::new(metric.reduce)).collect(),
            uses: PatternCounts::of(&rules),
            values: ValuesTold::default(),
            rates: PrintedScores::default(),
            recorder: Recorder::new(before_first_line(&rules), rules.built_in.clone()),
            memory: LineMemory::default(),
            has_patterns: rules.has_patterns(),
            rules,
        };
        Self { lines: LineReducer::default(), tail: LogTail::default(), interpreter }
    }

    /// Takes the next bytes; every change goes to `out` with the offset of its line. The same marks come out for
    /// every cut of the bytes. Metrics change with almost every line: see [`Self::mark_metrics`].
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<(u64, MarkKind)>) {
        self.tail.take(bytes);
        self.lines.feed(bytes, |line| self.interpreter.read(line));
        self.interpreter.end_piece(out);
    }

    /// Takes the end of the log: a last line needs no newline.
    pub fn finish(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        if self.asks() {
            self.interpreter.prompt(self.lines.unfinished());
        }
        let number = self.lines.unfinished().number;
        self.interpreter.recorder.reading.lacks_newline =
            !self.lines.unfinished().text.trim_ascii().is_empty();
        self.lines.finish(|line| self.interpreter.read_last(line));
        let last = self.tail.lines(number);
        self.interpreter.end_torn(&last);
        self.interpreter.close_in_words(&last);
        self.interpreter.end_by_key(&last);
        self.interpreter.recorder.finish(self.interpreter.chooser.closing());
        self.interpreter.recorder.note_episodes(self.interpreter.chooser.episodes());
        self.interpreter.judge_patterns();
        self.interpreter.end_piece(out);
        self.mark_metrics(out);
    }

    /// Gives the newest value of every metric that changed since the last call, with the offset of its line; for when
    /// all bytes that are there have been fed.
    pub fn mark_metrics(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        self.interpreter.mark_metrics(out);
    }

    /// Takes the progress that the program reports in its file.
    pub fn tell(&mut self, progress: Progress, out: &mut Vec<(u64, MarkKind)>) {
        let progress = self.interpreter.whole(progress);
        self.interpreter.recorder.progress_of_file(progress);
        self.interpreter.recorder.drain_to(out);
    }

    /// Notes that the progress file is gone at the end: programs that remove it never get to report their last
    /// progress.
    pub fn file_is_gone(&mut self) {
        self.interpreter.recorder.file_is_gone();
    }

    /// Returns what has been read so far.
    pub fn reading(&self) -> &LogSummary {
        self.interpreter.recorder.reading()
    }

    /// The program has asked something and waits for an answer; for when the log has been silent for a moment.
    pub fn asks(&self) -> bool {
        asks(self.lines.unfinished().text)
    }

    /// Reads a bar on the line that has not ended yet. A bar ends its line only when it moves on, so without this it
    /// lags one step behind; for when the log has been silent for a moment.
    pub fn glance(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        self.interpreter.glance(self.lines.unfinished());
        self.interpreter.recorder.drain_to(out);
        self.mark_metrics(out);
    }
}

fn before_first_line(rules: &LogRules) -> LogSummary {
    let own = &rules.progress;
    let declared = rules.presets.first().filter(|_| !rules.is_auto());
    LogSummary {
        preset: declared.map(|preset| preset.name),
        unit: rules.unit(declared.copied()),
        progress: total_alone(own.total),
        expects_finish: own.declares_finished(),
        ..LogSummary::default()
    }
}

/// Nothing is done of what the sweep says there is.
fn total_alone(total: Option<u64>) -> Option<Progress> {
    total.map(|total| Progress { done: 0, total: Some(total) })
}

impl Interpreter {
    fn read(&mut self, line: PlainLine<'_>) {
        self.begin(line);
        self.look_for_start(line.text);
        self.look_for_total(line.text);
        self.interpret(line.text, line.text);
        self.look_for_part(line.text);
    }

    /// Reads what follows the last newline. A number at its very end may have lost digits, so that 1 of 100 looks like
    /// 1 of 1; only the total that is known is surely whole.
    fn read_last(&mut self, line: PlainLine<'_>) {
        self.begin(line);
        let total = self.recorder.reading().progress.and_then(|progress| progress.total);
        let (before, number) = split_last_number(line.text);
        let is_whole = total.is_some_and(|total| number == total.to_string().as_bytes());
        self.interpret(line.text, if is_whole { line.text } else { before });
    }

    fn begin(&mut self, line: PlainLine<'_>) {
        self.recorder.begin_line(line);
        self.memory.begin(line.text);
        if !line.text.trim_ascii_start().is_empty() {
            self.recorder.speaks(line.text);
        }
    }

    /// Reads counts and values from the part of the text whose numbers are sure to be whole.
    fn interpret(&mut self, text: &[u8], sure: &[u8]) {
        let is_over = self.is_over();
        // What was declared is the whole work.
        if self.rules.is_auto() && (is_over || self.recorder.reading().is_all_announced()) {
            self.recorder.look_behind_end(text);
            if self.counts_other_work(text) || self.starts.begins_another(text) {
                self.recorder.doubt_end();
            }
        }
        let reading = self.chooser.place_of_chosen().filter(|_| !is_over);
        let needles = self.rules.needles(reading);
        let found = self.memory.needles_on((needles, reading), text, &mut self.notes.places);
        let consumers = found.consumers;
        let in_traceback = consumers.contains(Seekers::TRACEBACK) || self.tracebacks.is_open();
        let step = if in_traceback { self.tracebacks.read(text) } else { TracebackLine::Nothing };
        match step {
            TracebackLine::Nothing | TracebackLine::Code => {}
            TracebackLine::Thrown => self.recorder.exception(text),
            TracebackLine::Caught => self.recorder.alert("traceback", None, text),
            TracebackLine::Cleanup => self.recorder.cleanup(),
        }
        let ruled = self.has_patterns && self.read_own_patterns(text, sure);
        if step == TracebackLine::Nothing && !consumers.contains(Seekers::TROUBLE) {
            self.recorder.hear_worker(text);
        }
        // A rule of the sweep on the same line knows better what it means.
        if consumers.contains(Seekers::TROUBLE)
            && !ruled
            && step != TracebackLine::Code
            && let Some(error_pattern) = found.trouble_on(text)
        {
            self.recorder.trouble(error_pattern, step, text);
        }
        let end = consumers.contains(Seekers::STAGE).then(|| self.note_stage(text, is_over)).flatten();
        if consumers.contains(Seekers::RENDERER)
            && let Some(name) = renderer::named_on(text)
        {
            self.recorder.renderer(name);
        }
        if !consumers.is_empty() {
            self.read_preset(sure, consumers);
            if is_over {
                self.read_next(sure, consumers);
            }
        }
        if consumers.contains(Seekers::RATE) {
            self.read_printed_rate(sure);
        }
        // The line itself may count the last one.
        match end.filter(|_| !self.rules.progress.declares_finished()) {
            Some(AnnouncedEnd::Work) => self.recorder.end_in_words(text),
            Some(AnnouncedEnd::Early) => self.recorder.end_early(text),
            Some(AnnouncedEnd::Process) => self.recorder.end_process(text),
            None => {}
        }
        if self.rules.counts_any_bar() && !consumers.contains(Seekers::BAR) {
            self.recorder.count_line_behind_bar();
        }
    }

    fn read_preset(&mut self, text: &[u8], consumers: Seekers) {
        self.notes.line = self.recorder.reading().lines;
        let earlier = self.chooser.chosen();
        let choice = self.chooser.read(text, consumers, &mut self.notes);
        if let LineReadResult::Settled(preset) = choice {
            self.lies_within = self.lies_within(earlier, preset);
        }
        self.take(choice, text);
    }

    /// Takes what the format that reads has noted.
    pub(super) fn take(&mut self, choice: LineReadResult, text: &[u8]) {
        match choice {
            LineReadResult::Nothing => return,
            LineReadResult::Read => self.starts.close(),
            LineReadResult::Settled(preset) => {
                self.starts.close();
                let (unit, guessed) = (self.rules.unit(Some(preset)), self.rules.is_guess(preset));
                self.recorder.settle(preset, unit, guessed, self.before(preset));
            }
        }
        let ends = self.notes.summed || self.notes.finished;
        if ends && self.recorder.closes_in_trouble(self.notes.summed) {
            return;
        }
        let counts = self.chooser.chosen().is_some_and(|preset| self.rules.counts(preset));
        if let Some(progress) = self.notes.progress.filter(|_| counts) {
            let progress = self.count_announced_steps(progress);
            let unit = self.notes.unit.unwrap_or(self.recorder.reading().unit);
            let whole = self.whole(progress);
            let (whole, is_announced) = self.with_announced_total(whole, unit);
            let counted = if self.earlier.is_some() { whole } else { progress };
            self.notes.restarts |= self.begins_again(counted) && !self.notes.resumes;
            self.recorder.name_unit(self.notes.unit);
            self.recorder.progress(whole, text);
            let is_doubtful = self.rules.is_auto() && (self.notes.is_doubtful || self.lies_within);
            let is_sure = self.notes.is_sure;
            let is_guess =
                !is_sure && self.chooser.chosen().is_some_and(|preset| self.rules.is_guess(preset));
            let is_open = self.notes.is_open;
            self.recorder.counts(self.notes.unit, is_guess || is_doubtful || is_open, is_open);
            self.recorder.reading.is_announced = is_announced && !is_doubtful && !is_open;
            self.notes.part.into_iter().for_each(|part| self.recorder.part(part, text));
        }
        if self.notes.restarts && counts {
            self.recorder.count_run(text);
        }
        if self.notes.resumes || self.notes.restarts {
            self.recorder.resumes();
        }
        if !self.rules.progress.declares_finished() {
            if self.notes.finished && !self.recorder.is_ended_by_others() {
                self.recorder.finished(text);
            }
            if self.notes.summed {
                self.recorder.end_in_words(text);
            }
        }
        self.note_metrics(text);
    }

    /// Returns what the progress so far is worth to a preset that begins to read.
    fn before(&self, preset: &Preset) -> Before {
        if self.rules.counts(preset) {
            let earlier = self.earlier.map(|earlier| earlier.progress());
            Before::Void(earlier.or_else(|| total_alone(self.rules.progress.total)))
        } else {
            Before::Kept
        }
    }

    /// Episodes of a task or of a seed end before the work does, and so do those by which a training is evaluated.
    fn lies_within(&self, earlier: Option<&'static Preset>, preset: &'static Preset) -> bool {
        let reading = self.recorder.reading();
        let total_of = |progress: Option<Progress>| progress.and_then(|progress| progress.total);
        let was_counted = earlier.is_some_and(|earlier| match earlier.rank {
            PresetRank::Count => {
                let holds_tasks = self.notes.tasks.is_some() && self.notes.tasks == reading.total();
                holds_episodes(reading.unit) && !holds_tasks
            }
            PresetRank::Open => holds_episodes(reading.unit) && self.recorder.has_counted(),
            // A bar of as many draws the episodes themselves.
            PresetRank::Bar => {
                self.recorder.has_counted() && total_of(reading.progress) != total_of(self.notes.progress)
            }
            PresetRank::Manner | PresetRank::Program => false,
        });
        let is_manner = match preset.rank {
            PresetRank::Manner => true,
            PresetRank::Open | PresetRank::Bar | PresetRank::Count | PresetRank::Program => false,
        };
        was_counted && is_manner && !reading.all_done() && !reading.complete()
    }

    pub(super) fn note_metrics(&mut self, text: &[u8]) {
        if !self.chooser.chosen().is_none_or(|preset| self.rules.notes_metrics(preset)) {
            keep_outcomes(&mut self.notes.metrics, text);
        }
        let is_result = self.chooser.chosen().is_some_and(reads_results);
        for (name, value) in self.notes.metrics.drain(..) {
            if !self.rules.metrics.iter().any(|metric| *metric.name == *name) {
                self.recorder.preset_metric(name, value, is_result, text);
            }
        }
    }

    fn mark_metrics(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        self.chooser.totals(&mut self.notes);
        self.note_metrics(b"");
        self.recorder.mark_metrics(out);
        self.values.mark_to(&self.recorder.reading().values, out);
    }

    /// Only formats that are none the worse for reading the line again, when it has ended, see it.
    fn glance(&mut self, line: PlainLine<'_>) {
        let needles = self.rules.needles(self.chooser.place_of_chosen());
        let consumers = needles.on(line.text, &mut self.notes.places).consumers.among(self.rules.bars);
        if !consumers.is_empty() {
            self.recorder.begin_line(line);
            self.read_preset(line.text, consumers);
        }
    }

    /// Raises an alert because the log ends in a question that was not answered.
    fn prompt(&mut self, line: PlainLine<'_>) {
        self.recorder.begin_line(line);
        self.recorder.alert("prompt", None, line.text);
    }

    fn end_piece(&mut self, out: &mut Vec<(u64, MarkKind)>) {
        self.recorder.end_piece();
        self.recorder.drain_to(out);
    }
}
