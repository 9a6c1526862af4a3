//! Everything that can happen to a run, as the supervisor tells it to the scheduler.

use jiff::Timestamp;

use crate::model::command::Command;
use crate::model::fact::Actor;
use crate::model::growth::Growth;
use crate::model::ids::AttemptKey;
use crate::model::outcome::Outcome;
use crate::model::shortage::StartShortage;
use crate::model::watch_end::WatchEnd;
use crate::scheduler::machine::{Machine, OtherClaim};
use crate::scheduler::wall_clock::WallClock;

/// Where the work of an attempt lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Its processes keep a core busy, and its GPUs are idle as far as they are measured.
    ProcessorOnly,
    /// Anything else.
    Other,
}

/// Something that happened. Inputs about another attempt than the present one change nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A timer ran out, or the supervisor has just started.
    Wake,
    /// A user asks for something; answered by one reply.
    Command {
        /// What.
        command: Command,
        /// Who.
        by: Actor,
    },
    /// The holder reports its child.
    Started {
        /// Which attempt.
        key: AttemptKey,
        /// The main process.
        pid: u32,
        /// When it was started, by the holder's clock.
        started: Timestamp,
    },
    /// The attempt is over and was judged.
    Ended {
        /// Which attempt.
        key: AttemptKey,
        /// The judgement.
        outcome: Box<Outcome>,
    },
    /// The machine could not start the attempt, for lack of something that comes back.
    PutBack {
        /// Which attempt.
        key: AttemptKey,
        /// What it lacked.
        lack: StartShortage,
    },
    /// What was last read from the log. It need not be sent when nothing changed.
    Activity {
        /// Which attempt.
        key: AttemptKey,
        /// When the log last grew.
        last_output: Timestamp,
        /// When progress was last made, where any was.
        last_progress: Option<Timestamp>,
        /// Nothing of the work is done yet, or something is compiled again: silence may be that of a compiler.
        may_compile: bool,
    },
    /// Where the work of an attempt lies is known, or has changed.
    Load {
        /// Which attempt.
        key: AttemptKey,
        /// Where it lies.
        load: Load,
    },
    /// Shards may use an instance of a service.
    ServiceReady {
        /// Which attempt of it.
        key: AttemptKey,
        /// Where it listens, where it has a port.
        port: Option<u16>,
    },
    /// The main process of a service has ended; what it left may live on for a while.
    ServiceDied {
        /// Which attempt of it.
        key: AttemptKey,
    },
    /// The log has fallen silent on a question.
    Asking {
        /// Which attempt.
        key: AttemptKey,
    },
    /// The machine was read.
    Machine(Box<Machine>),
    /// What other runs were promised was read; it replaces what was known of them.
    Others(Vec<OtherClaim>),
    /// The wall clock was read: it follows none of the run's, and windows are meant by it.
    WallClock(WallClock),
    /// A new supervisor found the attempt's holder alive.
    Adopted {
        /// Which attempt.
        key: AttemptKey,
    },
    /// A user asks for further values of an axis; answered by one reply.
    Add {
        /// The values, with the shards that they bring.
        growth: Box<Growth>,
        /// Who.
        by: Actor,
    },
    /// Watched files came, and are complete.
    Came(Box<Growth>),
    /// The watch of an axis is over by its own rule.
    WatchOver {
        /// The axis.
        axis: String,
        /// Why.
        cause: WatchEnd,
    },
    /// The run goes on after a stop or a reboot, without anybody waiting for a reply.
    Continue {
        /// Who asked, where somebody did.
        by: Option<Actor>,
    },
}
