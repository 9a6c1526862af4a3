//! The records of one attempt that the supervisor and its holder leave for each other.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ids::{AttemptKey, RunId};
use super::outcome::{ExitStatus, Progress};
pub use super::process_identity::ProcessIdentity;
use super::run_clock::RunClock;
use super::shortage::StartShortage;
use super::sweep::plan::Grace;
use super::units::{Bytes, seconds};

/// `order.json`: the command that the holder is to run. Mode 0600, because it alone holds secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HolderOrder {
    /// The version of this file's format.
    pub version: u32,
    /// The run that the attempt belongs to.
    pub run: RunId,
    /// The run's folder, absolute; also the value of `SWEEPDECK_RUN`.
    pub run_dir: PathBuf,
    /// The shard and the number of the attempt.
    pub key: AttemptKey,
    /// Program to run, followed by its arguments.
    pub argv: Vec<String>,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// Variables set on top of the environment of the supervisor.
    pub env: BTreeMap<String, String>,
    /// Path at which the attach socket is bound.
    pub socket: PathBuf,
    /// The terminal's rows and columns until a client attaches.
    pub size: TerminalSize,
    /// How long each step of a polite stop waits.
    pub grace: Grace,
    /// How long leftover descendants may live after the main process.
    #[serde(with = "seconds")]
    pub linger: Duration,
    /// Cores the processes are pinned to; empty is all.
    #[serde(default)]
    pub cores: Vec<u32>,
    /// Added to the niceness.
    #[serde(default)]
    pub nice: i32,
    /// The file to which the program writes its progress, absolute; may hold `*`. The supervisor reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_file: Option<String>,
    /// Progress of the earlier attempts that this one continues. The supervisor counts on from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Progress>,
    /// The clock by which its start and end are noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<RunClock>,
    /// How the shards that wait for a service find it; `None` if the attempt is a shard's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceOrder>,
}

/// Port and file by which the shards that wait for a service find it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceOrder {
    /// The port that it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The file that it writes when it is ready, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_file: Option<String>,
}

/// Rows and columns of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    /// Number of lines on the screen.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Default for TerminalSize {
    /// Wide enough that progress bars and tables of evaluations do not wrap.
    fn default() -> Self {
        Self { rows: 40, columns: 160 }
    }
}

/// `started.json`: written by the holder as soon as its child runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartRecord {
    /// The version of this file's format.
    pub version: u32,
    /// The main process: session leader and process group leader in its pty.
    #[serde(flatten)]
    pub child: ProcessIdentity,
    /// The holder process that wrote this record.
    pub holder: ProcessIdentity,
    /// The slave side of the pty, e.g. `/dev/pts/3`.
    pub tty: String,
    /// Path of the socket on which clients attach.
    pub socket: PathBuf,
    /// Moment at which the child was started.
    pub started: Timestamp,
}

/// `exit.json`: written once, never replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExitRecord {
    /// The version of this file's format.
    pub version: u32,
    /// How the attempt ended, with the exit status where it is known.
    #[serde(flatten)]
    pub end: AttemptEnd,
    /// When the child started, where it did.
    pub started: Option<Timestamp>,
    /// When this was written; of an attempt that was found dead its last sign of life.
    pub ended: Timestamp,
    /// Resources that the main process and its waited-for children used.
    pub usage: Option<Usage>,
    /// Descendants that outlived the main process.
    #[serde(default)]
    pub leftovers: Vec<Leftover>,
    /// Log bytes that could not be written (a full disk).
    #[serde(default)]
    pub lost_log_bytes: u64,
}

/// How an attempt ended, before any judgement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum AttemptEnd {
    /// The main process was waited for.
    Exited {
        /// Exit code or signal of the main process.
        status: ExitStatus,
    },
    /// The process was started elsewhere and has ended; its exit status went to its own parent.
    Unseen,
    /// The launch failed, so that nothing was run.
    LaunchError {
        /// The step that failed and why.
        message: String,
    },
    /// Nothing was run, because the machine lacked something that comes back.
    PutBack {
        /// The resource that the machine lacked.
        lack: StartShortage,
    },
    /// The holder died, so that the exit status is unknown.
    Lost {
        /// The traces that were found of it, in words.
        message: String,
    },
}

/// Time and memory that a process used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Time on a core in user mode.
    pub user_s: f64,
    /// Time on a core in the kernel.
    pub system_s: f64,
    /// The largest resident size of any one process.
    pub max_rss: Bytes,
}

/// A process that outlived the main process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftover {
    /// Process ID of the leftover.
    pub pid: u32,
    /// The name of its program.
    pub name: String,
    /// Whether it could not be killed (state D), so that its memory is still held.
    pub unkillable: bool,
}
