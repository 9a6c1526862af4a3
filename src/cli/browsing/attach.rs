//! `attach`: the dashboard of a run that was started before.

use super::browse;
use crate::cli::addressing::target;
use crate::cli::browsing::browsing_args::AttachArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::screens::open;

/// Shows the dashboard of a run, then what the user goes to from there.
pub fn run(args: &AttachArgs) -> Result<CliExit, CliError> {
    let run = target::find_run(&args.run)?;
    let seen = open::show_run(&run, args.read_only, &args.screen)?;
    browse::continue_after(seen, args.read_only, &args.screen)
}
