//! Arguments of `man`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `man`, which writes the man pages.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder that gets a page for each verb, such as ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
