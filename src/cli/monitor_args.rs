//! What can be typed behind `monitor`.

use clap::Args;

use super::screen_args::ScreenArgs;

/// `monitor`.
#[derive(Debug, Args)]
pub struct MonitorArgs {
    /// Print one frame as text and end
    #[arg(long)]
    pub once: bool,
    /// Draw at most once a second, for slow connections
    #[arg(long)]
    pub slow: bool,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Colours: a theme that comes with the program or one of your own
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
}

impl MonitorArgs {
    /// What was typed about the look.
    pub fn screen(&self) -> ScreenArgs {
        ScreenArgs { slow: self.slow, ascii: self.ascii, theme: self.theme.clone(), ..ScreenArgs::default() }
    }
}
