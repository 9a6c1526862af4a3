//! The reading of a log that nobody launched: without an exit code only the log can say how it went.

use serde_json::{Value, json};

use super::reading::{Reading, Severity};
use crate::model::outcome::FailureReason;
use crate::model::units::UNKNOWN;

/// How a log went, as far as it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanVerdict {
    /// All is done.
    Succeeded,
    /// It ended before.
    Failed(FailureReason, String),
    /// It stops before all is done, without saying why.
    Incomplete(String),
    /// It ended, but its results are wrong.
    Invalid(String),
    /// It shows neither an end nor a failure.
    Unknown,
}

impl ScanVerdict {
    /// Judges a log by its reading alone.
    pub fn of(reading: &Reading) -> Self {
        let remark =
            |severity| reading.remark(severity).map(|(message, count)| format!("{message} ({count} x)"));
        if let Some(message) = remark(Severity::Invalid) {
            return Self::Invalid(message);
        }
        if let Some(message) = remark(Severity::Failed) {
            return Self::Failed(FailureReason::Exception, message);
        }
        if reading.complete() && !reading.falls_short() {
            return Self::Succeeded;
        }
        if let Some(cause) = &reading.cause {
            return Self::Failed(cause.reason, cause.message.clone());
        }
        if let Some(exception) = reading.ending_exception() {
            return Self::Failed(FailureReason::Exception, exception.to_owned());
        }
        match reading.progress_text().filter(|_| reading.falls_short()) {
            Some(progress) => Self::Incomplete(progress),
            None => Self::Unknown,
        }
    }

    /// The word of the contract.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed(..) => "failed",
            Self::Incomplete(_) => "incomplete",
            Self::Invalid(_) => "invalid",
            Self::Unknown => "unknown",
        }
    }

    fn reason(&self) -> Option<FailureReason> {
        match self {
            Self::Failed(reason, _) => Some(*reason),
            Self::Incomplete(_) => Some(FailureReason::Incomplete),
            Self::Invalid(_) => Some(FailureReason::Invalid),
            Self::Succeeded | Self::Unknown => None,
        }
    }

    fn message(&self) -> Option<&str> {
        match self {
            Self::Failed(_, message) | Self::Incomplete(message) | Self::Invalid(message) => Some(message),
            Self::Succeeded | Self::Unknown => None,
        }
    }
}

/// What `scan --json` prints.
pub fn scan_json(reading: &Reading) -> Value {
    let verdict = ScanVerdict::of(reading);
    let alerts: Vec<Value> = reading
        .alerts
        .iter()
        .map(|alert| json!({"kind": alert.kind, "count": alert.count, "first_line": alert.first_line}))
        .collect();
    json!({
        "preset": reading.preset,
        "progress": reading.progress,
        "metrics": reading.metrics,
        "alerts": alerts,
        "verdict": verdict.as_str(),
        "reason": verdict.reason(),
    })
}

/// What `scan` prints for people.
pub fn scan_text(reading: &Reading) -> String {
    let verdict = ScanVerdict::of(reading);
    let mut text = String::new();
    let mut row = |name: &str, value: &str| text.push_str(&format!("{name:<10}{value}\n"));
    let reason = verdict.reason().map_or("", FailureReason::as_str);
    let word = verdict.as_str();
    row(
        "verdict",
        &if reason.is_empty() || reason == word { word.to_owned() } else { format!("{word} ({reason})") },
    );
    if let Some(message) = verdict.message() {
        row("", message);
    }
    row("preset", reading.preset.unwrap_or("none recognised"));
    row("progress", reading.progress_text().as_deref().unwrap_or(UNKNOWN));
    for (position, (name, value)) in reading.metrics.iter().enumerate() {
        row(if position == 0 { "metrics" } else { "" }, &format!("{name} = {value}"));
    }
    for (position, alert) in reading.alerts.iter().enumerate() {
        let found =
            format!("{} x {}, first on line {}: {}", alert.count, alert.kind, alert.first_line, alert.text);
        row(if position == 0 { "alerts" } else { "" }, &found);
    }
    text
}
