//! The command line: one file per verb, each joining what the other folders do.

pub mod demo_args;
pub mod demo_results;
pub mod demo_worker;
pub mod hold;
pub mod scan;

use std::path::Path;
use std::process::ExitCode;

/// Parses the command line, runs the verb and gives the exit code of the contract.
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match (arguments.next(), arguments.next()) {
        (Some(verb), Some(folder)) if verb == "hold" => hold::run(Path::new(&folder)),
        _ => ExitCode::SUCCESS,
    }
}
