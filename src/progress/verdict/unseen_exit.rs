//! The verdict on work whose exit code only its own parent was given: its log says how it went, or nothing does.

use crate::model::outcome::{Failure, FailureReason, Proof, Verdict};
use crate::progress::files::evidence::FileEvidence;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::ScanKind;
use crate::progress::scan::reading::ScanVerdict;

/// Remark on a success, which would otherwise read as an exit code of 0.
const UNKNOWN_CODE: &str = "exit code unknown: sweepdeck did not start it";

/// Judgement of an ended process by its log alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogVerdict {
    /// Outcome that the log supports.
    pub verdict: Verdict,
    /// The line that proves it, where one does.
    pub proof: Option<Proof>,
    /// Remark that is worth making about the verdict, if any.
    pub warning: Option<String>,
}

/// Judges work that has ended with an unknown exit code. What neither shows its end nor a failure is not taken for a
/// success.
pub fn judge_by_log(reading: &LogSummary, files: &FileEvidence) -> LogVerdict {
    let ScanVerdict { kind, message, proof } = ScanVerdict::with_files(reading, files);
    let failed = |reason| {
        let message = format!("{}, exit code unknown", message.clone().unwrap_or_default());
        Verdict::Failed(Failure { reason, message })
    };
    let verdict = match kind {
        ScanKind::Succeeded => Verdict::Succeeded,
        ScanKind::Failed(reason) => failed(reason),
        ScanKind::Incomplete => failed(FailureReason::Incomplete),
        ScanKind::Invalid => failed(FailureReason::Invalid),
        ScanKind::Unknown => Verdict::Failed(Failure {
            reason: FailureReason::Incomplete,
            message: "its log does not say that it is complete, exit code unknown".to_owned(),
        }),
    };
    let warning = (verdict == Verdict::Succeeded).then(|| UNKNOWN_CODE.to_owned());
    LogVerdict { verdict, proof, warning }
}
