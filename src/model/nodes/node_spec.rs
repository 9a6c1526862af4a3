//! A machine, or the part of one, that takes shards of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::ids::{ShardIdProblem, check_name};

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
}
