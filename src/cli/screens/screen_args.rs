//! What can be typed about how a screen looks.

use clap::Args;

/// How the dashboard looks.
#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Dashboard")]
pub struct ScreenArgs {
    /// Print one frame as text and end
    #[arg(long, conflicts_with = "plain")]
    pub once: bool,
    /// Print lines as things happen instead of drawing
    #[arg(long)]
    pub plain: bool,
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

/// How a screen looks that has no other forms than one frame.
#[derive(Debug, Clone, Args)]
pub struct LookArgs {
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

impl LookArgs {
    /// The same for a dashboard.
    pub fn to_screen_args(&self) -> ScreenArgs {
        ScreenArgs { slow: self.slow, ascii: self.ascii, theme: self.theme.clone(), ..ScreenArgs::default() }
    }
}
