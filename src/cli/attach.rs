//! `attach`: the dashboard of a run that was started before.

use super::args::AttachArgs;
use super::error::CliError;
use super::exit_code::Exit;
use super::{browse, open, target};

/// Shows the dashboard.
pub fn run(args: &AttachArgs) -> Result<Exit, CliError> {
    let run = target::run(&args.run)?;
    let seen = open::show(&run, args.read_only, &args.screen)?;
    browse::after(seen, args.read_only, &args.screen)
}
