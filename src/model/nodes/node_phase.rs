//! Whether a node is at work, and where its facts come from.

use serde::{Deserialize, Serialize};

use crate::model::sweep::node_spec::NodeId;

/// Whether a node is at work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "standing", rename_all = "kebab-case")]
pub enum NodePhase {
    /// Nothing was asked of it, or it has ended because nothing was left to do.
    #[default]
    Idle,
    /// Slurm has a job for it that has not begun.
    Waiting {
        /// Why it has not, as Slurm says it.
        reason: String,
    },
    /// It takes shards.
    Up,
    /// It ends what it has, and takes nothing more.
    Draining,
    /// It could not be started; it is tried again.
    Unreachable {
        /// Reason in one line for people.
        reason: String,
    },
    /// It was at work and gives no sign of life. Its shards may be running.
    Silent,
    /// It was silent for longer than its lease, and is to end what it has.
    Expired,
    /// Nothing of it can be running any more.
    Gone {
        /// How that is known, in one line for people.
        reason: String,
    },
}

impl NodePhase {
    /// The word for it, and the reason where there is one.
    pub fn words(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Idle => ("idle", None),
            Self::Waiting { reason } => ("waiting", Some(reason)),
            Self::Up => ("up", None),
            Self::Draining => ("draining", None),
            Self::Unreachable { reason } => ("unreachable", Some(reason)),
            Self::Silent => ("silent", None),
            Self::Expired => ("expired", Some("silent for longer than its lease: it is to end what it has")),
            Self::Gone { reason } => ("gone", Some(reason)),
        }
    }

    /// Reports whether processes of it may be at work.
    pub fn is_at_work(&self) -> bool {
        match self {
            Self::Up | Self::Draining | Self::Silent | Self::Expired => true,
            Self::Idle | Self::Waiting { .. } | Self::Unreachable { .. } | Self::Gone { .. } => false,
        }
    }

    /// The same as a text: `unreachable: Connection timed out`.
    pub fn to_text(&self) -> String {
        match self.words() {
            (word, Some(reason)) => format!("{word}: {reason}"),
            (word, None) => word.to_owned(),
        }
    }
}

/// Where a fact comes from that another journal had first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactOrigin {
    /// The node whose journal it is.
    pub node: NodeId,
    /// Number of its line there.
    pub line: u64,
}
