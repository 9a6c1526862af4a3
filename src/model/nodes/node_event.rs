//! What happens between a run and its nodes: lines of the journal of the run, or of that of a node.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::node_phase::NodePhase;
use super::order::{DealtShard, Order, OrderNumber};
use crate::model::actor::Actor;
use crate::model::ids::ShardId;
use crate::model::shortage::Shortage;
use crate::model::sweep::node_spec::NodeId;
use crate::model::units::maybe_seconds;

/// Something that happened between a run and its nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum NodeEvent {
    /// The second line of the journal of a node: it has no shard but those that orders bring.
    Begun {
        /// The name of the node in its run.
        node: NodeId,
        /// How long it may be without the folder of the run.
        #[serde(
            with = "maybe_seconds",
            default,
            rename = "lease_s",
            skip_serializing_if = "Option::is_none"
        )]
        lease: Option<Duration>,
    },
    /// A node is given an order: it is on record before its file is written.
    OrderGiven {
        /// The node that is to carry it out.
        node: NodeId,
        /// The order.
        order: Order,
    },
    /// At a node: an order is carried out, as far as it can be.
    OrderDone {
        /// The order.
        number: OrderNumber,
        /// Why it was not carried out, or not as a whole, in one line each for people.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    },
    /// A node came, went, or gives no sign of life.
    StandingChanged {
        /// The node that is another now.
        node: NodeId,
        /// Whether it is at work.
        #[serde(flatten)]
        standing: NodePhase,
    },
    /// A node is not asked for anything again, and nothing more is taken from its journal.
    GivenUp {
        /// The node that is given up.
        node: NodeId,
        /// How it is known that nothing of it runs, in one line for people.
        reason: String,
        /// The node that takes its place once one is wanted.
        next: NodeId,
    },
    /// At a node: a shard of the run is here from now on, and waits for its turn.
    ShardReceived(DealtShard),
    /// At a node: a shard that waited here is not here any more, and may run elsewhere.
    ShardReturned {
        /// The shard that is given back.
        shard: ShardId,
        /// What this node will not have by itself, where that is why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lacks: Option<Shortage>,
    },
    /// A shard that was dealt waits again to be dealt: its node has given it back, or was given up.
    ShardTakenBack {
        /// The shard that waits again.
        shard: ShardId,
        /// The node that cannot run it, where that is why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<Refusal>,
    },
}

/// A node cannot run a shard before somebody has seen to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The node that gave the shard back.
    pub node: NodeId,
    /// What it will not have by itself.
    pub lacks: Shortage,
}

impl NodeEvent {
    /// The shard whose state this changes.
    pub fn shard(&self) -> Option<&ShardId> {
        match self {
            Self::ShardReceived(dealt) => Some(&dealt.shard),
            Self::ShardReturned { shard, .. } | Self::ShardTakenBack { shard, .. } => Some(shard),
            Self::Begun { .. }
            | Self::OrderGiven { .. }
            | Self::OrderDone { .. }
            | Self::GivenUp { .. }
            | Self::StandingChanged { .. } => None,
        }
    }

    /// The user who asked for it, where one did.
    pub fn actor(&self) -> Option<&Actor> {
        match self {
            Self::OrderGiven { order, .. } => order.task.actor(),
            Self::Begun { .. }
            | Self::OrderDone { .. }
            | Self::StandingChanged { .. }
            | Self::GivenUp { .. }
            | Self::ShardReceived(_)
            | Self::ShardReturned { .. }
            | Self::ShardTakenBack { .. } => None,
        }
    }
}
