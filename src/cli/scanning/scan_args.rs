//! Arguments of `scan`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `scan`, for one or more logs.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// The log; of several, or of all in a folder, one row each
    #[arg(required = true)]
    pub log: Vec<PathBuf>,
    /// Read it as this program's log [default: what fits best]
    #[arg(long, value_name = "P", conflicts_with = "sweep")]
    pub preset: Option<String>,
    /// Read it with the patterns of a sweep
    #[arg(long, value_name = "SWEEP", conflicts_with_all = ["done", "finished", "metric"])]
    pub sweep: Option<PathBuf>,
    /// Try a pattern for progress, with a group `(?<done>\d+)` and perhaps one called `total`
    #[arg(long, value_name = "REGEX")]
    pub done: Option<String>,
    /// Try a pattern for the line that says that all is complete
    #[arg(long, value_name = "REGEX")]
    pub finished: Option<String>,
    /// Try a pattern for a metric, with a group `(?<value>…)`
    #[arg(long, value_name = "NAME=REGEX", value_parser = name_and_pattern)]
    pub metric: Vec<(String, String)>,
    /// A file of results written beside the log: read as the sweep says, or by its format, and compared
    #[arg(long, value_name = "FILE")]
    pub result: Vec<PathBuf>,
    /// Print long lines whole
    #[arg(long)]
    pub full: bool,
    /// Print a pattern for a log of no known format, and what it reads there
    #[arg(long, conflicts_with_all = ["preset", "sweep", "done", "json"])]
    pub suggest: bool,
    /// Print JSON; of several logs an array
    #[arg(long)]
    pub json: bool,
}

fn name_and_pattern(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .filter(|(name, pattern)| !name.is_empty() && !pattern.is_empty())
        .map(|(name, pattern)| (name.to_owned(), pattern.to_owned()))
        .ok_or_else(|| "a metric and its pattern look like `reward=reward: (?<value>[-.\\d]+)`".to_owned())
}
