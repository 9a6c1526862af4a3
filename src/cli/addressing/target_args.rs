//! What can be typed for a run and its shards.

use clap::Args;

/// A run, or the newest one.
#[derive(Debug, Args)]
pub struct OneRun {
    /// The run: its folder or its name [default: the newest run]
    #[arg(value_name = "RUN")]
    pub word: Option<String>,
    /// The run, where a word could also be something else
    #[arg(long, value_name = "RUN", conflicts_with = "word")]
    pub run: Option<String>,
}

/// A shard of a run, or of the newest one.
#[derive(Debug, Args)]
pub struct OneShard {
    /// The shard, after the run unless it is the newest
    #[arg(value_name = "[RUN] SHARD", num_args = 1..=2, required = true)]
    pub words: Vec<String>,
    /// The run, where the first word could also be a shard
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}

/// Shards of a run, or of the newest one.
#[derive(Debug, Args)]
pub struct SomeShards {
    /// The shards, after the run unless it is the newest
    #[arg(value_name = "[RUN] SHARD")]
    pub words: Vec<String>,
    /// All shards that can be meant
    #[arg(long, conflicts_with = "failed")]
    pub all: bool,
    /// All failed shards
    #[arg(long)]
    pub failed: bool,
    /// The run, where the first word could also be a shard
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}
