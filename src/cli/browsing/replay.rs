//! `replay`: the dashboard over the past of a run.

use super::browse;
use crate::cli::addressing::target;
use crate::cli::browsing::browsing_args::ReplayArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::screens::dashboard;

/// Shows the past of the run; nothing of it is changed, and from its home nothing else is either.
pub fn run(args: &ReplayArgs) -> Result<CliExit, CliError> {
    let screen = args.look.to_screen_args();
    let seen = dashboard::replay_run(&target::find_run(&args.run)?, &screen)?;
    browse::continue_after(seen, true, &screen)
}
