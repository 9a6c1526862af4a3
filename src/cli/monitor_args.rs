//! What can be typed behind `monitor`.

use clap::Args;

use super::screen_args::LookArgs;

/// `monitor`.
#[derive(Debug, Args)]
pub struct MonitorArgs {
    /// Print one frame as text and end
    #[arg(long)]
    pub once: bool,
    /// How it looks.
    #[command(flatten)]
    pub look: LookArgs,
}
