//! Arguments of `doctor`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `doctor`, which checks the machine.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The folder that runs are created in [default: results]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Also write what a bug report needs, without secrets, to this file; it must not exist
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
