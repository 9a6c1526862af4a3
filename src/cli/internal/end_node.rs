//! `end-node`, hidden: ends everything of a node on this machine. Its folder is not looked at, because the disk may hang.

use std::time::Duration;

use super::internal_args::EndNodeArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::process::run_processes::{self, RunProcesses};

/// Freeing the memory of a large simulation takes a second or two.
const PATIENCE: Duration = Duration::from_secs(30);

/// Ends all processes of the node, and fails where one is left.
pub fn run(args: &EndNodeArgs) -> Result<CliExit, CliError> {
    let left = run_processes::end_processes(&args.folder, RunProcesses::All, PATIENCE);
    match left.first() {
        None => Ok(CliExit::Done),
        Some(process) => Err(CliError::new(
            CliExit::Unreachable,
            format!("process {} ({}) of the node cannot be killed", process.pid, process.name),
        )),
    }
}
