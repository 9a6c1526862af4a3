//! Arguments of `explain`.

use clap::{Args, ValueEnum};

/// Arguments of `explain`, which describes keys.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A key of sweep files or settings, or a variable of templates: `parallel`, `schedule.parallel`, `shard.index`;
    /// none lists them all
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print the JSON schema of sweep files or of the settings, for editors and validators
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "json"])]
    pub schema: Option<SchemaFile>,
}

/// Files that have a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaFile {
    /// Sweep files
    Sweep,
    /// `config.toml`, the settings
    Settings,
}
