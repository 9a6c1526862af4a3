//! From the record of an end to a judged outcome: the evidence is gathered here, the verdict is `progress`'s.

use std::fs;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::attempt::{AttemptEnd, ExitRecord, Usage};
use crate::model::logs::value_log::ValueShortfall;
use crate::model::outcome::{Outcome, Peaks};
use crate::model::state::phase::{Phase, StopCause};
use crate::model::units::{Bytes, duration_between};
use crate::progress::files::evidence::FileEvidence;
use crate::progress::reading::LogSummary;
use crate::progress::verdict::judgement::{ArtifactStatus, VerdictEvidence, judge};
use crate::results::time_left::pace::Pace;
use crate::rundir::layout::AttemptDir;
use crate::supervisor::measurements::tracked::FinalMeasures;

/// The supervisor's knowledge of an ended attempt, in addition to its exit record.
pub(in crate::supervisor) struct EndedAttempt<'a> {
    /// Exit record that the holder wrote.
    pub(in crate::supervisor) exit: &'a ExitRecord,
    /// Progress, marks and other findings from its log.
    pub(in crate::supervisor) reading: &'a LogSummary,
    /// The phase of its shard, as long as the end has not been recorded.
    pub(in crate::supervisor) phase: Option<&'a Phase>,
    /// Evidence of success or failure in its result files.
    pub(in crate::supervisor) files: &'a FileEvidence,
    /// Values of its pack that have no result.
    pub(in crate::supervisor) values: Option<&'a ValueShortfall>,
    /// Patterns of files it had to write.
    pub(in crate::supervisor) artifacts: &'a [String],
    /// The kernel killed something for lack of main memory just before it ended.
    pub(in crate::supervisor) memory_ran_out: bool,
    /// Measurements of its processes and GPUs.
    pub(in crate::supervisor) measured: FinalMeasures,
}

/// Judges an ended attempt.
pub(in crate::supervisor) fn judge_ending(dir: &AttemptDir, ending: EndedAttempt<'_>) -> Outcome {
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
