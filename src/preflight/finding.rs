//! What a look at the machine finds, and whether a run may start in spite of it.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Everything that was found, the gravest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// All findings, sorted by severity.
    pub findings: Vec<Finding>,
}

/// Result of a check that the user should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// How grave it is.
    pub severity: FindingSeverity,
    /// Subject in a word or two: `program`, `cwd`, `disk`.
    pub what: Cow<'static, str>,
    /// Description of the finding, in one line.
    pub message: String,
    /// Advice on what to do about it.
    pub hint: Option<String>,
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingSeverity {
    /// The run cannot work; it is not started.
    Refuse,
    /// The run may fail or be lost.
    Warning,
    /// Worth knowing, and no danger to the run.
    Note,
}

impl FindingSeverity {
    /// The word in front of the message.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refuse => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl Finding {
    pub(super) fn new(severity: FindingSeverity, what: &'static str, message: impl Into<String>) -> Self {
        Self { severity, what: what.into(), message: message.into(), hint: None }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Finding {
    /// `error: program: ...`, and the hint on a line of its own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.severity.as_str(), self.what, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  help: {hint}"),
            None => Ok(()),
        }
    }
}

impl Report {
    /// All that was found, the gravest first.
    pub fn of_findings(mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| finding.severity);
        Self { findings }
    }

    /// Whether anything found forbids the start.
    pub fn refuses(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == FindingSeverity::Refuse)
    }
}
