//! Files in which a run describes itself: `run.json`, `supervisor.json` and the pointer in the user's state
//! folder.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::attempt::ProcessIdentity;
use crate::model::ids::RunId;

/// The version of the run directory's format, its records included; a reader refuses newer ones.
pub const RUN_VERSION: u32 = 1;

/// `run.json`: written once when the run is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Version of the format, [`RUN_VERSION`] when written by this program.
    pub version: u32,
    /// Id that names the run.
    pub id: RunId,
    /// The name of the sweep.
    pub name: String,
    /// Name of the machine that created it.
    pub host: String,
    /// The boot in which it was created.
    pub boot_id: String,
    /// The namespace of processes in which it was created; unknown in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_namespace: Option<u64>,
    /// Its folder; unknown in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<RunPlace>,
    /// The cores that the process that created it could use; every later supervisor on this machine keeps to them.
    /// Unknown in older records, and after the run has moved to another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<Vec<u32>>,
    /// When the run was created.
    pub created: Timestamp,
    /// Version of the program that created it.
    pub sweepdeck: String,
    /// The commit that is checked out in the working directory, whether or not its files differ; none outside git.
    pub git_commit: Option<String>,
    /// The sweep file it came from.
    pub sweep: PathBuf,
}

/// `supervisor.json`: who supervises the run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupervisorInfo {
    /// Process that supervises the run.
    #[serde(flatten)]
    pub process: ProcessIdentity,
    /// Path of its control socket; none before it listens, or where it gives up before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
    /// The run's folder; unknown in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<RunPlace>,
}

/// Identity of a run's folder, by which it differs from a copy of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPlace {
    /// Absolute and without links.
    pub path: PathBuf,
    /// Number of its file system's device.
    pub device: u64,
    /// Number of its inode on that device.
    pub inode: u64,
}

/// A pointer in `$XDG_STATE_HOME/sweepdeck/runs/`, named by the run's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPointer {
    /// Id that names the run.
    pub id: RunId,
    /// The name of the sweep.
    pub name: String,
    /// Absolute path of the run's folder.
    pub dir: PathBuf,
    /// When it was created.
    pub created: Timestamp,
}
