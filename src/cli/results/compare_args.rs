//! What can be typed after `compare`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `compare`, for several runs.
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
