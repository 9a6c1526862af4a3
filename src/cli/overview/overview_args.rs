//! Arguments of `ls`, `status` and `logs`.

use clap::Args;

use crate::cli::addressing::target_args::{OneRun, OneShard};

/// Arguments of `ls`, the list of runs.
#[derive(Debug, Args)]
pub struct LsArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `status`, for one run.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The run to describe, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `logs`, for one shard.
#[derive(Debug, Args)]
pub struct LogsArgs {
    /// The shard whose log is printed, and its run.
    #[command(flatten)]
    pub shard: OneShard,
    /// Go on as the log grows, until the attempt ends
    #[arg(long, short)]
    pub follow: bool,
    /// Only the last lines, as plain text without colours and without what was drawn over
    #[arg(long, value_name = "N", conflicts_with = "follow", value_parser = clap::value_parser!(u32).range(1..))]
    pub tail: Option<u32>,
    /// Which try [default: the newest]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub attempt: Option<u32>,
}
