//! What a client may ask of the supervisor or of a holder, and the answers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::attempt::TerminalSize;
use super::ids::ShardId;
use super::priority::Priority;
use super::sweep::edit::Edit;
use super::sweep::plan::Grace;
use super::units::Bytes;

/// The version of both protocols; a server refuses another one.
pub const PROTOCOL_VERSION: u32 = 1;

/// A request to the supervisor's control socket, one line long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ControlRequest {
    /// Version of the protocol, see [`PROTOCOL_VERSION`].
    pub version: u32,
    /// The command that is asked for.
    #[serde(flatten)]
    pub command: Command,
}

/// A command that a user sends to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Command {
    /// Stop the processes of running shards with SIGSTOP.
    Pause {
        /// The running shards that are to pause.
        shards: Selection,
    },
    /// Let paused shards go on.
    Resume {
        /// The paused shards that are to go on.
        shards: Selection,
    },
    /// End running shards, take queued ones out.
    Kill {
        /// The shards to end or take out.
        shards: Selection,
    },
    /// Put ended shards back into the queue.
    Requeue {
        /// The ended shards to put back.
        shards: Selection,
    },
    /// Start services again: those that run are ended first.
    Restart {
        /// The services that are to start again.
        services: Selection,
    },
    /// Put an ended shard back into the queue with other values than the sweep gives it.
    RequeueEdited {
        /// The ended shard to put back.
        shard: ShardId,
        /// The values that replace those of the sweep.
        edit: Edit,
    },
    /// Take requeued shards out of the queue again, as long as their new attempts have not started.
    Undo {
        /// The requeued shards to take out again.
        shards: Selection,
    },
    /// Let queued shards start before or after the others.
    SetPriority {
        /// The queued shards that get the priority.
        shards: Selection,
        /// The new priority of these shards.
        priority: Priority,
    },
    /// Start nothing more; with `now` end everything.
    Stop {
        /// Whether running shards are ended too.
        now: bool,
    },
    /// Go on after a stop.
    Continue,
    /// Change the parallel limit.
    SetParallel {
        /// The new limit, at least 1.
        parallel: u32,
    },
    /// Change how much VRAM is left free on every GPU.
    SetReserve {
        /// VRAM to leave free on each GPU.
        vram: Bytes,
    },
    /// Change which GPUs new shards get, of those that the run's start permits.
    SetGpus {
        /// Numbers or UUIDs; all that are permitted where none is named.
        devices: Vec<String>,
    },
    /// Let shards start now, before the time that they wait for.
    StartNow,
    /// Let nothing start before a moment of the wall clock.
    StartAt {
        /// Moment before which nothing may start.
        at: Timestamp,
    },
    /// Add values to an axis, with the shards that they bring.
    AddValues {
        /// Name of the axis that gets the values.
        axis: String,
        /// The values, as typed.
        values: Vec<String>,
    },
    /// Take up no more new files.
    Unwatch {
        /// The axis; all watched ones where none is named.
        axis: Option<String>,
    },
    /// Only answer, to show that the supervisor is alive.
    Ping,
}

/// The shards that a command is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// All that the command can apply to.
    All,
    /// All shards that have failed.
    Failed,
    /// The shards that are named here.
    These(Vec<ShardId>),
}

/// The answer to a control request, sent when the facts are in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum ControlReply {
    /// Done; this many shards were affected.
    Done {
        /// Shards whose phase changes.
        shards: usize,
        /// Shards that were skipped, each with the reason in one line.
        #[serde(default)]
        notes: Vec<String>,
    },
    /// Refused: nothing was done at all.
    Refused {
        /// Kind of the refusal, which decides the exit code.
        kind: RefusalKind,
        /// Reason in one line for people.
        message: String,
    },
}

impl ControlReply {
    /// A refusal of something that cannot be done to this run.
    pub fn unusable(message: impl Into<String>) -> Self {
        Self::Refused { kind: RefusalKind::Unusable, message: message.into() }
    }
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// The asking user may not.
    NotPermitted,
    /// The run has no such shard.
    UnknownShard,
    /// The request makes no sense, or none of the shards can take it.
    Unusable,
}

/// The first line from a client to a holder's attach socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachHello {
    /// Version of the protocol, see [`PROTOCOL_VERSION`].
    pub version: u32,
    /// Purpose for which the client connects.
    pub purpose: AttachPurpose,
}

/// Purpose for which a client connects to a holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttachPurpose {
    /// Type into the terminal and see its output; the size is the client's.
    Drive(TerminalSize),
    /// Ask for signals only; no output is sent.
    Control,
}

/// A request to a holder about its processes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum HolderRequest {
    /// SIGSTOP to all, until a pass finds nothing unstopped.
    Pause,
    /// SIGCONT to all of its processes.
    Resume,
    /// The stop sequence with these graces.
    Stop(Grace),
}

/// A holder's answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum HolderReply {
    /// Taken on; a stop goes on after this answer.
    Accepted,
    /// Refused: the request was not carried out.
    Refused {
        /// Reason in one line for people.
        message: String,
    },
}
