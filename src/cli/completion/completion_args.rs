//! Arguments of `completions`.

use clap::Args;
use clap_complete::Shell;

/// Arguments of `completions`, for one shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: Shell,
}
