//! The verdict on an ended attempt, from all the evidence and not from the exit code alone.

use super::reading::{Reading, Severity};
use crate::model::attempt::AttemptEnd;
use crate::model::outcome::{ExitStatus, Failure, FailureReason, Verdict, signal_name};
use crate::model::phase::StopCause;

/// Everything that is known when an attempt has ended.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// How its process ended.
    pub end: &'a AttemptEnd,
    /// What its log says.
    pub reading: &'a Reading,
    /// Why it was being stopped, where it was.
    pub stop: Option<StopCause>,
    /// Files it had to write and did not.
    pub missing_artifacts: &'a [String],
    /// The 1-based setup step that failed, where one did.
    pub setup_step: Option<u32>,
}

/// The verdict and what is worth saying beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Remarks beside it, one line each.
    pub warnings: Vec<String>,
}

/// Judges an ended attempt.
pub fn judge(evidence: &Evidence<'_>) -> Judgement {
    let verdict = match evidence.end {
        AttemptEnd::LaunchError { message } => failed(FailureReason::LaunchError, message.clone()),
        AttemptEnd::Lost { message } => match evidence.stop {
            Some(cause) => stopped(cause),
            None => failed(FailureReason::Lost, message.clone()),
        },
        AttemptEnd::Exited { status } => of_exit(evidence, *status),
    };
    let warnings = warnings(evidence.reading, &verdict);
    Judgement { verdict, warnings }
}

fn of_exit(evidence: &Evidence<'_>, status: ExitStatus) -> Verdict {
    if let Some(step) = evidence.setup_step {
        let message = format!("setup step {step} failed: {}", status_text(status));
        return failed(FailureReason::LaunchError, message);
    }
    // A stop that came too late changes nothing: what was to be done is done.
    let done_anyway = status.success() && evidence.reading.complete();
    match evidence.stop {
        Some(cause) if !done_anyway => stopped(cause),
        Some(_) | None if status.success() => of_success(evidence),
        Some(_) | None => of_failure(evidence.reading, status),
    }
}

fn stopped(cause: StopCause) -> Verdict {
    match cause {
        StopCause::Killed => failed(FailureReason::Killed, "killed by the user"),
        StopCause::Timeout => failed(FailureReason::Timeout, "ran longer than `timeout` allows"),
        StopCause::Stalled => failed(FailureReason::Stalled, "silent for longer than `stall_after` allows"),
        StopCause::RunStopped => Verdict::Cancelled,
    }
}

/// The exit code is 0; everything else must agree.
fn of_success(evidence: &Evidence<'_>) -> Verdict {
    let reading = evidence.reading;
    if let Some((message, count)) = reading.remark(Severity::Invalid) {
        return failed(FailureReason::Invalid, counted(message, count));
    }
    if let Some((message, count)) = reading.remark(Severity::Failed) {
        return failed(FailureReason::Exception, counted(message, count));
    }
    let complete = reading.complete();
    if let Some(cause) = reading.cause.as_ref().filter(|_| !complete && reading.falls_short()) {
        return failed(cause.reason, cause.message.clone());
    }
    if let Some(exception) = reading.ending_exception().filter(|_| !complete) {
        let reason =
            reading.shows(FailureReason::GpuOom).map_or(FailureReason::Exception, |cause| cause.reason);
        return failed(reason, format!("exit code 0, but the log ends with {exception}"));
    }
    if let Some(progress) = reading.progress_text().filter(|_| reading.falls_short()) {
        return failed(FailureReason::Incomplete, format!("{progress}, exit code 0"));
    }
    if reading.expects_finish && !reading.finished {
        let message = "exit code 0, but the line that says it is complete never came";
        return failed(FailureReason::Incomplete, message);
    }
    match evidence.missing_artifacts {
        [] => Verdict::Succeeded,
        missing => {
            failed(FailureReason::MissingArtifact, format!("missing or empty: {}", missing.join(", ")))
        }
    }
}

/// The process says itself that it failed; the log may know why.
fn of_failure(reading: &Reading, status: ExitStatus) -> Verdict {
    let ended = status_text(status);
    if let Some(cause) = &reading.cause {
        return failed(cause.reason, format!("{ended}: {}", cause.message));
    }
    let reason = if status.signal().is_some() { FailureReason::Signal } else { FailureReason::ExitCode };
    let why = reading
        .exception
        .as_ref()
        .map(|exception| exception.text.as_str())
        .or_else(|| reading.remark(Severity::Failed).map(|(message, _)| message))
        .or_else(|| reading.remark(Severity::Invalid).map(|(message, _)| message));
    failed(
        reason,
        match (why, reading.last_line.as_str()) {
            (Some(why), _) => format!("{ended}: {why}"),
            (None, _) if reading.complete() => format!("{ended} after the work was complete"),
            (None, "") => format!("{ended}, nothing printed"),
            (None, last) => format!("{ended}; last line: {}", without_script(last)),
        },
    )
}

/// The shell puts the long path of the script it runs before what it has to say.
fn without_script(line: &str) -> &str {
    line.split_once("/command.sh: ").map_or(line, |(_, said)| said)
}

/// `exit code 3`, `SIGSEGV`; shells report the signal of their child as 128 and its number.
fn status_text(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended by {}", signal_name(signal)),
        (None, Some(code @ 129..=159)) => format!("exit code {code} ({})", signal_name(code - 128)),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => format!("wait status {:#x}", status.raw),
    }
}

fn warnings(reading: &Reading, verdict: &Verdict) -> Vec<String> {
    let mut warnings: Vec<String> = reading
        .remarks
        .iter()
        .filter(|(remark, _)| remark.severity == Severity::Warning)
        .map(|(remark, count)| counted(&remark.message, *count))
        .collect();
    if *verdict != Verdict::Succeeded {
        return warnings;
    }
    let handled = reading.alerts.iter().filter(|alert| alert.kind != "warning");
    warnings.extend(
        handled.map(|alert| format!("{} x {}, but it went on: {}", alert.count, alert.kind, alert.text)),
    );
    if let Some(progress) = reading.progress_text().filter(|_| reading.guessed && !reading.all_done()) {
        warnings.push(format!("the last bar stood at {progress}"));
    }
    warnings
}

fn counted(message: &str, count: u64) -> String {
    if count == 1 { message.to_owned() } else { format!("{message} ({count} x)") }
}

fn failed(reason: FailureReason, message: impl Into<String>) -> Verdict {
    Verdict::Failed(Failure { reason, message: message.into() })
}
