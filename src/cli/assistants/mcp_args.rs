//! Arguments of `mcp`.

use clap::Args;

/// Arguments of `mcp`, the server for assistants.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Also offer the tools that change something: start, requeue, pause, resume, kill, stop, check
    #[arg(long)]
    pub allow_acting: bool,
}
