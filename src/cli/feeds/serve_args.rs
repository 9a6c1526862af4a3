//! Arguments of `serve`.

use std::net::SocketAddr;

use clap::Args;

use crate::cli::addressing::target_args::OneRun;

/// Arguments of `serve`, the report of a run as a page.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The run to show, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Also answer those who know this machine by that name, such as `gpu07:8000` behind a tunnel
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
}
