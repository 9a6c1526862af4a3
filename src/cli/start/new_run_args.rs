//! What can be typed wherever a run is made: where it lies, and who waits for it.

use std::path::PathBuf;

use clap::Args;

/// Where a new run lies, and who waits for it.
#[derive(Debug, Args)]
pub struct NewRunArgs {
    /// Wait in the foreground without a dashboard
    #[arg(long)]
    pub headless: bool,
    /// The run's folder itself; it must not exist or be empty
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
