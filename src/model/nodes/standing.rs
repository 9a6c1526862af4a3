//! Whether a node is at work, and where its facts come from.

use serde::{Deserialize, Serialize};

use super::node_spec::NodeId;

/// Whether a node is at work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "standing", rename_all = "kebab-case")]
pub enum NodeStanding {
    /// Nothing was asked of it, or it has ended because nothing was left to do.
    #[default]
    Idle,
    /// It takes shards.
    Up,
    /// It could not be started; it is tried again.
    Unreachable {
        /// Reason in one line for people.
        reason: String,
    },
    /// It was at work and gives no sign of life. Its shards may be running.
    Silent,
}

/// Where a fact comes from that another journal had first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactOrigin {
    /// The node whose journal it is.
    pub node: NodeId,
    /// Number of its line there.
    pub line: u64,
}
