//! What has been read from one log so far.

use std::collections::BTreeMap;

use crate::model::mark::Alert;
use crate::model::outcome::{Failure, FailureReason, Metrics, Progress};
use crate::model::plan::RuleVerdict;

/// A traceback this many lines before the end still ended the program: simulators print while they shut down.
const LINES_AFTER_EXCEPTION: u64 = 50;

/// What has been read from one log so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The preset that reads this log; none while `auto` has not settled.
    pub preset: Option<&'static str>,
    /// How much is done.
    pub progress: Option<Progress>,
    /// What `progress` counts, e.g. `episodes`.
    pub unit: &'static str,
    /// The progress is that of a bar nobody declared: it may belong to a part of the work only.
    pub guessed: bool,
    /// Final values so far; a metric that is not a finite number is not in it.
    pub metrics: Metrics,
    /// Classes of trouble in the order they were first seen.
    pub alerts: Vec<Alert>,
    /// The program said that it is complete.
    pub finished: bool,
    /// What it is at before the first progress.
    pub stage: Option<String>,
    /// The first failure that the log names, unless progress went on after it.
    pub cause: Option<Failure>,
    /// What the sweep's rules said, with how often.
    pub remarks: BTreeMap<Remark, u64>,
    /// The newest uncaught exception, unless progress went on after it.
    pub exception: Option<Exception>,
    /// Lines so far.
    pub lines: u64,
    /// The newest line that is not blank, shortened.
    pub last_line: String,
    /// A line that says it is complete was declared, so its absence means something.
    pub expects_finish: bool,
}

/// What a rule said about the results: a rule of the sweep or a built-in one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// What it means.
    pub severity: Severity,
    /// One line for people.
    pub message: String,
}

impl Remark {
    /// The results are wrong.
    pub fn invalid(message: &str) -> Self {
        Self { severity: Severity::Invalid, message: message.to_owned() }
    }
}

/// What a remark means, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The results are wrong.
    Invalid,
    /// The attempt failed.
    Failed,
    /// Worth a remark beside the verdict.
    Warning,
}

/// The end of a traceback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// E.g. `KeyError: 'x'`, shortened.
    pub text: String,
    /// The number of its line.
    pub line: u64,
}

impl Reading {
    /// Everything there was to do is done.
    pub fn complete(&self) -> bool {
        self.finished || (!self.guessed && !self.expects_finish && self.all_done())
    }

    /// Less is done than there was to do, as far as that can be relied on.
    pub fn falls_short(&self) -> bool {
        !self.guessed && self.total().is_some() && !self.all_done()
    }

    /// The exception that ended the log, if one did.
    pub fn ending_exception(&self) -> Option<&str> {
        let exception = self.exception.as_ref()?;
        (self.lines <= exception.line + LINES_AFTER_EXCEPTION).then_some(exception.text.as_str())
    }

    /// The worst remark of the given severity and how often it was made.
    pub fn remark(&self, severity: Severity) -> Option<(&str, u64)> {
        let (remark, count) = self.remarks.iter().find(|(remark, _)| remark.severity == severity)?;
        Some((remark.message.as_str(), *count))
    }

    /// The named failure, where the log shows it and nothing contradicts.
    pub fn shows(&self, reason: FailureReason) -> Option<&Failure> {
        self.cause.as_ref().filter(|cause| cause.reason == reason)
    }

    /// `87 of 100 episodes`.
    pub fn progress_text(&self) -> Option<String> {
        let progress = self.progress?;
        Some(match progress.total {
            Some(total) => format!("{} of {total} {}", progress.done, self.unit),
            None => format!("{} {}", progress.done, self.unit),
        })
    }

    fn total(&self) -> Option<u64> {
        self.progress.and_then(|progress| progress.total)
    }

    /// The progress has reached its total.
    pub fn all_done(&self) -> bool {
        self.progress.is_some_and(|progress| progress.total.is_some_and(|total| progress.done >= total))
    }
}

impl From<RuleVerdict> for Severity {
    fn from(verdict: RuleVerdict) -> Self {
        match verdict {
            RuleVerdict::Invalid => Self::Invalid,
            RuleVerdict::Failed => Self::Failed,
            RuleVerdict::Warning => Self::Warning,
        }
    }
}

/// The start of a line as text, for messages: at most 200 characters, without control characters.
pub fn shorten(line: &[u8]) -> String {
    const LIMIT: usize = 200;
    // Four bytes are the longest character, so nothing that is shown lies behind this.
    let start = &line[..line.len().min(4 * LIMIT)];
    let text = String::from_utf8_lossy(start);
    text.trim().chars().filter(|c| !c.is_control()).take(LIMIT).collect()
}
