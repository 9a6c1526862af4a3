//! Arguments of `attach` and `replay`.

use clap::Args;

use crate::cli::addressing::target_args::OneRun;
use crate::cli::screens::screen_args::{LookArgs, ScreenArgs};

/// Arguments of `attach`, which shows the dashboard.
#[derive(Debug, Args)]
pub struct AttachArgs {
    /// The run to show, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Watch only: no key acts, no socket is opened
    #[arg(long)]
    pub read_only: bool,
    /// How the dashboard looks.
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Arguments of `replay`, for one run.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The run to replay, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// How the dashboard looks; the forms that replace it show no past.
    #[command(flatten)]
    pub look: LookArgs,
}
