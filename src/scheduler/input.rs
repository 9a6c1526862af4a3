//! Everything that can happen to a run, as the supervisor reports it to the scheduler.

use jiff::Timestamp;

use crate::model::command::Command;
use crate::model::ids::{AttemptKey, ShardId};
use crate::model::machine::allocation::Allocation;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::nodes::order::Order;
use crate::model::outcome::Outcome;
use crate::model::shortage::StartShortage;
use crate::model::state::fact::Actor;
use crate::model::state::watch_end::WatchEnd;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::node_spec::NodeId;
use crate::scheduler::machine::{MachineState, OtherClaim};
use crate::scheduler::wall_clock::WallClock;

/// Place where the work of an attempt is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadKind {
    /// Its processes keep a core busy, and its GPUs are idle as far as they are measured.
    ProcessorOnly,
    /// Anything else, such as work on a GPU.
    Other,
}

/// Something that happened. Inputs about another attempt than the present one change nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum SchedulerInput {
    /// A timer ran out, or the supervisor has just started.
    Wake,
    /// A user asks for something; answered by one reply.
    Command {
        /// Command that the scheduler is to carry out.
        command: Command,
        /// User who gave the command.
        by: Actor,
    },
    /// The holder reports its child.
    Started {
        /// Attempt that was started.
        key: AttemptKey,
        /// Pid of the main process.
        pid: u32,
        /// When it was started, by the holder's clock.
        started: Timestamp,
    },
    /// The attempt is over and was judged.
    Ended {
        /// Attempt that is over and was judged.
        key: AttemptKey,
        /// The judgement on how it ended.
        outcome: Box<Outcome>,
    },
    /// The machine could not start the attempt, for lack of something that comes back.
    PutBack {
        /// Attempt that could not start.
        key: AttemptKey,
        /// Resource of which the machine had too little.
        lack: StartShortage,
    },
    /// Newest information from the log. It need not be sent when nothing changed.
    Activity {
        /// Attempt that the log belongs to.
        key: AttemptKey,
        /// When the log last grew.
        last_output: Timestamp,
        /// When progress was last made, where any was.
        last_progress: Option<Timestamp>,
        /// Nothing of the work is done yet, or something is compiled again: silence may be that of a compiler.
        may_compile: bool,
    },
    /// The place of an attempt's work is known, or has changed.
    Load {
        /// Attempt whose work was located.
        key: AttemptKey,
        /// Place where its work is done now.
        load: LoadKind,
    },
    /// The Slurm job in which the supervisor lives, as it is now.
    Allocation(Option<Allocation>),
    /// Shards may use an instance of a service.
    ServiceReady {
        /// Attempt of the service that is ready.
        key: AttemptKey,
        /// TCP port on which it listens, if it has one.
        port: Option<u16>,
    },
    /// The main process of a service has ended; what it left may live on for a while.
    ServiceDied {
        /// Attempt of the service that died.
        key: AttemptKey,
    },
    /// The log has fallen silent on a question.
    Asking {
        /// Attempt that asks a question.
        key: AttemptKey,
    },
    /// The machine was read.
    Machine(Box<MachineState>),
    /// Promises of other runs were read; they replace what was known of them.
    Others(Vec<OtherClaim>),
    /// The wall clock was read: it follows none of the run's, and windows are meant by it.
    WallClock(WallClock),
    /// A new supervisor found the attempt's holder alive.
    Adopted {
        /// Attempt that was found running.
        key: AttemptKey,
    },
    /// An order came to this node.
    Order(Box<Order>),
    /// The journal has the end of a shard at a node.
    EndedAway {
        /// Shard that ended.
        shard: ShardId,
        /// The judgement of the node.
        outcome: Box<Outcome>,
    },
    /// A node came, went, or gives no sign of life.
    Node {
        /// Node that is another now.
        node: NodeId,
        /// Whether it is at work.
        standing: NodePhase,
    },
    /// A user asks for further values of an axis; answered by one reply.
    Add {
        /// The values, with the shards that they bring.
        growth: Box<Growth>,
        /// User who asked for the values.
        by: Actor,
    },
    /// Watched files came, and are complete.
    Came(Box<Growth>),
    /// The watch of an axis is over by its own rule.
    WatchOver {
        /// Axis that is no longer watched.
        axis: String,
        /// Reason why the watch ended.
        cause: WatchEnd,
    },
    /// The run goes on after a stop or a reboot, and no client waits for a reply.
    Continue {
        /// User who asked for it, if any.
        by: Option<Actor>,
    },
}

impl SchedulerInput {
    /// Reports whether the input may put a shard into the queue.
    pub fn may_queue(&self) -> bool {
        match self {
            Self::Ended { .. }
            | Self::Order(_)
            | Self::PutBack { .. }
            | Self::Command { .. }
            | Self::Add { .. }
            | Self::Came(_)
            | Self::ServiceDied { .. }
            | Self::Continue { .. } => true,
            Self::Wake
            | Self::Node { .. }
            | Self::EndedAway { .. }
            | Self::Started { .. }
            | Self::Activity { .. }
            | Self::Asking { .. }
            | Self::ServiceReady { .. }
            | Self::Load { .. }
            | Self::Machine(_)
            | Self::Others(_)
            | Self::WallClock(_)
            | Self::Allocation(_)
            | Self::WatchOver { .. }
            | Self::Adopted { .. } => false,
        }
    }
}
