//! Arguments of the commands that the program gives itself.

use std::path::PathBuf;

use clap::Args;

/// Arguments of the internal command `supervise`.
#[derive(Debug, Args)]
pub struct SuperviseArgs {
    /// The run, absolute, so that it can be told apart in a list of processes
    pub folder: PathBuf,
    /// The run belongs to this machine and container from now on
    #[arg(long)]
    pub take_over: bool,
}

/// Arguments of the internal command `begin-node`.
#[derive(Debug, Args)]
pub struct BeginNodeArgs {
    /// The run, as every node sees it
    pub folder: PathBuf,
    /// The name of this machine in the run
    pub node: String,
    /// The node of the sweep whose place it takes; itself where none is named
    #[arg(long)]
    pub place: Option<String>,
    /// Stay until the node has ended, as the program of a job
    #[arg(long)]
    pub stay: bool,
}

/// Arguments of the internal command `end-node`.
#[derive(Debug, Args)]
pub struct EndNodeArgs {
    /// The folder of the node, as it sees it
    pub folder: PathBuf,
}

/// Arguments of the internal command `probe-node`.
#[derive(Debug, Args)]
pub struct ProbeNodeArgs {
    /// The folder that the machine made that asks
    pub folder: PathBuf,
    /// The name of this machine in the sweep
    pub node: String,
}

/// Arguments of the internal command `hold`.
#[derive(Debug, Args)]
pub struct FolderArgs {
    /// What it serves, absolute, so that it can be told apart in a list of processes
    pub folder: PathBuf,
}

/// Arguments of the internal command `call-hook`.
#[derive(Debug, Args)]
pub struct CallHookArgs {
    /// The run whose hook is called, absolute
    pub folder: PathBuf,
    /// Call the hook of the settings in place of that of the sweep
    #[arg(long)]
    pub settings: bool,
}
