//! Arguments of `init`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `init`, which writes a first sweep.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The file to write; it must not exist
    #[arg(value_name = "FILE", default_value = "sweep.toml")]
    pub file: PathBuf,
    /// The format of the logs
    #[arg(long, value_name = "P", conflicts_with = "from_log")]
    pub preset: Option<String>,
    /// Take the format from what an existing log looks like
    #[arg(long, value_name = "LOG")]
    pub from_log: Option<PathBuf>,
    /// Take axes and command from the loops of a bash script, as far as they can be read
    #[arg(long, value_name = "SCRIPT", conflicts_with = "from_log")]
    pub from_script: Option<PathBuf>,
}

/// Arguments of `help`.
#[derive(Debug, Args)]
pub struct HelpArgs {
    /// A topic or a verb; none lists the topics
    #[arg(value_name = "TOPIC")]
    pub topic: Option<String>,
}
