//! `probe-node`, hidden: answers what `check` on another machine asks of this one.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::internal_args::ProbeNodeArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::start::launch;
use crate::model::sweep::plan::Plan;
use crate::preflight::finding::Finding;
use crate::preflight::node_probe::{self, ProbeAnswer};

/// Prints an answer a line.
pub fn run(args: &ProbeNodeArgs) -> Result<CliExit, CliError> {
    let answer = |answer: ProbeAnswer| {
        let mut line = serde_json::to_string(&answer)?;
        line.push('\n');
        let mut stdout = io::stdout().lock();
        stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush())
    };
    node_probe::answer_probe(&args.folder, &args.node, look, answer).map_err(|error| {
        CliError::new(CliExit::Unreachable, format!("{}: {error}", args.folder.display()))
    })?;
    Ok(CliExit::Done)
}

/// Looks at this machine with the plan in a file.
fn look(plan: &Path) -> io::Result<Vec<Finding>> {
    let plan: Plan = serde_json::from_slice(&fs::read(plan)?)?;
    Ok(launch::look_at_node(&plan))
}
