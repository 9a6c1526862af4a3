//! A machine, or the part of one, that takes shards of a run.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::ids::{ShardIdProblem, check_name};
use crate::model::units::seconds;

/// The name of a node, unique in its run; it is also the name of its folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodeId(String);

impl NodeId {
    /// Checks a text against the rules for folder names.
    pub fn new(text: impl Into<String>) -> Result<Self, ShardIdProblem> {
        let text = text.into();
        check_name(&text).map(|()| Self(text))
    }

    /// The name of a further node at the same place.
    #[must_use]
    pub fn numbered(&self, number: u32) -> Self {
        Self(format!("{}-{number}", self.0))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for NodeId {
    type Error = ShardIdProblem;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

impl From<NodeId> for String {
    fn from(id: NodeId) -> Self {
        id.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// How long a node may be without the folder of its run before it ends what it has, unless the sweep says otherwise.
pub const DEFAULT_LEASE: Duration = Duration::from_mins(5);

/// A node of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSpec {
    /// The name of the node.
    pub id: NodeId,
    /// How it is reached.
    #[serde(flatten)]
    pub reach: NodeReach,
    /// The GPUs that shards may use there, by number or UUID; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// How long it may be without the folder of the run before it ends what it has. Nothing of it is started elsewhere
    /// within that time.
    #[serde(default = "default_lease", with = "seconds")]
    pub lease: Duration,
}

fn default_lease() -> Duration {
    DEFAULT_LEASE
}

/// How a node is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NodeReach {
    /// By `ssh HOST`, without a question.
    Ssh {
        /// A name that `ssh` knows, such as one of `~/.ssh/config`.
        host: String,
    },
    /// By a job of Slurm, which lends a machine or a part of one for a while.
    Slurm {
        /// Options of `sbatch`, as written.
        sbatch: Vec<String>,
    },
}

impl NodeReach {
    /// The word of the sweep file for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Ssh { .. } => "ssh",
            Self::Slurm { .. } => "slurm",
        }
    }
}
