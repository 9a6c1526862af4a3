//! Rules on log lines: those of a sweep, and what a sweep makes of the built-in ones.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A `[[rule]]` of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RuleSpec {
    /// A rule of the sweep's own.
    Own(OwnRuleSpec),
    /// Another meaning of a built-in rule.
    BuiltIn(BuiltInRuleSpec),
}

/// A line that decides or comments the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnRuleSpec {
    /// Pattern that the line matches.
    pub pattern: String,
    /// The verdict that a matching line leads to.
    pub verdict: RuleVerdict,
    /// The message that is shown for the line.
    pub message: Option<String>,
}

/// New meaning of a built-in rule in this sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltInRuleSpec {
    /// Built-in rule that gets another meaning.
    pub name: BuiltInRule,
    /// The meaning of the rule in this sweep.
    pub verdict: BuiltInVerdict,
}

/// Meaning of a line that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleVerdict {
    /// The results are wrong.
    Invalid,
    /// The attempt counts as failed.
    Failed,
    /// Worth a remark in addition to the verdict.
    Warning,
}

/// Meaning of a built-in rule: a verdict, or none where it is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuiltInVerdict {
    /// The rule is switched off.
    Off,
    /// The results are wrong.
    Invalid,
    /// The attempt counts as failed.
    Failed,
    /// Worth a remark in addition to the verdict.
    Warning,
}

impl BuiltInVerdict {
    /// The verdict, unless the rule is switched off.
    pub fn verdict(self) -> Option<RuleVerdict> {
        match self {
            Self::Off => None,
            Self::Invalid => Some(RuleVerdict::Invalid),
            Self::Failed => Some(RuleVerdict::Failed),
            Self::Warning => Some(RuleVerdict::Warning),
        }
    }
}

/// A rule that is on without being written.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum BuiltInRule {
    /// PhysX ran out of a buffer and dropped contacts or patches.
    PhysxOverflow,
    /// PhysX failed on the GPU, and the simulation went on: bodies freeze where they are.
    PhysxFailure,
    /// The last value of a metric is not a number.
    Nan,
    /// The simulation blew up and was reset by the engine.
    UnstablePhysics,
    /// Most episodes ended at exactly the same value.
    ConstantOutcome,
    /// An episode that did not move at all.
    NeverMoved,
    /// Episodes ended in an exception that the program caught, and count as failures.
    EpisodeErrors,
    /// Every episode ended so.
    OnlyErrors,
}

impl BuiltInRule {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::PhysxOverflow,
        Self::PhysxFailure,
        Self::Nan,
        Self::UnstablePhysics,
        Self::ConstantOutcome,
        Self::NeverMoved,
        Self::EpisodeErrors,
        Self::OnlyErrors,
    ];

    /// Its name in `[[rule]]`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for BuiltInRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
