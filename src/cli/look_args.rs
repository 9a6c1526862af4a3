//! What can be typed after the verbs that look at runs that are there.

use std::path::PathBuf;

use clap::Args;

use super::args::{OneRun, ScreenArgs};

/// `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The runs, by folder or name; the others are held against the first
    #[arg(value_name = "RUN", num_args = 2.., required = true)]
    pub runs: Vec<String>,
    /// Compare the common combos also where the sweeps differ
    #[arg(long)]
    pub anyway: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Also write it as a page with pictures
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Which run.
    #[command(flatten)]
    pub run: OneRun,
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

impl ReplayArgs {
    /// How the dashboard looks; the forms that stand in for it show no past.
    pub fn screen(&self) -> ScreenArgs {
        ScreenArgs { slow: self.slow, ascii: self.ascii, theme: self.theme.clone(), ..ScreenArgs::default() }
    }
}
