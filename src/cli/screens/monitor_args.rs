//! Arguments of `monitor`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::screen_args::LookArgs;
use crate::model::units::parse_duration;

/// Arguments of `monitor`, which needs no run.
#[derive(Debug, Args)]
pub struct MonitorArgs {
    /// Print one frame as text and end
    #[arg(long)]
    pub once: bool,
    /// Record the machine instead: append a row a device to this file at each interval, until Ctrl-C
    #[arg(long, value_name = "FILE", conflicts_with = "once")]
    pub csv: Option<PathBuf>,
    /// The time between two rows of a device
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval, requires = "csv")]
    pub interval: Duration,
    /// Colours, size and form of the screen.
    #[command(flatten)]
    pub look: LookArgs,
}

/// Drivers are asked once a second; more rows would say the same again.
fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_duration(text).map_err(|error| error.to_string())?;
    if interval < Duration::from_secs(1) { Err("it is at least 1s".to_owned()) } else { Ok(interval) }
}
