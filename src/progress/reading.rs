//! What has been read from one log so far.

use std::collections::BTreeMap;

use super::counts::parts::part_loop::OpenPart;
use super::counts::rhythm::Rhythm;
use super::patterns::fault::PatternFault;
use super::remarks::{RemarkHits, RemarkSeverity, RuleRemark};
use super::text::last_words::LastWords;
use super::text::speaker::are_of_two_processes;
use super::trouble::cause::FailureCause;
use super::trouble::uncaught::Uncaught;
use crate::model::logs::mark::Alert;
use crate::model::logs::printable::to_printable;
use crate::model::logs::stage::Stage;
use crate::model::logs::steps::Steps;
use crate::model::logs::value_log::ValueLog;
use crate::model::outcome::{FailureReason, Metrics, Progress, Proof};
use crate::model::results::episode_list::EpisodeList;
use crate::model::sweep::rule::RuleVerdict;

/// State of everything read from one log so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogSummary {
    /// The preset that reads this log; none while `auto` has not settled.
    pub preset: Option<&'static str>,
    /// How much is done.
    pub progress: Option<Progress>,
    /// How much of the next one is done, where the log counts that too: steps of an epoch.
    pub part: Option<Progress>,
    /// The number of the line that says so.
    pub part_line: u64,
    /// Most by which it grew from one count to the next.
    pub part_stride: u64,
    /// The line that says so.
    pub progress_line: Option<Proof>,
    /// Units that `progress` counts, e.g. `episodes`.
    pub unit: &'static str,
    /// True if the progress is that of a bar that was not declared, which may belong to a part of the work only, or of
    /// a file that is gone: it proves nothing.
    pub guessed: bool,
    /// The total is a setting that was printed before the work, which may end earlier by its own rules; or there are
    /// several, all beyond what is done.
    pub is_announced: bool,
    /// The newest part of the work, where others are to come: `Fold 1/5`. What is counted below its heading is only
    /// its own.
    pub open_part: Option<OpenPart>,
    /// The newest count may be that of something that has only begun.
    pub is_open: bool,
    /// The lines on which it counts.
    pub rhythm: Rhythm,
    /// The moments of its steps, as the one who reads the log while it grows has seen them.
    pub steps: Steps,
    /// The program's own rules stopped it before its total.
    pub stops_early: bool,
    /// The next count of its loop would be beyond the total; known at the end of the log.
    pub ends_loop: bool,
    /// The program hints behind its newest count at stopping before its total.
    pub hints_at_stop: bool,
    /// The last line says something and is not ended by a newline; known at the end of the log.
    pub lacks_newline: bool,
    /// Final values so far; a metric that is not a finite number is not in it.
    pub metrics: Metrics,
    /// Classes of trouble in the order they were first seen.
    pub alerts: Vec<Alert>,
    /// Lines since the newest trouble of any class, without those of Kit's log.
    pub lines_since_trouble: u64,
    /// Those among them that its logger calls news, and neither warnings nor errors.
    pub news_since_trouble: u64,
    /// The line by which the program said that it is complete.
    pub finished: Option<Proof>,
    /// The line near the end that says in free words that all is done; known at the end of the log.
    pub closing: Option<Proof>,
    /// Number of lines that may follow where the program said so in plain words only, which many programs print before
    /// they evaluate or save: where more follow, it has gone on.
    pub lines_after_words: Option<u64>,
    /// The line by which another run began behind the end of a complete one, until that run counts something.
    pub restarted: Option<Proof>,
    /// The newest line by which another run began, whatever came of it.
    pub began_again: Option<Proof>,
    /// The line behind the end that looks like the start of another run, which came to nothing; known at the end of the
    /// log.
    pub begun_behind: Option<Proof>,
    /// The line near the end that told the program to end: words behind it prove nothing.
    pub told_to_end: Option<Proof>,
    /// The last line before those that Python prints when it was killed, where there are such.
    pub before_warnings: Option<Proof>,
    /// So many runs began behind the first one.
    pub restarts: u64,
    /// Stage that the program is at.
    pub stage: Option<Stage>,
    /// A renderer of the processor that it names; whether it is the one that draws, the log alone does not say.
    pub renderer: Option<&'static str>,
    /// The first trouble that explains a failure, unless progress went on after it.
    pub cause: Option<FailureCause>,
    /// Remarks that rules made, and how often.
    pub remarks: BTreeMap<RuleRemark, RemarkHits>,
    /// The newest uncaught exception, unless progress went on after it.
    pub exception: Option<Uncaught>,
    /// Number of lines so far.
    pub lines: u64,
    /// The newest line that is not blank, shortened.
    pub last_line: String,
    /// Its number; 0 before the first one.
    pub last_line_number: u64,
    /// What it says about the end of the program; known at the end of the log.
    pub last_words: Option<LastWords>,
    /// The newest line of each class of trouble that was seen more than once, shortened; known at the end of the log.
    pub newest_texts: BTreeMap<String, String>,
    /// A line that says it is complete was declared, so its absence means something.
    pub expects_finish: bool,
    /// Single values of a pack, where the sweep says how to distinguish them.
    pub values: BTreeMap<String, ValueLog>,
    /// How single episodes ended, where the log says so; known at its end.
    pub episodes: Option<EpisodeList>,
    /// Patterns of the sweep's ladder that it shows.
    pub watched: Vec<String>,
    /// Patterns of the sweep that did not do what they are there for; known at the end of the log.
    pub pattern_faults: Vec<PatternFault>,
}

/// The class of trouble of a command that the shell did not find.
pub const NO_COMMAND: &str = "command-not-found";

/// A program that prints so many lines after trouble has outlived it. Dumps of memory and of stacks are shorter.
const LINES_AFTER_TROUBLE: u64 = 1000;

/// One that logs so much news goes on too: nothing that ends does.
const NEWS_AFTER_TROUBLE: u64 = 100;

impl LogSummary {
    /// The trouble that explains a failure, unless the program has outlived it.
    pub fn ending_cause(&self) -> Option<&FailureCause> {
        self.cause.as_ref().filter(|_| !self.outlives_trouble())
    }

    /// An exception named a missing library, and the program outlived that one. It is no proof of a failure by itself, but
    /// explains one.
    pub fn outlives_import(&self, cause: &FailureCause) -> bool {
        let was_thrown = self.exception.as_ref().is_some_and(|thrown| thrown.proof.line >= cause.proof.line);
        cause.kind == "missing-library" && was_thrown && self.ending_exception().is_none()
    }

    /// Far more was printed since than anything prints while it ends. Where the work is counted, only a count shows
    /// that it went on.
    fn outlives_trouble(&self) -> bool {
        let is_counted = !self.guessed && self.progress.is_some_and(|progress| progress.done > 0);
        let goes_on =
            self.lines_since_trouble > LINES_AFTER_TROUBLE || self.news_since_trouble > NEWS_AFTER_TROUBLE;
        !is_counted && goes_on
    }

    /// Forgets a cause that the program has outlived: it explains nothing that comes now.
    pub fn forget_outlived_cause(&mut self) {
        if self.ending_cause().is_none() {
            self.cause = None;
        }
    }

    /// Everything there was to do is done.
    pub fn complete(&self) -> bool {
        // A shell that runs a program for each part heads them; what the sweep declares ends the whole work.
        let is_of_part = self.open_part.as_ref().is_some_and(|part| part.has_moved) && !self.expects_finish;
        let is_finished =
            || self.finished.is_some() && !is_of_part && !self.did_nothing() && !self.outlives_its_words();
        let is_counted = || !self.is_soft() && !self.expects_finish && self.all_work_done();
        self.restarted.is_none() && (is_finished() || is_counted())
    }

    /// Only plain words say that it is over, and then it did more, or failed: trainings say so before they evaluate or
    /// save, and behind each part.
    fn outlives_its_words(&self) -> bool {
        let Some((said, most)) = self.finished.as_ref().zip(self.lines_after_words) else { return false };
        if self.open_part.is_some() {
            return true;
        }
        let cause = self.ending_cause().map(|cause| &cause.proof);
        let mut failures = cause.into_iter().chain(self.ending_exception());
        self.lines > said.line + most || failures.any(|proof| proof.line > said.line)
    }

    /// Says that the figures are those of the newest of several runs.
    pub fn restart_text(&self) -> Option<String> {
        if let Some(begun) = self.begun_behind.as_ref().filter(|_| self.began_again.is_none()) {
            return Some(format!("another run may have begun on line {}: {}", begun.line, begun.text));
        }
        let began = self.began_again.as_ref()?;
        let message = match self.restarted {
            Some(_) => "it counted nothing, the figures are those of the run before",
            None => "the figures are its own",
        };
        let run = self.runs();
        Some(format!("run {run} of {run} in this file began on line {}; {message}", began.line))
    }

    /// So many runs of a program the log holds.
    pub fn runs(&self) -> u64 {
        self.restarts + 1
    }

    /// The count of the work is still 0: no proof of an end but a line that the sweep declares makes a success of that.
    fn did_nothing(&self) -> bool {
        !self.guessed && !self.expects_finish && self.progress.is_some_and(|progress| progress.done == 0)
    }

    /// The first line that says that everything is done.
    pub fn proof_of_completeness(&self) -> Option<&Proof> {
        let is_counted = self.complete() && !self.is_soft() && !self.expects_finish && self.all_work_done();
        let counted = self.progress_line.as_ref().filter(|_| is_counted);
        let said = self.finished.as_ref();
        counted.filter(|counted| said.is_none_or(|said| counted.line < said.line)).or(said)
    }

    /// Less is done than there was to do, as far as that can be relied on.
    pub fn falls_short(&self) -> bool {
        let has_end = self.total().is_some() || (self.finished.is_some() && self.did_nothing());
        !self.is_soft() && has_end && !self.all_done()
    }

    /// All is done of a total that was announced, which nothing confirms yet.
    pub fn is_all_announced(&self) -> bool {
        self.is_announced && self.all_done()
    }

    fn is_soft(&self) -> bool {
        self.guessed || self.is_announced
    }

    /// Returns an uncaught exception, a full disk, or the word of a launcher that its worker failed, that came after
    /// what completes the work: the program did not get to write its results, or whatever else it was about to do.
    /// Crashes of a simulator that closes are neither. One of several processes that failed and did not go on has not done
    /// its part, whatever the others completed.
    pub fn failure_behind_the_work(&self) -> Option<&Proof> {
        let counted = self.finished.as_ref().or(self.progress_line.as_ref())?;
        let is_beside = |proof: &&Proof| {
            proof.line < counted.line && are_of_two_processes(proof.text.as_bytes(), counted.text.as_bytes())
        };
        let cause = self.ending_cause().map(|cause| &cause.proof);
        if let Some(beside) = cause.into_iter().chain(self.ending_exception()).find(is_beside) {
            return Some(beside);
        }
        let launcher_failed =
            |cause: &&FailureCause| cause.kind == "exit-code" && cause.proof.text.contains("(exitcode: ");
        let spoilt = self.ending_cause().filter(|cause| cause.kind == "disk-full" || launcher_failed(cause));
        self.ending_exception()
            .into_iter()
            .chain(spoilt.map(|cause| &cause.proof))
            .find(|proof| proof.line > counted.line)
    }

    /// The exception that ended the log, if one did.
    pub fn ending_exception(&self) -> Option<&Proof> {
        self.exception
            .as_ref()
            .filter(|exception| exception.has_ended(self.lines) && !self.outlives_trouble())
            .map(|exception| &exception.proof)
    }

    /// Reports whether trouble of this reason only shows how a program ended that an exception ended: simulators crash
    /// when they are closed.
    pub fn is_end_of_exception(&self, reason: Option<FailureReason>) -> bool {
        match reason {
            Some(FailureReason::Signal | FailureReason::Cancelled | FailureReason::Stalled) => {
                self.ending_exception().is_some()
            }
            Some(FailureReason::ExitCode) => self.exception.is_some(),
            Some(_) | None => false,
        }
    }

    /// Lists what rules say of the results, for where they are not what the verdict is about.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        let invalid = self.remarks.iter().filter(|(remark, _)| remark.severity == RemarkSeverity::Invalid);
        invalid.map(|(remark, said)| remark.counted(said))
    }

    /// The worst remark of the given severity.
    pub fn remark(&self, severity: RemarkSeverity) -> Option<(&RuleRemark, &RemarkHits)> {
        self.remarks.iter().find(|(remark, _)| remark.severity == severity)
    }

    /// `87 of 100 episodes`.
    pub fn progress_text(&self) -> Option<String> {
        let progress = self.progress?;
        Some(match progress.total {
            Some(total) => format!("{} of {total} {}", progress.done, self.unit),
            None => format!("{} {}", progress.done, self.unit),
        })
    }

    /// `609 of 6848 of the next`.
    pub fn part_text(&self) -> Option<String> {
        let Progress { done, total } = self.part?;
        Some(format!("{done} of {} of the next", total?))
    }

    /// Progress counts episodes, and not those of a part of the work only.
    pub fn counts_episodes(&self) -> bool {
        !self.guessed && self.unit == "episodes"
    }

    /// The total, if there is one.
    pub fn total(&self) -> Option<u64> {
        self.progress.and_then(|progress| progress.total)
    }

    /// All is done of the last part of the work.
    fn all_work_done(&self) -> bool {
        self.all_done() && self.open_part.is_none()
    }

    /// The progress has reached its total, and is not nothing of nothing.
    pub fn all_done(&self) -> bool {
        let has_reached = |progress: &Progress| progress.total.is_some_and(|total| progress.done >= total);
        self.progress.as_ref().is_some_and(has_reached) && !self.did_nothing()
    }
}

impl From<RuleVerdict> for RemarkSeverity {
    fn from(verdict: RuleVerdict) -> Self {
        match verdict {
            RuleVerdict::Invalid => Self::Invalid,
            RuleVerdict::Failed => Self::Failed,
            RuleVerdict::Warning => Self::Warning,
        }
    }
}

/// The start of a line as printable text, for messages: at most 200 characters.
pub fn shorten(line: &[u8]) -> String {
    const LIMIT: usize = 200;
    // Four bytes are the longest character, so nothing that is shown lies behind this.
    let start = &line[..line.len().min(4 * LIMIT)];
    let text = String::from_utf8_lossy(start);
    to_printable(text.trim()).trim().chars().take(LIMIT).collect()
}
