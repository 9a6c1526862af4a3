//! Rules on log lines: those of a sweep, and what a sweep makes of the built-in ones.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One `[[rule]]` of a sweep.
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
    /// What the line looks like.
    pub pattern: String,
    /// What it means.
    pub verdict: RuleVerdict,
    /// What is shown.
    pub message: Option<String>,
}

/// What a built-in rule means in this sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltInRuleSpec {
    /// The rule.
    pub name: BuiltInRule,
    /// What it means here.
    pub verdict: BuiltInVerdict,
}

/// What a matching line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleVerdict {
    /// The results are wrong.
    Invalid,
    /// The attempt failed.
    Failed,
    /// Worth a remark beside the verdict.
    Warning,
}

/// What a built-in rule means: a verdict, or it is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuiltInVerdict {
    /// Nothing.
    Off,
    /// The results are wrong.
    Invalid,
    /// The attempt failed.
    Failed,
    /// Worth a remark beside the verdict.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
        match self {
            Self::PhysxOverflow => "physx-overflow",
            Self::PhysxFailure => "physx-failure",
            Self::Nan => "nan",
            Self::UnstablePhysics => "unstable-physics",
            Self::ConstantOutcome => "constant-outcome",
            Self::NeverMoved => "never-moved",
            Self::EpisodeErrors => "episode-errors",
            Self::OnlyErrors => "only-errors",
        }
    }
}

impl fmt::Display for BuiltInRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
