//! `supervise`, hidden: the process behind a run.

use std::process::ExitCode;

use super::internal_args::SuperviseArgs;
use crate::cli::error::CliError;
use crate::cli::settings;
use crate::rundir::layout::RunDir;
use crate::session::holder;
use crate::supervisor::lifetime::keeper;

/// Keeps a supervisor at work until the run needs none.
pub fn run(args: &SuperviseArgs) -> Result<ExitCode, CliError> {
    let (run, hook) = (RunDir::at(&args.folder), settings::load_hook());
    let kept = keeper::keep_supervised(&run, holder::serve_attempt, args.take_over, hook.as_ref())?;
    Ok(if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
