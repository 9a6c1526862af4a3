//! What a reader makes of several runs in one log: the newest one counts, and none adds to another.

use super::log_reader::Interpreter;
use super::run_starts::RunPhase;
use crate::model::outcome::{Progress, Proof};
use crate::progress::counts::count_units::{counts_fewer, last_numbered};
use crate::progress::counts::printed::rate::PrintedScores;
use crate::progress::counts::printed::share::share_on;
use crate::progress::counts::printed::success_share::SuccessShare;
use crate::progress::format::PresetRank;
use crate::progress::formats::before_the_end::BeforeTheEnd;
use crate::progress::formats::behind_the_end::gives_figure;
use crate::progress::formats::chooser::Chooser;
use crate::progress::formats::chooser::LineReadResult;
use crate::progress::formats::closing_doubts::command_failed;
use crate::progress::formats::closing_words::hints_at_early_stop;
use crate::progress::formats::line_words::words_of;
use crate::progress::formats::needles::Seekers;
use crate::progress::formats::part_behind_end::{begins_part, heads_another};
use crate::progress::formats::stages::{AnnouncedEnd, announcement_on};
use crate::progress::text::find::find;
use crate::progress::text::last_words::announces_work;
use crate::progress::text::log_tail::LastLine;
use crate::progress::trouble::traceback::HEADER;
use crate::progress::trouble::uncaught;

/// Processes side by side that count in one log are not so far apart when they begin.
const FEWEST_BEFORE: u64 = 4;

/// Behind the last of a round there are so many lines at most: a summary.
const MOST_BEHIND_ROUND: u64 = 16;

impl Interpreter {
    /// Reports whether runs are distinguished: patterns and files of the sweep count what they are there to count.
    fn tells_runs(&self) -> bool {
        let counts = self.chooser.chosen().is_some_and(|preset| self.rules.counts(preset));
        counts && !self.rules.progress.declares_finished()
    }

    /// The log is torn within a traceback: what was thrown is not known, only where.
    pub(super) fn end_torn(&mut self, last: &[LastLine]) {
        // What is thrown behind Ctrl-C comes from another process that ends.
        let is_of_user = |thrown: &Proof| uncaught::is_of_user(&thrown.text);
        let is_known = self.recorder.reading().ending_exception().is_some_and(is_of_user);
        if let Some(line) = last.last().filter(|_| self.tracebacks.is_torn() && !is_known) {
            self.recorder.exception(line.text.as_bytes());
        }
    }

    /// The terminal shows the key that stopped the program: `[00:00<?, ?it/s]^C`. Viewers and simulators that have done
    /// their work are stopped by it too.
    pub(super) fn end_by_key(&mut self, last: &[LastLine]) {
        let is_key = |line: &&LastLine| {
            let before = line.text.trim().strip_suffix("^C");
            before.is_some_and(|before| before.is_empty() || before.ends_with([']', '|', '%']))
        };
        let reading = self.recorder.reading();
        let is_over = reading.closing.is_some() || reading.complete() || reading.all_done();
        if let Some(line) = last.last().filter(is_key).filter(|_| !is_over) {
            self.recorder.stopped_by_key(line.text.as_bytes());
        }
    }

    /// Reads the last lines of the log for words by which a program says that all is done.
    pub(super) fn close_in_words(&mut self, last: &[LastLine]) {
        let are_of_work = !(self.knows_rates() || self.trains() || self.falls_short_of_announced());
        let before = BeforeTheEnd {
            has_counted: self.recorder.has_counted(),
            falls_short: self.recorder.may_fall_short(last),
            trains: self.is_in_training(),
            is_torn: self.recorder.reading().lacks_newline,
            first_line: self.starts.first_line(),
            shares: if are_of_work { self.rates.successes.printed() } else { 0 },
            accuracies: if are_of_work { self.rates.accuracies.printed() } else { 0 },
        };
        self.recorder.close_with(last, &before);
        self.look_for_failed_command(last);
        self.count_what_was_announced();
        self.count_by_share();
        self.count_by_number();
        self.end_loop(last);
        self.end_last_begun();
        self.end_doubted();
        self.end_counted_round(last);
        let before_told = self.recorder.before_told(last);
        self.end_by_result(before_told);
        self.end_by_tally(before_told);
        self.end_by_launcher(before_told);
        self.look_for_start_behind_end(last);
        self.look_for_part_behind_end(last);
        self.count_summary();
    }

    /// A command that failed behind the work was part of what there was to do, unless the count was declared.
    fn look_for_failed_command(&mut self, last: &[LastLine]) {
        if command_failed(self.behind_count(last)) {
            self.doubt_ends();
        }
    }

    /// The very last line begins other work, or one behind the end heads it as the first line of the log did.
    fn look_for_part_behind_end(&mut self, last: &[LastLine]) {
        let behind = self.behind_count(last);
        let reading = self.recorder.reading();
        let ended = [&reading.closing, &reading.finished]
            .into_iter()
            .flatten()
            .map(|end| end.line)
            .max()
            .unwrap_or(0);
        let first = self.starts.first_line();
        let heading = behind.iter().rposition(|line| line.number > ended && heads_another(&line.text, first));
        // A summary has such headings too.
        let sums_up = |at: usize| behind[at..].iter().any(|line| gives_figure(&words_of(&line.text)));
        let begins = behind.last().is_some_and(|line| begins_part(&line.text));
        if begins || heading.is_some_and(|at| !sums_up(at)) {
            self.doubt_ends();
        }
    }

    /// The last lines behind the newest count.
    fn behind_count<'a>(&self, last: &'a [LastLine]) -> &'a [LastLine] {
        let counted = self.recorder.reading().progress_line.as_ref().map_or(0, |counted| counted.line);
        &last[last.partition_point(|line| line.number <= counted)..]
    }

    /// No words and no count prove that all is done, unless the count was declared.
    pub(super) fn doubt_ends(&mut self) {
        self.recorder.take_back_words();
        if self.rules.is_auto() {
            self.recorder.doubt_end();
        }
    }

    fn falls_short_of_announced(&self) -> bool {
        let reading = self.recorder.reading();
        reading.is_announced && !reading.all_done()
    }

    /// Notes that the loop that counts may be over, because it prints every twentieth only, and that the program hints at
    /// stopping early. A count of fewer behind either is that of a loop around it, or goes on.
    fn end_loop(&mut self, last: &[LastLine]) {
        let reading = self.recorder.reading();
        let Some((progress, line)) = reading.progress.zip(reading.progress_line.as_ref()) else { return };
        let counts_on = |from: u64| last.iter().any(|near| near.number > from && counts_fewer(&near.text));
        let said = last.iter().rfind(|near| near.number > line.line && hints_at_early_stop(&near.text));
        let ends = reading.rhythm.is_at_last_stride(progress) && !counts_on(line.line);
        let hints_at_stop = said.is_some_and(|said| !counts_on(said.number));
        (self.recorder.reading.ends_loop, self.recorder.reading.hints_at_stop) = (ends, hints_at_stop);
    }

    /// Takes the total that was announced for what is done, where nothing was counted: the program says that it is.
    fn count_what_was_announced(&mut self) {
        let is_silent = self.recorder.reading().progress.is_none() && !self.rules.progress.declares_done();
        let Some((unit, total)) = self.announced.evaluated().filter(|_| is_silent) else { return };
        let Some(closing) = self.recorder.reading().closing.clone() else { return };
        self.recorder.count_at_end(total, unit, &closing);
    }

    /// The share of all at the end says how many there were, where nothing was counted or as many.
    fn count_by_share(&mut self) {
        let reading = self.recorder.reading();
        let Some(closing) = reading.closing.clone().filter(|_| reading.total().is_none()) else { return };
        let Some((_, SuccessShare::Counted { episodes, .. })) = share_on(closing.text.as_bytes()) else {
            return;
        };
        let (done, unit) = (episodes as u64, reading.progress.map_or("episodes", |_| reading.unit));
        if reading.progress.is_some_and(|progress| progress.done != done)
            || self.rules.progress.declares_done()
        {
            return;
        }
        self.recorder.count_at_end(done, unit, &closing);
    }

    /// `Training complete! Final step: 2204`: the last steps before an end are not printed where only every tenth is.
    fn count_by_number(&mut self) {
        let reading = self.recorder.reading();
        let Some(closing) = reading.closing.clone().filter(|_| reading.total().is_none()) else { return };
        let Some((unit, number)) = last_numbered(&closing.text) else { return };
        let goes_on = match reading.progress {
            Some(progress) => unit == reading.unit && number > progress.done,
            None => number > 0 && self.chooser.chosen().is_none(),
        };
        if goes_on && !self.rules.progress.declares_done() {
            self.recorder.count_at_end(number, unit, &closing);
        }
    }

    /// Words at the end of the log end the last one too, which was only begun; a rate may be that of the others. Without
    /// words it may be over once as many lines follow as between two before it.
    fn end_last_begun(&mut self) {
        let reading = self.recorder.reading();
        let total =
            reading.progress.and_then(|progress| progress.total.filter(|total| *total == progress.done + 1));
        let Some(total) = total.filter(|_| self.chooser.is_at_last()) else { return };
        let Some(closing) = reading.closing.clone() else {
            if reading.rhythm.fills_stride(reading.lines) {
                self.recorder.doubt_announced_total();
            }
            return;
        };
        let is_share = share_on(closing.text.as_bytes()).is_some();
        if !is_share && !self.rules.progress.declares_done() {
            let unit = self.recorder.reading().unit;
            self.recorder.count_at_end(total, unit, &closing);
        }
    }

    /// Words at the end of the log end the last round too, of which only its own counts are known to be over.
    fn end_doubted(&mut self) {
        let reading = self.recorder.reading();
        let counted = reading.progress.filter(|progress| progress.total.is_none() && progress.done > 0);
        let (Some(progress), Some(closing)) = (counted, reading.closing.clone()) else { return };
        let unit = reading.unit;
        // The count would have the announced total, had it not been doubted.
        let total = self
            .announced
            .total_of(unit, progress.done)
            .filter(|total| *total <= progress.done.saturating_add(1));
        if let Some(total) = total.filter(|_| !self.rules.progress.declares_done()) {
            self.recorder.count_at_end(total, unit, &closing);
        }
    }

    /// A round of counts in words that is over near the end of the log, each with its outcome, was all there was to do.
    fn end_counted_round(&mut self, last: &[LastLine]) {
        let reading = self.recorder.reading();
        let Some(line) = reading.progress_line.clone().filter(|_| reading.closing.is_none()) else { return };
        let is_near = last.iter().any(|near| near.number == line.line)
            && reading.lines <= line.line + MOST_BEHIND_ROUND;
        let mut behind = last.iter().filter(|near| near.number > line.line);
        let goes_on = behind.any(|near| {
            let text = near.text.as_bytes();
            announces_work(text) || self.starts.begins_another(text)
        });
        if is_near && !goes_on && self.chooser.ends_round() {
            self.recorder.reading.closing = Some(line);
        }
    }

    /// Reports whether a program counts from the start again what it had begun to count: it was restarted, whatever
    /// came of it. An end that this takes back is another matter.
    pub(super) fn begins_again(&self, progress: Progress) -> bool {
        let is_program = self.chooser.chosen().is_some_and(|preset| match preset.rank {
            PresetRank::Program => true,
            PresetRank::Open | PresetRank::Bar | PresetRank::Count | PresetRank::Manner => false,
        });
        let before = self.recorder.reading().progress.filter(|before| before.total == progress.total);
        let is_start = before.is_some_and(|before| progress.done <= 1 && before.done > FEWEST_BEFORE);
        is_program && is_start && !self.recorder.reading().complete()
    }

    /// All is done, as far as what comes now may be another run.
    pub(super) fn is_over(&self) -> bool {
        self.recorder.reading().complete() && self.tells_runs()
    }

    /// Reports whether the line begins to count something else of which a total was announced: all episodes are
    /// recorded, and epochs of training come behind them. Later numbers may be those of the best epoch.
    pub(super) fn counts_other_work(&self, text: &[u8]) -> bool {
        let reading = self.recorder.reading();
        let numbered = || std::str::from_utf8(text).ok().and_then(last_numbered);
        reading.is_all_announced()
            && numbered().is_some_and(|(unit, number)| {
                unit != reading.unit && number <= 1 && self.announced.total_of(unit, number + 1).is_some()
            })
    }

    /// Checks whether the program may have started again on this line.
    pub(super) fn look_for_start(&mut self, text: &[u8]) {
        let reading = self.recorder.reading();
        let begun = reading.finished.is_some() || self.recorder.has_counted();
        // A full count that was guessed proves no end, but the next run may begin behind it.
        let phase = match (begun, reading.complete() || reading.restarted.is_none() && reading.all_done()) {
            (_, true) => RunPhase::Over,
            // The figures are still those of the run before.
            _ if reading.restarted.is_some() => RunPhase::Restarting,
            (true, false) => RunPhase::AtWork,
            // It failed before it counted anything, and may be started again.
            (false, false) if reading.ending_exception().is_some() => RunPhase::AtWork,
            (false, false) => RunPhase::Starting,
        };
        // Processes of one run may all throw the same.
        let is_traced = || self.tracebacks.is_open() || find(text, HEADER.as_bytes()).is_some();
        if self.starts.keeps_lines(phase) && is_traced() || !self.starts.is_second(text, phase) {
            return;
        }
        if !begun {
            self.recorder.begin_run_again(text);
            self.forget_run();
        } else if self.tells_runs() {
            self.restart(text);
        }
    }

    /// Notes what the line announces, and gives what it says to be over.
    pub(super) fn note_stage(&mut self, text: &[u8], is_over: bool) -> Option<AnnouncedEnd> {
        let announcement = announcement_on(text)?;
        if announcement.begins_run && is_over {
            self.restart(text);
        }
        if announcement.precedes_work() {
            if self.rules.counts_any_bar() {
                self.recorder.doubt_full_bar();
            }
            self.recorder.doubt_end_in_words();
        }
        if announcement.resumes_work() {
            self.recorder.told_to_end.forget();
        }
        let end = announcement.end_on(text);
        if end != Some(AnnouncedEnd::Work) {
            self.recorder.stage(&announcement.stage);
        }
        end
    }

    /// A program starts behind another one, or behind a run of its own: its counts begin again, and what proved that
    /// end proves nothing of it.
    pub(super) fn restart(&mut self, text: &[u8]) {
        self.chooser.totals(&mut self.notes);
        self.note_metrics(text);
        self.recorder.restart_run(text, self.chooser.closing());
        self.chooser = Chooser::new(self.rules.presets, self.rules.bar());
        self.next = None;
        self.lies_within = false;
        self.forget_run();
    }

    /// Forgets what the run before printed and announced.
    fn forget_run(&mut self) {
        self.rates = PrintedScores::default();
        self.announced.forget();
        self.parts.begin_run(self.recorder.reading().progress);
    }

    /// Behind the end of the work another program may have its say, which the format of the first one does not hear.
    pub(super) fn read_next(&mut self, text: &[u8], consumers: Seekers) {
        if !self.rules.is_auto() || !self.is_over() {
            self.next = None;
            return;
        }
        let chosen = self.chooser.place_of_chosen();
        // That one hears the line already, and would keep others from it.
        let next = self
            .next
            .get_or_insert_with(|| Chooser::new(self.rules.presets, self.rules.bar()).without(chosen));
        let LineReadResult::Settled(preset) = next.read(text, consumers, &mut self.notes) else { return };
        let proves = match preset.rank {
            PresetRank::Open | PresetRank::Bar | PresetRank::Count => false,
            PresetRank::Manner | PresetRank::Program => true,
        };
        if !proves {
            return;
        }
        // Formats start from scratch here: what they made of the end of the run before is not theirs.
        self.restart(text);
        let choice = self.chooser.read(text, consumers, &mut self.notes);
        self.take(choice, text);
    }
}
