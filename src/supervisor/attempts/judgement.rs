//! The end of an attempt: its log has been read, its results are, and all of it comes to an outcome. The evidence is
//! gathered here, the verdict is `progress`'s.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::attempt::{AttemptEnd, ExitRecord, Usage};
use crate::model::ids::AttemptKey;
use crate::model::logs::value_log::ValueShortfall;
use crate::model::outcome::{Outcome, Peaks};
use crate::model::state::phase::{Phase, StopCause};
use crate::model::units::{Bytes, duration_between};
use crate::progress::files::evidence::FileEvidence;
use crate::progress::files::reading::ResultReading;
use crate::progress::reader::earlier_counts::add_episodes;
use crate::progress::reading::LogSummary;
use crate::progress::trouble::built_in::BuiltInRules;
use crate::progress::verdict::judgement::{ArtifactStatus, VerdictEvidence, judge};
use crate::results::time_left::pace::Pace;
use crate::rundir::clock;
use crate::rundir::layout::AttemptDir;
use crate::scheduler::endings::answers;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::event_batch::EventBatch;
use crate::supervisor::event_loop::Supervisor;
use crate::supervisor::measurements::tracked::FinalMeasures;
use crate::supervisor::results::ended_attempt;
use crate::supervisor::results::results_of_attempt::WritingAttempt;

impl Supervisor {
    /// The log has been read; results are read next, unless there are none or nothing ran that could write them.
    pub(in crate::supervisor) fn on_log_read(
        &mut self,
        key: AttemptKey,
        reading: Box<LogSummary>,
        exit: Box<ExitRecord>,
        batch: &mut EventBatch,
    ) {
        let (results, pack) = match exit.end {
            AttemptEnd::Exited { .. } => {
                let (grants, writer) = (self.attempt_grants(&key), self.attempt_writer(&key, &exit));
                (
                    self.executor.attempt_files(&key, &grants).results,
                    self.executor.pack_search(&key, &grants, &writer),
                )
            }
            AttemptEnd::Unseen
            | AttemptEnd::LaunchError { .. }
            | AttemptEnd::PutBack { .. }
            | AttemptEnd::Lost { .. } => (Vec::new(), None),
        };
        if results.is_empty() && pack.is_none() {
            self.on_attempt_ended(key, (&ResultReading::default(), None), &reading, &exit, batch);
        } else {
            let files = (results, self.attempt_writer(&key, &exit));
            self.executor.read_results(key, files, pack, reading, exit);
        }
    }

    /// Returns whose files count as those of the attempt, and since when.
    fn attempt_writer(&self, key: &AttemptKey, exit: &ExitRecord) -> WritingAttempt {
        let shard = self.state().shard(&key.shard);
        let earlier = shard.map(|shard| shard.earlier_of(key.attempt)).unwrap_or_default();
        ended_attempt::writer_of(&self.executor.launcher.run, key, &earlier, exit.started)
    }

    /// The reading with the episodes of the attempts whose work was continued.
    fn with_earlier<'r>(&self, key: &AttemptKey, reading: &'r LogSummary) -> Cow<'r, LogSummary> {
        let resumes = !self.executor.plan().template.resume.is_never();
        let shard = self.state().shard(&key.shard).filter(|_| resumes);
        let earlier = shard.map(|shard| shard.earlier_of(key.attempt)).unwrap_or_default();
        let Some(before) = earlier.last() else { return Cow::Borrowed(reading) };
        let mut whole = reading.clone();
        let asked = self.executor.asked_episodes(key);
        let asked = asked.or_else(|| reading.progress.filter(|_| reading.counts_episodes())?.total);
        add_episodes(&mut whole.metrics, &before.outcome.metrics, asked);
        Cow::Owned(whole)
    }

    pub(in crate::supervisor) fn on_attempt_ended(
        &mut self,
        key: AttemptKey,
        (files, values): (&ResultReading, Option<&ValueShortfall>),
        reading: &LogSummary,
        exit: &ExitRecord,
        batch: &mut EventBatch,
    ) {
        let reading = &*self.with_earlier(&key, reading);
        let rules = BuiltInRules::changed_by(&self.executor.plan().rules);
        let files = FileEvidence::weigh(files, reading, self.executor.asked_episodes(&key), &rules);
        let mut outcome = self.judge_attempt(&key, (&files, values), reading, exit);
        self.reservations.mark_strangers(&mut outcome.memory_holders);
        let wants_look = answers::wants_look(&self.scheduler.policy, &outcome);
        let ended = SchedulerInput::Ended { key, outcome: Box::new(outcome) };
        if wants_look {
            self.pending_ends.add_pending(ended, clock::now());
            self.executor.telemetry.look_now();
        } else {
            batch.inputs.push(ended);
        }
    }

    fn judge_attempt(
        &mut self,
        key: &AttemptKey,
        (files, values): (&FileEvidence, Option<&ValueShortfall>),
        reading: &LogSummary,
        exit: &ExitRecord,
    ) -> Outcome {
        let phase = self.state().shard(&key.shard).map(|shard| shard.phase.clone());
        let grants = self.attempt_grants(key);
        let ending = EndedAttempt {
            exit,
            reading,
            phase: phase.as_ref(),
            files,
            values,
            artifacts: &self.executor.attempt_files(key, &grants).artifacts,
            memory_ran_out: self.executor.telemetry.memory_ran_out_before(exit.ended),
            measured: self.executor.telemetry.untrack_attempt(key),
        };
        judge_ending(&self.executor.attempt_dir(key), ending)
    }
}

/// The supervisor's knowledge of an ended attempt, in addition to its exit record.
struct EndedAttempt<'a> {
    /// Exit record that the holder wrote.
    exit: &'a ExitRecord,
    /// Progress, marks and other findings from its log.
    reading: &'a LogSummary,
    /// The phase of its shard, as long as the end has not been recorded.
    phase: Option<&'a Phase>,
    /// Evidence of success or failure in its result files.
    files: &'a FileEvidence,
    /// Values of its pack that have no result.
    values: Option<&'a ValueShortfall>,
    /// Patterns of files it had to write.
    artifacts: &'a [String],
    /// The kernel killed something for lack of main memory just before it ended.
    memory_ran_out: bool,
    /// Measurements of its processes and GPUs.
    measured: FinalMeasures,
}

/// Judges an ended attempt.
fn judge_ending(dir: &AttemptDir, ending: EndedAttempt<'_>) -> Outcome {
    let missing: Vec<String> =
        ending.artifacts.iter().filter(|pattern| !is_written(pattern)).cloned().collect();
    let judgement = judge(&VerdictEvidence {
        end: &ending.exit.end,
        reading: ending.reading,
        stop: ending.phase.and_then(|phase| stop_cause(phase, ending.exit)),
        artifacts: match missing.as_slice() {
            [] if ending.artifacts.is_empty() => ArtifactStatus::NotAsked,
            [] => ArtifactStatus::Written,
            missing => ArtifactStatus::Missing(missing),
        },
        memory_ran_out: ending.memory_ran_out,
        files: ending.files,
        values: ending.values,
        setup_step: setup_step(dir),
    });
    let around = AroundSteps::from_ending(&ending);
    let mut warnings = judgement.warnings;
    warnings.extend(list_remarks(ending.exit));
    warnings.extend(ending.measured.warnings);
    Outcome {
        verdict: judgement.verdict,
        exit: match &ending.exit.end {
            AttemptEnd::Exited { status } => Some(*status),
            AttemptEnd::Unseen
            | AttemptEnd::LaunchError { .. }
            | AttemptEnd::PutBack { .. }
            | AttemptEnd::Lost { .. } => None,
        },
        elapsed: ending.exit.started.map(|started| duration_between(started, ending.exit.ended)),
        paused: ending.phase.map_or(Duration::ZERO, |phase| paused_time(phase, ending.exit.ended)),
        loading: around.loading,
        closing: around.closing,
        progress: ending.reading.progress,
        unit: ending.reading.progress.map(|_| ending.reading.unit.to_owned()),
        metrics: ending.files.amend(&ending.reading.metrics),
        peaks: with_usage(ending.measured.peaks, ending.exit.usage.as_ref()),
        proof: judgement.proof,
        memory_holders: ending
            .reading
            .ending_cause()
            .map_or_else(Vec::new, |cause| cause.memory_holders.clone()),
        warnings,
        patterns: ending.reading.watched.clone(),
        episodes: ending.files.episodes.clone().or_else(|| ending.reading.episodes.clone()),
    }
}

/// The kernel knows the largest process also of attempts that ended between two readings.
fn with_usage(peaks: Peaks, usage: Option<&Usage>) -> Peaks {
    let largest = usage.map(|usage| usage.max_rss).filter(|largest| *largest > Bytes(0));
    Peaks { rss: peaks.rss.max(largest), ..peaks }
}

/// The time an attempt needed before its first step and after its last.
#[derive(Default)]
struct AroundSteps {
    loading: Option<Duration>,
    closing: Option<Duration>,
}

impl AroundSteps {
    /// Computes the times, as far as its log shows when it counted.
    fn from_ending(ending: &EndedAttempt<'_>) -> Self {
        let steps = ending.reading.steps;
        let (Some(started), Some(first), Some(last)) =
            (ending.exit.started, steps.first_at(), steps.newest_at())
        else {
            return Self::default();
        };
        let pace = ending.phase.map(Pace::of_live).unwrap_or_default();
        let paused = duration_between(first, last).saturating_sub(pace.awake(first, last));
        let is_complete =
            ending.reading.progress.is_some_and(|progress| progress.total == Some(progress.done));
        Self {
            loading: steps.without_pause(paused).loading_time(pace.awake(started, first)),
            closing: is_complete.then(|| pace.awake(last, ending.exit.ended)),
        }
    }
}

/// Why it was asked to end, if it was. A stop that came while the log of what had ended by itself was still being read
/// stopped nothing; one that was lost may have lived on after its last sign of life.
fn stop_cause(phase: &Phase, exit: &ExitRecord) -> Option<StopCause> {
    let is_lost = matches!(exit.end, AttemptEnd::Lost { .. });
    phase.stop_cause().filter(|(_, since)| is_lost || *since <= exit.ended).map(|(cause, _)| cause)
}

/// How long an attempt that ended at `ended` was paused in all.
fn paused_time(phase: &Phase, ended: Timestamp) -> Duration {
    let before = phase.live().map_or(Duration::ZERO, |live| live.paused);
    match phase {
        Phase::Paused { since, .. } => before + duration_between(*since, ended),
        Phase::Queued { .. }
        | Phase::Starting { .. }
        | Phase::Running(_)
        | Phase::Stopping { .. }
        | Phase::Succeeded(_)
        | Phase::Failed { .. }
        | Phase::Cancelled { .. } => before,
    }
}

/// At least one file of that name or pattern exists and is not empty.
fn is_written(pattern: &str) -> bool {
    let has_content = |path: &Path| fs::metadata(path).is_ok_and(|file| file.is_dir() || file.len() > 0);
    // A folder name of the user may itself hold `[`; the plain name is looked for first.
    has_content(Path::new(pattern))
        || glob::glob(pattern).is_ok_and(|paths| paths.flatten().any(|path| has_content(&path)))
}

/// The note is a number.
const LONGEST_NOTE: u64 = 64;

/// The setup step that did not succeed: the script notes each before it runs and removes the note after the last.
fn setup_step(dir: &AttemptDir) -> Option<u32> {
    dir.setup_step().read_text(LONGEST_NOTE).ok()?.trim().parse().ok()
}

fn list_remarks(exit: &ExitRecord) -> Vec<String> {
    let mut remarks = Vec::new();
    if exit.lost_log_bytes > 0 {
        remarks.push(format!("{} bytes of the log could not be written", exit.lost_log_bytes));
    }
    for left in &exit.leftovers {
        remarks.push(if left.unkillable {
            format!("process {} ({}) cannot be killed; what it holds stays held", left.pid, left.name)
        } else {
            format!("process {} ({}) outlived the main process and was ended", left.pid, left.name)
        });
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_saw_counts_where_readings_came_too_late() {
        let usage = |max_rss| Usage { user_s: 0.0, system_s: 0.0, max_rss: Bytes(max_rss) };
        let read = Peaks { rss: Some(Bytes(14)), ..Peaks::default() };
        assert_eq!(with_usage(read, Some(&usage(273))).rss, Some(Bytes(273)));
        assert_eq!(with_usage(read, Some(&usage(9))).rss, Some(Bytes(14)), "a tree is more than its largest");
        assert_eq!(with_usage(Peaks::default(), Some(&usage(0))).rss, None);
        assert_eq!(with_usage(Peaks::default(), None).rss, None);
    }
}
