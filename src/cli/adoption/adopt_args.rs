//! Arguments of `adopt`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::screens::screen_args::ScreenArgs;
use crate::cli::start::new_run_args::NewRunArgs;

/// Arguments of `adopt`: logs and their processes.
#[derive(Debug, Args)]
pub struct AdoptArgs {
    /// The logs of the processes, a row each
    #[arg(required = true)]
    pub log: Vec<PathBuf>,
    /// The process that writes the log, where it cannot be found by that: one for each log in their order, or one for
    /// all
    #[arg(long, value_name = "P")]
    pub pid: Vec<u32>,
    /// Read the logs as this program's [default: what fits best]
    #[arg(long, value_name = "PRESET", conflicts_with = "sweep")]
    pub preset: Option<String>,
    /// Read the logs with the patterns of a sweep
    #[arg(long, value_name = "SWEEP")]
    pub sweep: Option<PathBuf>,
    /// Print the run's folder and come back at once
    #[arg(long, conflicts_with = "headless")]
    pub detach: bool,
    /// Where the run lies, and who waits for it.
    #[command(flatten)]
    pub new_run: NewRunArgs,
    /// How the dashboard looks.
    #[command(flatten)]
    pub screen: ScreenArgs,
}
