//! What a log has to say besides the verdict: soft rules, handled trouble, and patterns that found nothing.

use crate::model::failure_trait::FailureTrait;
use crate::model::outcome::{FailureReason, Verdict};
use crate::progress::reading::LogSummary;
use crate::progress::remarks::RemarkSeverity;

/// Lists what the log has to say besides this verdict, one line each.
pub fn warnings_of_log(reading: &LogSummary, verdict: &Verdict) -> Vec<String> {
    let mut warnings: Vec<String> = reading
        .remarks
        .iter()
        .filter(|(remark, _)| remark.severity == RemarkSeverity::Warning)
        .map(|(remark, said)| remark.counted(said))
        .collect();
    let faults = reading.pattern_faults.iter().filter(|fault| fault.is_told(went_its_way(verdict)));
    warnings.extend(faults.map(|fault| fault.message.clone()));
    warnings.extend(reading.restart_text());
    match verdict {
        Verdict::Succeeded => {}
        Verdict::Cancelled => return warnings,
        Verdict::Failed(failure) => {
            let is_told = |doubt: &String| {
                failure.reason == FailureReason::Invalid || failure.message.contains(doubt.as_str())
            };
            warnings.extend(reading.doubts().filter(|doubt| !is_told(doubt)));
            return warnings;
        }
    }
    let handled = reading.alerts.iter().filter(|alert| alert.kind != "warning");
    warnings.extend(
        handled.map(|alert| format!("{} x {}, but it went on: {}", alert.count, alert.kind, alert.text)),
    );
    if let Some(progress) = reading.progress_text().filter(|_| !reading.all_done()) {
        if reading.guessed {
            warnings.push(format!("the last progress was {progress}"));
        } else if reading.falls_short() {
            warnings.push(format!("the log ends at {progress}"));
        }
    }
    warnings
}

/// Reports whether the attempt ran long enough to print what the sweep looks for.
fn went_its_way(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Succeeded => true,
        Verdict::Cancelled => false,
        Verdict::Failed(failure) => failure.reason.has(FailureTrait::RanItsCourse),
    }
}
