//! `supervise`, hidden: the process behind a run.

use std::process::ExitCode;

use super::args::FolderArgs;
use super::error::CliError;
use crate::rundir::layout::RunDir;
use crate::session::holder;
use crate::supervisor::keeper;

/// Keeps a supervisor at work until the run needs none.
pub fn run(args: &FolderArgs) -> Result<ExitCode, CliError> {
    let kept = keeper::keep(&RunDir::at(&args.folder), holder::serve)?;
    Ok(if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
