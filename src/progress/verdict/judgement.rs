//! The verdict on an ended attempt, from all the evidence and not from the exit code alone.

use super::log_warnings::warnings_of_log;
use super::unseen_exit::{self, LogVerdict};
use crate::model::attempt::AttemptEnd;
use crate::model::logs::value_log::ValueShortfall;
use crate::model::outcome::{ExitStatus, Failure, FailureReason, LAST_LINE, Proof, Verdict, signal_name};
use crate::model::state::phase::StopCause;
use crate::progress::files::evidence::{Coverage, FileEvidence};
use crate::progress::reading::LogSummary;
use crate::progress::remarks::RemarkSeverity;
use crate::progress::trouble::cause::FailureCause;
use crate::progress::trouble::uncaught::Uncaught;

/// Everything that is known when an attempt has ended.
#[derive(Debug, Clone, Copy)]
pub struct VerdictEvidence<'a> {
    /// How its process ended.
    pub end: &'a AttemptEnd,
    /// Everything read from its log.
    pub reading: &'a LogSummary,
    /// Why it was being stopped, where it was.
    pub stop: Option<StopCause>,
    /// The files it had to write.
    pub artifacts: ArtifactStatus<'a>,
    /// The kernel killed something for lack of main memory just before it ended.
    pub memory_ran_out: bool,
    /// Evidence of its result files.
    pub files: &'a FileEvidence,
    /// Values of its pack that have no result, where the files or the log distinguish values.
    pub values: Option<&'a ValueShortfall>,
    /// The 1-based setup step that failed, where one did.
    pub setup_step: Option<u32>,
}

/// The files an attempt had to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactStatus<'a> {
    /// None were asked for, so that nothing follows from them.
    NotAsked,
    /// All are there and hold something.
    Written,
    /// These are missing or empty.
    Missing(&'a [String]),
}

/// The verdict, what proves it and what is worth saying about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Outcome that the evidence supports.
    pub verdict: Verdict,
    /// The line of the log that proves it, where one does.
    pub proof: Option<Proof>,
    /// Remarks that accompany the verdict, one line each.
    pub warnings: Vec<String>,
}

impl VerdictEvidence<'_> {
    /// Reports whether everything is done. A file is written to say so; a log may have lost lines.
    fn complete(&self) -> bool {
        self.values.is_none() && self.all_done()
    }

    fn all_done(&self) -> bool {
        match self.files.coverage {
            Coverage::Complete => true,
            Coverage::Short { .. } => false,
            Coverage::Unknown => self.reading.complete() && self.failure_behind_the_work().is_none(),
        }
    }

    /// All was done, and then something failed that may have been the writing of the results.
    fn failure_behind_the_work(&self) -> Option<&Proof> {
        let is_open = self.files.coverage == Coverage::Unknown && self.artifacts != ArtifactStatus::Written;
        self.reading.failure_behind_the_work().filter(|_| is_open && self.reading.complete())
    }
}

/// A verdict with the line that proves it.
struct ProvenVerdict {
    verdict: Verdict,
    proof: Option<Proof>,
    /// Remark that is worth making about how it ended.
    warning: Option<String>,
}

/// Judges an ended attempt.
pub fn judge(evidence: &VerdictEvidence<'_>) -> Judgement {
    let finding = match evidence.end {
        AttemptEnd::LaunchError { message } => {
            ProvenVerdict::failed(FailureReason::LaunchError, message.clone())
        }
        AttemptEnd::PutBack { lack } => ProvenVerdict::failed(FailureReason::Lost, lack.as_text()),
        AttemptEnd::Lost { message } => match evidence.stop {
            Some(cause) => stopped(cause),
            None => ProvenVerdict::failed(FailureReason::Lost, message.clone()),
        },
        AttemptEnd::Exited { status } => of_exit(evidence, *status),
        AttemptEnd::Unseen => unseen_exit::judge_by_log(evidence.reading, evidence.files).into(),
    };
    let mut warnings = warnings_of_log(evidence.reading, &finding.verdict);
    warnings.extend(evidence.files.warnings(&finding.verdict));
    warnings.extend(finding.warning);
    Judgement { verdict: finding.verdict, proof: finding.proof, warnings }
}

/// Returns what the shell said last, without the place in the script, which no user has written.
fn last_words(line: &str) -> &str {
    let behind = line.split_once("command.sh: line ").and_then(|(_, rest)| rest.split_once(": "));
    behind.map_or(line, |(_, words)| words).trim()
}

fn of_exit(evidence: &VerdictEvidence<'_>, status: ExitStatus) -> ProvenVerdict {
    if let Some(step) = evidence.setup_step {
        let status = status_text(status);
        let message = match last_words(&evidence.reading.last_line) {
            "" => format!("setup step {step} failed: {status}"),
            words => format!("setup step {step} failed: {words} ({status})"),
        };
        return ProvenVerdict::failed(FailureReason::LaunchError, message);
    }
    // A stop that came too late changes nothing: what was to be done is done.
    let done_anyway = status.success() && evidence.complete();
    match evidence.stop {
        Some(cause) if !done_anyway => hung_at_close(evidence, cause).unwrap_or_else(|| stopped(cause)),
        Some(_) | None if status.success() => of_success(evidence),
        Some(_) | None => crashed_at_close(evidence, status)
            .or_else(|| killed_for_memory(evidence, status))
            .unwrap_or_else(|| of_failure(evidence, status)),
    }
}

fn stopped(cause: StopCause) -> ProvenVerdict {
    match cause {
        StopCause::Killed => ProvenVerdict::failed(FailureReason::Killed, "killed by the user"),
        StopCause::Timeout => {
            ProvenVerdict::failed(FailureReason::Timeout, "ran longer than `timeout` allows")
        }
        StopCause::Stalled => {
            ProvenVerdict::failed(FailureReason::Stalled, "silent for longer than `stall_after` allows")
        }
        StopCause::RunStopped | StopCause::Restarted => ProvenVerdict::of(Verdict::Cancelled),
        StopCause::ServiceGone => {
            ProvenVerdict::failed(FailureReason::ServiceLost, "a service that it used ended")
        }
        StopCause::NotReady => {
            ProvenVerdict::failed(FailureReason::Timeout, "not ready within `ready_timeout`")
        }
        StopCause::Unneeded => ProvenVerdict::of(Verdict::Succeeded),
    }
}

/// Simulators are known to hang when they close: the results were complete before sweepdeck ended it.
fn hung_at_close(evidence: &VerdictEvidence<'_>, cause: StopCause) -> Option<ProvenVerdict> {
    if !matches!(cause, StopCause::Timeout | StopCause::Stalled) {
        return None;
    }
    let finished = evidence.reading.finished.is_some() || evidence.files.is_complete();
    (finished && went_well_to_the_end(evidence)).then(|| ProvenVerdict {
        warning: Some("it hung after the work was complete and was ended".to_owned()),
        ..of_success(evidence)
    })
}

/// A crash after everything was done and written costs nothing.
fn crashed_at_close(evidence: &VerdictEvidence<'_>, status: ExitStatus) -> Option<ProvenVerdict> {
    // A code of its own choice is the program's word that something is wrong; only files outweigh it.
    let written = evidence.artifacts == ArtifactStatus::Written || evidence.files.is_complete();
    let believed = shell_signal(status).is_some() || written;
    (believed && went_well_to_the_end(evidence)).then(|| ProvenVerdict {
        warning: Some(format!("{} after the work was complete", status_text(status))),
        ..of_success(evidence)
    })
}

/// Explains a SIGKILL that was not sent from here, when the kernel has just killed for lack of memory.
fn killed_for_memory(evidence: &VerdictEvidence<'_>, status: ExitStatus) -> Option<ProvenVerdict> {
    const SIGKILL: i32 = 9;
    let killed = evidence.memory_ran_out && shell_signal(status) == Some(SIGKILL);
    let message = format!("{} while the kernel killed for lack of memory", status_text(status));
    killed.then(|| ProvenVerdict::failed(FailureReason::HostOom, message))
}

/// All was done and nothing shows that writing the results failed afterwards.
fn went_well_to_the_end(evidence: &VerdictEvidence<'_>) -> bool {
    if evidence.values.is_some() {
        return false;
    }
    let reading = evidence.reading;
    match evidence.files.coverage {
        Coverage::Complete => return !matches!(evidence.artifacts, ArtifactStatus::Missing(_)),
        Coverage::Short { .. } => return false,
        Coverage::Unknown => {}
    }
    let Some(completed) = reading.proof_of_completeness() else { return false };
    let exception_after =
        reading.exception.as_ref().is_some_and(|exception| exception.proof.line > completed.line);
    !reading.falls_short()
        && match evidence.artifacts {
            ArtifactStatus::NotAsked => !exception_after,
            ArtifactStatus::Written => true,
            ArtifactStatus::Missing(_) => false,
        }
}

/// The exit code is 0, or does not count; everything else must agree.
fn of_success(evidence: &VerdictEvidence<'_>) -> ProvenVerdict {
    let reading = evidence.reading;
    let complete = evidence.complete();
    let short = !evidence.files.is_complete()
        && (reading.falls_short() || (reading.expects_finish && reading.finished.is_none()));
    let is_unwritten = evidence.failure_behind_the_work().is_some();
    if let Some(cause) = reading.ending_cause().filter(|_| !complete && (short || is_unwritten)) {
        let reason = if is_unwritten { FailureReason::Exception } else { FailureReason::Incomplete };
        return ProvenVerdict::caused(cause, reason, cause.message());
    }
    if let Some(exception) = reading.ending_exception().filter(|_| !complete) {
        let message = format!("{}, exit code 0", exception.text);
        return match reading.ending_cause() {
            Some(cause) => ProvenVerdict::caused(cause, FailureReason::Exception, message),
            None => ProvenVerdict::failed(FailureReason::Exception, message).proved(Some(exception.clone())),
        };
    }
    for (severity, reason) in [
        (RemarkSeverity::Invalid, FailureReason::Invalid),
        (RemarkSeverity::Failed, FailureReason::Exception),
    ] {
        if let Some((remark, said)) = reading.remark(severity) {
            return ProvenVerdict::failed(reason, remark.counted(said)).proved(said.proof.clone());
        }
        if let Some(remark) = evidence.files.remark(severity) {
            return ProvenVerdict::failed(reason, remark.message.clone());
        }
    }
    if let Some(shortfall) = evidence.files.shortfall() {
        return ProvenVerdict::failed(FailureReason::Incomplete, format!("{shortfall}, exit code 0"));
    }
    if let Some(progress) = reading.progress_text().filter(|_| short && reading.falls_short()) {
        return ProvenVerdict::failed(FailureReason::Incomplete, format!("{progress}, exit code 0"))
            .proved(reading.progress_line.clone());
    }
    if short {
        let message = "the line that says it is complete never came, exit code 0";
        return ProvenVerdict::failed(FailureReason::Incomplete, message);
    }
    // Comes after all that explains it: what lacks nothing but values is reported in these words.
    if let Some(shortfall) = evidence.values {
        return ProvenVerdict::failed(FailureReason::Incomplete, shortfall.to_string());
    }
    match evidence.artifacts {
        ArtifactStatus::NotAsked | ArtifactStatus::Written => {
            ProvenVerdict::of(Verdict::Succeeded).proved(reading.proof_of_completeness().cloned())
        }
        ArtifactStatus::Missing(missing) => ProvenVerdict::failed(
            FailureReason::MissingArtifact,
            format!("missing or empty: {}", missing.join(", ")),
        ),
    }
}

/// The process says itself that it failed; the log may know why. The cause is said before the code.
fn of_failure(evidence: &VerdictEvidence<'_>, status: ExitStatus) -> ProvenVerdict {
    let reading = evidence.reading;
    let ended = status_text(status);
    let reason = if status.signal().is_some() { FailureReason::Signal } else { FailureReason::ExitCode };
    if let Some(cause) = reading.ending_cause() {
        return ProvenVerdict::caused(cause, reason, format!("{}, {ended}", cause.message()));
    }
    if let Some(Uncaught { proof: exception, .. }) = &reading.exception {
        let message = format!("{}, {ended}", exception.text);
        return ProvenVerdict::failed(reason, message).proved(Some(exception.clone()));
    }
    for severity in [RemarkSeverity::Failed, RemarkSeverity::Invalid] {
        if let Some((remark, said)) = reading.remark(severity) {
            let message = format!("{}, {ended}", remark.message);
            return ProvenVerdict::failed(reason, message).proved(said.proof.clone());
        }
    }
    let message = match (reading.last_line.as_str(), evidence.values) {
        (_, Some(shortfall)) if reading.complete() => format!("{shortfall}; {ended}"),
        // What came behind the last of the work may be why.
        (last, None) if reading.complete() => match said_after_the_work(reading) {
            true => format!("{LAST_LINE}{}; {ended} after the work was complete", without_script(last)),
            false => format!("{ended} after the work was complete"),
        },
        ("", _) => format!("nothing printed, {ended}"),
        (last, _) => format!("{LAST_LINE}{}; {ended}", without_script(last)),
    };
    ProvenVerdict::failed(reason, message)
}

/// Something was printed behind the line that completes the work.
fn said_after_the_work(reading: &LogSummary) -> bool {
    let completed = reading.proof_of_completeness();
    !reading.last_line.is_empty() && completed.is_some_and(|proof| reading.last_line_number > proof.line)
}

impl ProvenVerdict {
    fn of(verdict: Verdict) -> Self {
        Self { verdict, proof: None, warning: None }
    }

    fn failed(reason: FailureReason, message: impl Into<String>) -> Self {
        Self::of(Verdict::Failed(Failure { reason, message: message.into() }))
    }

    /// Failed for the reason that the cause gives, or else for this one.
    fn caused(cause: &FailureCause, otherwise: FailureReason, message: String) -> Self {
        Self::failed(cause.reason.unwrap_or(otherwise), message).proved(Some(cause.proof.clone()))
    }

    fn proved(self, proof: Option<Proof>) -> Self {
        Self { proof, ..self }
    }
}

impl From<LogVerdict> for ProvenVerdict {
    fn from(LogVerdict { verdict, proof, warning }: LogVerdict) -> Self {
        Self { verdict, proof, warning }
    }
}

/// The shell puts the long path of the script it runs before what it has to say.
fn without_script(line: &str) -> &str {
    line.split_once("/command.sh: ").map_or(line, |(_, said)| said)
}

/// The signal that ended it; shells report that of their child as 128 and its number.
fn shell_signal(status: ExitStatus) -> Option<i32> {
    status.signal().or_else(|| status.code().filter(|code| (129..=159).contains(code)).map(|code| code - 128))
}

/// `exit code 3`, `ended by SIGSEGV`, `exit code 139 (SIGSEGV)`.
fn status_text(status: ExitStatus) -> String {
    match (status.signal(), status.code(), shell_signal(status)) {
        (Some(signal), _, _) => format!("ended by {}", signal_name(signal)),
        (None, Some(code), Some(signal)) => format!("exit code {code} ({})", signal_name(signal)),
        (None, Some(code), None) => format!("exit code {code}"),
        (None, None, _) => format!("wait status {:#x}", status.raw),
    }
}
