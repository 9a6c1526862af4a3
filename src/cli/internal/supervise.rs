//! `supervise`, hidden: the process behind a run.

use std::process::ExitCode;

use crate::cli::args::SuperviseArgs;
use crate::cli::error::CliError;
use crate::rundir::layout::RunDir;
use crate::session::holder;
use crate::supervisor::lifetime::keeper;

/// Keeps a supervisor at work until the run needs none.
pub fn run(args: &SuperviseArgs) -> Result<ExitCode, CliError> {
    let kept = keeper::keep_supervised(&RunDir::at(&args.folder), holder::serve_attempt, args.take_over)?;
    Ok(if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
