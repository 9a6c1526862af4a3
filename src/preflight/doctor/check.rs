//! The result of one check of the machine.

use serde::Serialize;

use crate::preflight::finding::{Finding, FindingSeverity};

/// One concern and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The concern in a word or two, the same in every report.
    pub name: &'static str,
    /// How it is.
    pub level: CheckLevel,
    /// What was found, in one line.
    pub message: String,
    /// What to do about it; `None` where nothing is to be done.
    pub remedy: Option<String>,
}

/// How a concern is, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckLevel {
    /// In order, or of no importance here.
    Ok,
    /// Runs work, with a limit that the message names.
    Warning,
    /// Runs fail, or cannot start.
    Problem,
}

impl CheckLevel {
    /// The word in front of a line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl Check {
    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, level: CheckLevel::Ok, message: message.into(), remedy: None }
    }

    pub(super) fn warning(name: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, level: CheckLevel::Warning, message: message.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn problem(name: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, level: CheckLevel::Problem, message: message.into(), remedy: Some(remedy.into()) }
    }

    /// A finding of the look before a run, under the name of a check.
    pub(super) fn from_finding(name: &'static str, finding: &Finding) -> Self {
        let level = match finding.severity {
            FindingSeverity::Refuse => CheckLevel::Problem,
            FindingSeverity::Warning => CheckLevel::Warning,
            FindingSeverity::Note => CheckLevel::Ok,
        };
        Self { name, level, message: finding.message.clone(), remedy: finding.hint.clone() }
    }
}
