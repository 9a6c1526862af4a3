//! Arguments of `metrics`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::model::units::parse_duration;

/// Arguments of `metrics`, which shows the numbers of all runs.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("where").args(["listen", "textfile"]))]
pub struct MetricsArgs {
    /// Answer scrapes at this address, path /metrics, until it is ended [default: print them once]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Write them to a file for the textfile collector of node-exporter; its name ends with .prom
    #[arg(long, value_name = "FILE")]
    pub textfile: Option<PathBuf>,
    /// Write the file again and again, this long apart, until it is ended
    #[arg(long, value_name = "TIME", requires = "textfile", value_parser = parse_duration)]
    pub every: Option<Duration>,
    /// Also answer those who know this machine by that name
    #[arg(long, value_name = "NAME", requires = "listen")]
    pub host: Vec<String>,
    /// For how long a run is shown after its end
    #[arg(long, value_name = "TIME", default_value = "1d", value_parser = parse_duration)]
    pub keep: Duration,
}
