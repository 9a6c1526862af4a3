//! What a recorder makes of lines behind the end of the work: another run, or the work itself behind the bar of a part
//! of it.

use super::recorder::Recorder;
use crate::model::logs::mark::MarkKind;
use crate::model::outcome::{Progress, Proof};
use crate::model::results::episode_list::EpisodeList;
use crate::progress::counts::bar::Bar;
use crate::progress::counts::count_suffix::is_ornament;
use crate::progress::counts::parts::part_loop::OpenPart;
use crate::progress::counts::rhythm::Rhythm;
use crate::progress::format::LogFinding;
use crate::progress::formats::before_the_end::BeforeTheEnd;
use crate::progress::formats::closing_line::closing_line;
use crate::progress::reading::shorten;
use crate::progress::text::kept_line::KeptLine;
use crate::progress::text::last_error::{LastError, is_habit};
use crate::progress::text::last_words::{LastWords, announces_work};
use crate::progress::text::line_level::is_of_kit;
use crate::progress::text::log_tail::LastLine;
use crate::progress::trouble::traceback::HEADER;

/// A table of results behind a bar is not longer.
const MOST_BEHIND_BAR: u64 = 100;

/// Number of lines after the words `Training complete` beyond which something else is running. Summaries are shorter.
const LINES_AFTER_WORDS: u64 = 100;

/// The same behind any end: simulators print much while they close.
const MOST_BEHIND_END: u64 = 150;

/// Blank ones follow the end of a process.
const LINES_AFTER_PROCESS: u64 = 3;

/// One of the last lines, as the proof of what it says.
pub(super) fn proof_of(line: &LastLine) -> Proof {
    Proof { line: line.number, offset: line.offset, text: shorten(line.text.as_bytes()) }
}

impl Recorder {
    /// Records the line near the end that says in free words that all is done, and what the very last one says.
    pub fn close_with(&mut self, last: &[LastLine], before: &BeforeTheEnd<'_>) {
        let is_warning = |line: &LastLine| line.text.contains("resource_tracker");
        let spoken = last.iter().rfind(|line| !is_warning(line));
        let is_warned = last.last().is_some_and(is_warning) && !self.told_to_end.is_habit();
        self.reading.before_warnings = spoken.filter(|_| is_warned).map(proof_of);
        // What a whole traceback threw was judged with it: it may have been caught.
        let is_traced = last.iter().any(|line| line.text.contains(HEADER));
        let last_words = last.last().and_then(|line| LastWords::on(line.text.as_bytes()));
        self.reading.last_words = last_words.filter(|said| match said {
            LastWords::Error(LastError::Thrown) => !is_traced && !is_habit(last),
            LastWords::Error(LastError::Stated) => !is_habit(last),
            LastWords::Error(LastError::Logged) | LastWords::Code | LastWords::Begins => true,
        });
        self.reading.told_to_end = self.told_to_end.line(self.reading.lines).cloned();
        self.reading.closing = closing_line(self.before_told(last), before).map(proof_of);
    }

    /// The last lines before the one that told the program to end: words and results behind it prove nothing.
    pub fn before_told<'a>(&self, last: &'a [LastLine]) -> &'a [LastLine] {
        let told = self.told_to_end.line(self.reading.lines).map_or(u64::MAX, |told| told.line);
        &last[..last.partition_point(|line| line.number < told)]
    }

    /// Reports whether the run was told to end and is not known to have done all: what it prints while it closes is not
    /// the end of its work.
    pub fn is_ended_by_others(&self) -> bool {
        self.told_to_end.line(self.reading.lines).is_some() && !self.reading.all_done()
    }

    /// Reports whether an exception came that nothing outlived, or any trouble before what the program prints `in any
    /// case`, and not all is known to be done: its last lines, and the count on them, show no end of the work.
    pub fn closes_in_trouble(&self, in_any_case: bool) -> bool {
        let is_in_trouble = self.reading.exception.is_some() || in_any_case && self.reading.cause.is_some();
        is_in_trouble && !self.reading.all_done()
    }

    /// Reports whether less is done than there was to do, as far as a count or the newest bar tell it.
    pub fn may_fall_short(&self, last: &[LastLine]) -> bool {
        let newest_bar = last.iter().rev().find_map(|line| Bar::parse(line.text.as_bytes()));
        let is_in_bar = newest_bar.is_some_and(|bar| bar.total().is_some_and(|total| bar.done() < total));
        is_in_bar || self.reading.total().is_some() && !self.reading.all_done()
    }

    /// Records that all of so many are done, as a line near the end says; trouble behind it stays what it is.
    pub fn count_at_end(&mut self, all: u64, unit: &'static str, line: &Proof) {
        let progress = Progress { done: all, total: Some(all) };
        self.reading.progress = Some(progress);
        self.progress_line.keep(line.line, line.offset, line.text.as_bytes());
        self.marks.push((self.offset, MarkKind::Progress(progress)));
        self.name_unit(Some(unit));
        self.counts(Some(unit), true, false);
    }

    /// Records that so many episodes are done, which a summary of them says and no line counts.
    pub fn count_in_summary(&mut self, episodes: u64) {
        let progress = Progress { done: episodes, total: None };
        self.reading.progress = Some(progress);
        self.marks.push((self.offset, MarkKind::Progress(progress)));
        self.name_unit(Some("episodes"));
        self.counts(Some("episodes"), true, false);
    }

    /// The last of an announced total may be over without a word, so that its count proves nothing.
    pub fn doubt_announced_total(&mut self) {
        if self.reading.is_announced {
            (self.reading.guessed, self.reading.is_announced, self.reading.is_open) = (true, false, true);
        }
    }

    /// Records how single episodes ended.
    pub fn note_episodes(&mut self, episodes: Option<EpisodeList>) {
        self.reading.episodes = episodes;
    }

    /// Records that another run began on this line, behind one whose log had these signs.
    pub fn restart_run(&mut self, line: &[u8], signs: Vec<LogFinding>) {
        self.resumes();
        self.conclude_all(signs);
        self.reading.rhythm = Rhythm::default();
        self.begin_run_again(line);
        self.reading.restarted = self.reading.began_again.clone();
    }

    /// Records that another run began on this line: what ended the one before is not its own.
    pub fn begin_run_again(&mut self, line: &[u8]) {
        (self.reading.cause, self.reading.exception) = (None, None);
        self.reading.stops_early = false;
        self.outlived.forget();
        self.count_run(line);
    }

    /// Records that another process began on this line near the end of the log, and counted nothing.
    pub fn begin_run_at_end(&mut self, line: Proof) {
        self.note_run(line.clone());
        (self.reading.closing, self.reading.told_to_end) = (None, None);
        (self.reading.ends_loop, self.reading.hints_at_stop) = (false, false);
        self.reading.restarted = Some(line);
    }

    /// Counts one more run, which the format that reads has recognised by itself. Lines of the same start count once.
    pub fn count_run(&mut self, line: &[u8]) {
        self.note_run(self.proof(line));
    }

    fn note_run(&mut self, line: Proof) {
        self.told_to_end.forget();
        if self.reading.restarted.is_none() {
            self.reading.restarts += 1;
        }
        self.reading.began_again = Some(line);
    }

    /// The run that began has its first figure: those of the run before stayed until now.
    pub(super) fn leave_run_before(&mut self) -> bool {
        let is_first = self.reading.restarted.take().is_some();
        if is_first {
            self.values.forget_presets(self.offset);
        }
        is_first
    }

    /// The line says in plain words that the work is over. They count where something was counted and nothing is known
    /// to be missing.
    pub fn end_in_words(&mut self, line: &[u8]) {
        let is_counted = self.reading.progress.is_some_and(|progress| {
            progress.done > 0
                && (self.reading.is_announced || progress.total.is_none_or(|total| progress.done >= total))
        });
        if is_counted && self.told_to_end.line(self.reading.lines).is_none() {
            self.close_work(line);
        }
    }

    /// The line says that the program's own rules stop it before its total, which is only the most there may be.
    pub fn end_early(&mut self, line: &[u8]) {
        if self.reading.progress.is_some_and(|progress| progress.done > 0) {
            self.reading.stops_early = true;
            self.close_work(line);
        }
    }

    fn close_work(&mut self, line: &[u8]) {
        if self.reading.finished.is_none() && !self.reading.expects_finish {
            self.leave_run_before();
            self.reading.finished = Some(self.proof(line));
            self.reading.lines_after_words = Some(LINES_AFTER_WORDS);
        }
    }

    /// The console that started the program says that it ended with exit code 0, which is worth as much as the code
    /// itself: nothing where the log shows a failure or a shortfall, or where anything follows.
    pub fn end_process(&mut self, line: &[u8]) {
        let reading = &self.reading;
        let went_well = reading.ending_cause().is_none() && reading.ending_exception().is_none();
        if went_well && !reading.falls_short() && reading.finished.is_none() && !reading.expects_finish {
            self.leave_run_before();
            self.reading.finished = Some(self.proof(line));
            self.reading.lines_after_words = Some(LINES_AFTER_PROCESS);
        }
    }

    /// Takes a line behind the end of the work. Where more comes than a summary and what programs print while they close,
    /// or other work is announced, that end was the end of a part.
    pub fn look_behind_end(&mut self, line: &[u8]) {
        let speaks = line.first().is_some_and(|byte| !byte.is_ascii_whitespace()) && !is_of_kit(line);
        if !speaks || is_ornament(line) {
            return;
        }
        self.behind_end += 1;
        if self.behind_end > MOST_BEHIND_END || announces_work(line) {
            self.doubt_end();
        }
    }

    /// Records the part of the work behind which others are to come: its heading, and whether another came before it.
    pub fn head_part(&mut self, open: Option<(&KeptLine, bool)>) {
        let known = self.reading.open_part.as_ref().map(|part| part.heading.line);
        if open.map(|(heading, _)| heading.number()) != known {
            let part = |(heading, has_moved): (&KeptLine, bool)| {
                Some(OpenPart { heading: heading.proof()?, has_moved })
            };
            self.reading.open_part = open.and_then(part);
        }
    }

    /// The end was that of a part of the work.
    pub fn doubt_end(&mut self) {
        self.resumes();
        if self.reading.all_done() {
            (self.reading.guessed, self.reading.is_announced) = (true, false);
        }
    }

    /// No words of the log end the work: something at its end says otherwise.
    pub fn take_back_words(&mut self) {
        self.reading.closing = None;
        self.doubt_end_in_words();
    }

    /// More work comes behind the words that said that it is over.
    pub fn doubt_end_in_words(&mut self) {
        if self.reading.lines_after_words.is_some() {
            self.resumes();
        }
    }

    /// Counts a line behind a bar that was never declared as the work. Only a few such lines can be its results.
    pub fn count_line_behind_bar(&mut self) {
        self.behind_bar = self.behind_bar.saturating_add(1);
        if self.behind_bar == MOST_BEHIND_BAR {
            self.doubt_full_bar();
        }
    }

    /// Doubts a bar that is full: behind that of a part of the work, such as the loading of a model, the work begins.
    pub fn doubt_full_bar(&mut self) {
        if self.reading.all_done() {
            self.behind_bar = MOST_BEHIND_BAR;
            self.reading.guessed = true;
        }
    }

    /// True where the newest progress is that of such a bar.
    pub(super) fn is_full_bar_doubted(&self) -> bool {
        self.behind_bar >= MOST_BEHIND_BAR && self.reading.all_done()
    }
}
