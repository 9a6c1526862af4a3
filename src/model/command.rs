//! What a client may ask of the supervisor or of a holder, and the answers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::attempt::TerminalSize;
use super::edit::Edit;
use super::ids::ShardId;
use super::plan::Grace;
use super::priority::Priority;
use super::units::Bytes;

/// The version of both protocols; a server refuses another one.
pub const PROTOCOL_VERSION: u32 = 1;

/// One line to the supervisor's control socket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ControlRequest {
    /// See [`PROTOCOL_VERSION`].
    pub version: u32,
    /// What is asked.
    #[serde(flatten)]
    pub command: Command,
}

/// What a user asks of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Command {
    /// Stop the processes of running shards with SIGSTOP.
    Pause {
        /// Which.
        shards: Selection,
    },
    /// Let paused shards go on.
    Resume {
        /// Which.
        shards: Selection,
    },
    /// End running shards, take queued ones out.
    Kill {
        /// Which.
        shards: Selection,
    },
    /// Put ended shards back into the queue.
    Requeue {
        /// Which.
        shards: Selection,
    },
    /// Start services again: those that run are ended first.
    Restart {
        /// Which.
        services: Selection,
    },
    /// Put an ended shard back into the queue with other values than the sweep gives it.
    RequeueEdited {
        /// Which.
        shard: ShardId,
        /// The values.
        edit: Edit,
    },
    /// Take requeued shards out of the queue again, as long as their new attempts have not started.
    Undo {
        /// Which.
        shards: Selection,
    },
    /// Let queued shards start before or behind the others.
    SetPriority {
        /// Which.
        shards: Selection,
        /// Their new priority.
        priority: Priority,
    },
    /// Start nothing more; with `now` end everything.
    Stop {
        /// End everything.
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
        /// So much.
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
        /// That moment.
        at: Timestamp,
    },
    /// Add values to an axis, with the shards that they bring.
    AddValues {
        /// The axis.
        axis: String,
        /// The values, as typed.
        values: Vec<String>,
    },
    /// Take up no more new files.
    Unwatch {
        /// The axis; all watched ones where none is named.
        axis: Option<String>,
    },
    /// Answer only.
    Ping,
}

/// Which shards a command is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// All that the command can apply to.
    All,
    /// All failed ones.
    Failed,
    /// These.
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
        /// What was skipped and why, one line each.
        #[serde(default)]
        notes: Vec<String>,
    },
    /// Nothing was done.
    Refused {
        /// Which kind of refusal: it decides the exit code.
        kind: RefusalKind,
        /// One line for people.
        message: String,
    },
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// The asking user may not.
    NotPermitted,
    /// No such shard.
    UnknownShard,
    /// The request makes no sense, or none of the shards can take it.
    Unusable,
}

/// The first line from a client to a holder's attach socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachHello {
    /// See [`PROTOCOL_VERSION`].
    pub version: u32,
    /// What the client came for.
    pub purpose: AttachPurpose,
}

/// What a client of a holder came for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttachPurpose {
    /// Type into the terminal and see its output; the size is the client's.
    Drive(TerminalSize),
    /// Ask for signals only; no output is sent.
    Control,
}

/// What a holder is asked to do to its processes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum HolderRequest {
    /// SIGSTOP to all, until a pass finds nothing unstopped.
    Pause,
    /// SIGCONT to all.
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
    /// Not done.
    Refused {
        /// One line for people.
        message: String,
    },
}
