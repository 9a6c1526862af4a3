//! `call-hook`, hidden: one call of the user's hook, apart from the supervisor so that neither waits for the other.

use crate::cli::args::FolderArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::rundir::layout::RunDir;
use crate::supervisor::hooks::hook_caller;

/// Calls the hook of the run in that folder.
pub fn run(args: &FolderArgs) -> Result<CliExit, CliError> {
    hook_caller::call_hook(&RunDir::at(&args.folder));
    Ok(CliExit::Done)
}
