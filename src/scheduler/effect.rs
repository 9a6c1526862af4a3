//! Everything the scheduler may ask of the world, and the decision that carries it.

use jiff::Timestamp;

use crate::model::command::ControlReply;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::nodes::order::OrderNumber;
use crate::model::shortage::WaitingGroup;
use crate::model::state::fact::Event;
use crate::model::sweep::node_spec::NodeId;

/// A single action to carry out. Every one may come a second time after a crash, so each must be safe to repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Start a holder for this attempt.
    Start {
        /// Attempt to start a holder for.
        key: AttemptKey,
        /// The GPUs it may see.
        gpus: Vec<GpuIndex>,
    },
    /// Starts the polite stop.
    Stop {
        /// Attempt whose processes end.
        key: AttemptKey,
    },
    /// Stop its processes with SIGSTOP.
    Pause {
        /// Attempt whose processes stop for a while.
        key: AttemptKey,
    },
    /// Continue the attempt's paused processes.
    Resume {
        /// Attempt whose processes go on.
        key: AttemptKey,
    },
    /// Look at the machine at once and send `SchedulerInput::Machine`.
    Look,
    /// Send `SchedulerInput::Wake` then. It replaces the timer of the decision before; without it no timer is needed.
    WakeAt(Timestamp),
    /// Write an order of the journal where its node finds it.
    Order {
        /// Node that carries it out.
        node: NodeId,
        /// Order to write.
        number: OrderNumber,
    },
    /// Write the results, run the reporter, then record the run's end if it is still due.
    Finish {
        /// Every shard was taken to its end.
        finished: bool,
    },
}

impl Effect {
    /// The world is changed by it, so that its facts must be on disk before.
    pub fn is_deed(&self) -> bool {
        !matches!(self, Self::WakeAt(_) | Self::Look)
    }
}

/// Consequences of a batch of inputs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// To append to the journal, all with the moment of the decision, before any effect is carried out.
    pub facts: Vec<Event>,
    /// To carry out in this order.
    pub effects: Vec<Effect>,
    /// Replies to the commands of the batch, in their order.
    pub replies: Vec<ControlReply>,
    /// Shortages of queued shards that would start if the machine had what they lack; `None` where nothing new is
    /// known.
    pub waiting: Option<Vec<WaitingGroup>>,
}
