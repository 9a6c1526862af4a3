//! Remarks that rules made about the results.

use crate::model::outcome::Proof;

/// A remark that a rule made about the results: a rule of the sweep or a built-in one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleRemark {
    /// Consequence for the verdict.
    pub severity: RemarkSeverity,
    /// Message of one line for people.
    pub message: String,
}

/// How often a rule said it, and where first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemarkHits {
    /// Number of times it was said.
    pub count: u64,
    /// The first line; none for what only the whole log shows.
    pub proof: Option<Proof>,
}

/// Consequence of a remark for the verdict, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkSeverity {
    /// The results are wrong.
    Invalid,
    /// The attempt counts as failed.
    Failed,
    /// Worth a remark next to the verdict.
    Warning,
}

impl RuleRemark {
    /// The message, with how often it was made.
    pub fn counted(&self, said: &RemarkHits) -> String {
        match said.count {
            1 => self.message.clone(),
            count => format!("{} ({count} x)", self.message),
        }
    }
}
