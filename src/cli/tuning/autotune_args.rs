//! Arguments of `autotune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::model::units::parse_duration;

/// Arguments of `autotune`, which tries a shard.
#[derive(Debug, Args)]
pub struct AutotuneArgs {
    /// The sweep file
    pub sweep: PathBuf,
    /// The shard to try [default: the first]
    #[arg(long, value_name = "SHARD")]
    pub shard: Option<String>,
    /// How long a trial may take, loading included; it ends sooner when its rate has settled
    #[arg(long = "for", value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    pub limit: Duration,
    /// Also try 2, 4, … side by side, until throughput stops growing or memory ends
    #[arg(long)]
    pub scale: bool,
    /// Try no more than so many side by side
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..), requires = "scale")]
    pub most: u32,
    /// Write a copy of the sweep with what is advised; it must not exist
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Keep the folder with the logs and the output of the trials
    #[arg(long)]
    pub keep: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
