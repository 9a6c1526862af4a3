//! Arguments of `report`.

use clap::Args;

use crate::cli::addressing::target_args::OneRun;

/// Arguments of `report`, which merges the results.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The run to report on, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Merge the files of shards also where some are missing; the file says that it is partial
    #[arg(long)]
    pub partial: bool,
    /// Only print them; no file is written
    #[arg(long, conflicts_with = "partial")]
    pub read_only: bool,
}
