//! `probe-node`, hidden: answers what `check` on another machine asks of this one.

use std::io::Write;

use super::internal_args::ProbeNodeArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::preflight::node_probe::{self, ProbeAnswer};

/// Prints an answer a line.
pub fn run(args: &ProbeNodeArgs) -> Result<CliExit, CliError> {
    let answer = |answer: ProbeAnswer| {
        let mut line = serde_json::to_string(&answer)?;
        line.push('\n');
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush())
    };
    node_probe::answer_probe(&args.folder, &args.node, answer).map_err(|error| {
        CliError::new(CliExit::Unreachable, format!("{}: {error}", args.folder.display()))
    })?;
    Ok(CliExit::Done)
}
