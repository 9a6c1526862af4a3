//! What a run says of itself: `run.json`, `supervisor.json` and the pointer in the user's state folder.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::attempt::ProcessIdentity;
use super::ids::RunId;

/// The version of the run directory's format, its records included; a reader refuses newer ones.
pub const RUN_VERSION: u32 = 1;

/// `run.json`: written once when the run is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// See [`RUN_VERSION`].
    pub version: u32,
    /// The run.
    pub id: RunId,
    /// The sweep's name.
    pub name: String,
    /// The machine.
    pub host: String,
    /// The boot in which it was created.
    pub boot_id: String,
    /// The namespace of processes in which it was created; unknown in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_namespace: Option<u64>,
    /// Its folder; unknown in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<RunPlace>,
    /// The cores that the process could use which created it; every later supervisor on this machine keeps to them. Unknown
    /// in older records, and after the run has moved to another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<Vec<u32>>,
    /// When.
    pub created: Timestamp,
    /// The program's version.
    pub sweepdeck: String,
    /// The commit the working directory stands on, whether or not its files differ; none outside git.
    pub git_commit: Option<String>,
    /// The sweep file it came from.
    pub sweep: PathBuf,
}

/// `supervisor.json`: who supervises the run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupervisorInfo {
    /// The process.
    #[serde(flatten)]
    pub process: ProcessIdentity,
    /// Its control socket.
    pub socket: PathBuf,
    /// The run's folder; unknown in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<RunPlace>,
}

/// What tells a run's folder from a copy of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPlace {
    /// Absolute and without links.
    pub path: PathBuf,
    /// Its file system.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

/// A pointer in `$XDG_STATE_HOME/sweepdeck/runs/`, named by the run's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPointer {
    /// The run.
    pub id: RunId,
    /// The sweep's name.
    pub name: String,
    /// Its folder, absolute.
    pub dir: PathBuf,
    /// When it was created.
    pub created: Timestamp,
}
