//! `demo`: the sweep that is embedded in the program, with the program itself as the evaluator.

use crate::cli::browsing::browse;
use crate::cli::demonstration::demo_args::DemoArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::start::demo_sweep;
use crate::cli::start::launch::{self, Stay};

/// Starts the embedded sweep and stays as the flags ask.
pub fn run(args: &DemoArgs) -> Result<CliExit, CliError> {
    let stay = Stay::from_flags(false, args.new_run.headless, &args.screen);
    let sweep = demo_sweep::build_sweep(stay)?;
    let run = launch::create_run(&sweep, args.new_run.out.as_deref())?;
    let seen = launch::start_run(&run, &sweep.plan, stay, &args.screen)?;
    browse::continue_after(seen, false, &args.screen)
}
