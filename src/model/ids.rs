//! Newtypes for the names of things: runs, shards, attempts and GPUs.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::logs::printable::is_hidden;

/// The name of one execution of a sweep, unique on its machine, e.g. `h100_eval-20261121-013100-4f2a`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(pub String);

/// The name of a shard; it is also a folder name, so it is checked on the way in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ShardId(String);

/// Why a text cannot be a shard id, or the id of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ShardIdProblem {
    /// Nothing is left after rendering.
    #[error("is empty")]
    Empty,
    /// The id becomes a folder name.
    #[error("contains `/`")]
    Slash,
    /// Control characters break terminals and logs.
    #[error("contains a control character")]
    Control,
    /// Two ids must not look the same, and none may be shown in another order than it is written.
    #[error("contains an invisible character")]
    Invisible,
    /// A leading dot hides the folder, a leading dash reads as an option.
    #[error("starts with `.` or `-`")]
    LeadingMark,
    /// File systems end at 255 bytes and names get suffixes.
    #[error("is longer than 200 bytes")]
    TooLong,
}

/// Checks a text against the rules for names of files and folders.
pub(super) fn check_name(text: &str) -> Result<(), ShardIdProblem> {
    if text.is_empty() {
        Err(ShardIdProblem::Empty)
    } else if text.contains('/') {
        Err(ShardIdProblem::Slash)
    } else if text.chars().any(char::is_control) {
        Err(ShardIdProblem::Control)
    } else if text.chars().any(is_hidden) {
        Err(ShardIdProblem::Invisible)
    } else if text.starts_with(['.', '-']) {
        Err(ShardIdProblem::LeadingMark)
    } else if text.len() > 200 {
        Err(ShardIdProblem::TooLong)
    } else {
        Ok(())
    }
}

/// A record with another id would lead the files that are named by it out of their folders.
impl TryFrom<String> for RunId {
    type Error = RunIdProblem;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        check_name(&text).map(|()| Self(text)).map_err(RunIdProblem)
    }
}

/// Why a text cannot be the id of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the id of the run {0}")]
pub struct RunIdProblem(ShardIdProblem);

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

impl ShardId {
    /// Checks a text against the rules for folder names.
    pub fn new(text: impl Into<String>) -> Result<Self, ShardIdProblem> {
        let text = text.into();
        check_name(&text).map(|()| Self(text))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ShardId {
    type Error = ShardIdProblem;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

impl From<ShardId> for String {
    fn from(id: ShardId) -> Self {
        id.0
    }
}

impl fmt::Display for ShardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Number of a try at a shard, from 1; late events of an older number are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttemptNumber(pub u32);

impl AttemptNumber {
    /// The first try at a shard.
    pub const FIRST: Self = Self(1);

    /// The number of the try after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for AttemptNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Key of every event about a running process: a shard and the number of its attempt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AttemptKey {
    /// The shard that is tried.
    pub shard: ShardId,
    /// Number of the try, from 1.
    pub attempt: AttemptNumber,
}

impl fmt::Display for AttemptKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} #{}", self.shard, self.attempt)
    }
}

/// A GPU by its PCI-bus order, as `nvidia-smi` numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GpuIndex(pub u32);

impl fmt::Display for GpuIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
