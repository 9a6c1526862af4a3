//! The facts that the checks of a machine judge. `None` is unknown, and is judged as neither good nor bad.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::machine::host_bounds::HostBounds;
use crate::model::machine::sample::GpuInventory;
use crate::model::units::Bytes;
use crate::preflight::finding::Finding;

/// All facts about a machine and the session on it.
#[derive(Debug, Clone)]
pub struct MachineFacts {
    /// The GPUs and their driver.
    pub gpus: GpuFacts,
    /// Cores and memory that may be used.
    pub host: HostBounds,
    /// Open files of one process.
    pub descriptors: DescriptorLimit,
    /// Processes and threads of this user or control group: the tightest of the limits on them.
    pub processes: CountLimit,
    /// Pseudo-terminals of the whole machine.
    pub terminals: CountLimit,
    /// Instances of inotify of this user.
    pub inotify_instances: CountLimit,
    /// Watches of inotify that this user may have.
    pub inotify_watches: Option<u64>,
    /// The wall clock.
    pub clock: ClockFacts,
    /// Finding on what happens to processes at the last logout.
    pub logout: Option<Finding>,
    /// The folder that runs are created in.
    pub folder: FolderFacts,
    /// Facts that front ends know.
    pub session: SessionFacts,
}

/// The GPUs and their driver.
#[derive(Debug, Clone)]
pub struct GpuFacts {
    /// The cards, or why there are none.
    pub inventory: GpuInventory,
    /// Faults of the cards.
    pub faults: Vec<Finding>,
    /// The newest version of CUDA that the driver serves.
    pub cuda: Option<String>,
    /// Whether `/dev` has files of NVIDIA GPUs.
    pub has_device_files: bool,
}

/// The limit of open files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorLimit {
    /// The limit in force; `None` for none.
    pub soft: Option<u64>,
    /// The limit up to which the user may raise it; `None` for none.
    pub hard: Option<u64>,
}

/// A limit on a number of things, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountLimit {
    /// How many there are.
    pub used: Option<u64>,
    /// How many there may be; `None` where nothing limits them or the limit is unknown.
    pub most: Option<u64>,
    /// What sets the limit.
    pub by: String,
}

impl CountLimit {
    /// How many more there may be; `None` where that is unlimited or unknown.
    pub fn left(&self) -> Option<u64> {
        Some(self.most?.saturating_sub(self.used?))
    }
}

/// The wall clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockFacts {
    /// The time that it shows.
    pub now: Timestamp,
    /// Whether the kernel holds it for synchronised.
    pub is_synchronised: Option<bool>,
    /// The name of the time zone.
    pub zone: Option<String>,
}

/// A folder and its file system.
#[derive(Debug, Clone)]
pub struct FolderFacts {
    /// The folder, or the nearest one above it that exists.
    pub path: PathBuf,
    /// Findings on permissions and room, as before a run.
    pub findings: Vec<Finding>,
    /// Room for more files.
    pub free: Option<Bytes>,
    /// Name of the file system, where other machines may write to it.
    pub shared: Option<&'static str>,
    /// Whether files can be locked and linked as runs need it.
    pub trial: FolderTrial,
}

/// The outcome of trying what a run does with its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderTrial {
    /// All works; syncing a small file took so long.
    Works {
        /// Time that one sync took.
        sync: Duration,
    },
    /// A step failed.
    Fails {
        /// The step, as in "cannot STEP".
        step: &'static str,
        /// The message of the system.
        because: String,
    },
}

/// Facts that the front ends know: terminal, sockets, state.
#[derive(Debug, Clone)]
pub struct SessionFacts {
    /// The terminal, `None` where standard output is none.
    pub terminal: Option<TerminalFacts>,
    /// The folder of the sockets, or why there is none.
    pub sockets: Result<PathBuf, String>,
    /// The folder that remembers the runs, or why there is none.
    pub state: Result<PathBuf, String>,
}

/// The terminal of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalFacts {
    /// Value of `TERM`.
    pub kind: Option<String>,
    /// Whether the locale lets programs write Unicode.
    pub speaks_unicode: bool,
    /// Columns and rows.
    pub size: Option<(u16, u16)>,
    /// Number of colours, in words.
    pub colours: &'static str,
}
