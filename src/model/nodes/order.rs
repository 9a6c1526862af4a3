//! What a node is asked to do. Orders of a node are numbered, and each is carried out once.

use serde::{Deserialize, Serialize};

use crate::model::actor::Actor;
use crate::model::command::Command;
use crate::model::ids::{AttemptNumber, ShardId};
use crate::model::priority::Priority;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::split::PackSplit;

/// The version of the format of order files; a node refuses newer ones.
pub const ORDER_VERSION: u32 = 1;

/// The number of an order, from 1 at each node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OrderNumber(pub u64);

impl OrderNumber {
    /// The number of the order after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// An order, as a file of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Version of the format, [`ORDER_VERSION`] when written by this program.
    pub version: u32,
    /// Its place among the orders of the node.
    pub number: OrderNumber,
    /// What is to be done.
    #[serde(flatten)]
    pub task: OrderTask,
}

/// What a node is asked to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case")]
pub enum OrderTask {
    /// Run these shards.
    Deal {
        /// The shards, first choice first.
        shards: Vec<DealtShard>,
        /// What is no part of the run's first plan: values that were added, with those of these shards that they brought.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        grown: Vec<Growth>,
        /// Packs that were split on the way to these shards, in their order; the node may know some of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        splits: Vec<PackSplit>,
    },
    /// Give these back, as far as they wait for their turn: another node has room for them.
    Return {
        /// The shards.
        shards: Vec<ShardId>,
    },
    /// Start nothing more and give back what waits; with `now`, end what runs too.
    Stop {
        /// Whether running shards are ended.
        now: bool,
        /// The user who asked.
        by: Actor,
    },
    /// End everything for good: what is not done runs elsewhere.
    Release {
        /// Reason in one line for people.
        reason: String,
    },
    /// Do what a user asks of the run, as far as it concerns this node.
    Relay {
        /// The command, about shards of this node only.
        asked: Command,
        /// The user who asked.
        by: Actor,
    },
}

impl OrderTask {
    /// The user who asked; none where the run itself decided.
    pub fn actor(&self) -> Option<&Actor> {
        match self {
            Self::Deal { .. } | Self::Return { .. } | Self::Release { .. } => None,
            Self::Stop { by, .. } | Self::Relay { by, .. } => Some(by),
        }
    }

    /// What the node could not run is to be tried again: somebody has seen to it.
    pub fn asks_to_retry(&self) -> bool {
        matches!(self, Self::Relay { asked: Command::Continue | Command::Restart { .. }, .. })
    }

    /// It sets a limit for the shards that come: no reason to start a node.
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::Relay { asked: Command::SetParallel { .. } | Command::SetReserve { .. }, .. })
    }
}

/// A shard that is given to a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DealtShard {
    /// The shard to run.
    pub shard: ShardId,
    /// Its newest attempt, wherever that was: the next one has the number after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptNumber>,
    /// Changes that a user made.
    #[serde(default, skip_serializing_if = "Edit::is_empty")]
    pub edit: Edit,
    /// The place that the user gave it among those that wait.
    #[serde(default, skip_serializing_if = "Priority::is_usual")]
    pub priority: Priority,
}
