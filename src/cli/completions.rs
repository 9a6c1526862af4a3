//! `completions`: what a shell needs to complete the command line.

use clap::CommandFactory;

use super::args::{Cli, CompletionsArgs};
use super::error::CliError;
use super::exit_code::CliExit;
use super::output;

/// Prints the script for a shell.
pub fn run(args: &CompletionsArgs) -> Result<CliExit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sweepdeck", &mut script);
    output::write_bytes(&script)?;
    Ok(CliExit::Done)
}
