//! `demo`: the sweep that is embedded in the program, with the program itself as the evaluator.

use super::args::DemoArgs;
use super::error::CliError;
use super::exit_code::Exit;
use super::launch::{self, Stay};
use super::{browse, demo_sweep};

/// Starts it.
pub fn run(args: &DemoArgs) -> Result<Exit, CliError> {
    let stay = Stay::of(false, args.headless, &args.screen);
    let sweep = demo_sweep::sweep(stay)?;
    let run = launch::create(&sweep, args.out.as_deref())?;
    let seen = launch::start(&run, &sweep.plan, stay, &args.screen)?;
    browse::after(seen, false, &args.screen)
}
