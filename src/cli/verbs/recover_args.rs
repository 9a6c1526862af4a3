//! Arguments of `recover`.

use clap::Args;

use crate::cli::addressing::target_args::OneRun;

/// Arguments of `recover`, for one run.
#[derive(Debug, Args)]
pub struct RecoverArgs {
    /// The run to recover, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Continue every run of yours that was at work here, as after a reboot
    #[arg(long, conflicts_with_all = ["word", "run", "take_over", "salvage"])]
    pub all: bool,
    /// Move a run here whose machine or container is gone for good
    #[arg(long, conflicts_with = "salvage")]
    pub take_over: bool,
    /// Show what is sound of a damaged journal and keep that; the damaged one stays beside it, and nothing is started
    #[arg(long)]
    pub salvage: bool,
}
