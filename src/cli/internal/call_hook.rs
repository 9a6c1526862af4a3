//! `call-hook`, hidden: one call of the user's hook, apart from the supervisor so that neither waits for the other.

use super::internal_args::CallHookArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::settings;
use crate::process::log;
use crate::rundir::layout::RunDir;
use crate::supervisor::hooks::hook_caller;

/// Calls the hook of the run in that folder, or that of the settings.
pub fn run(args: &CallHookArgs) -> Result<CliExit, CliError> {
    log::log_to_stderr();
    let own_hook = if args.settings { settings::load_hook() } else { None };
    // One that was taken out of the settings since is not called.
    if !args.settings || own_hook.is_some() {
        hook_caller::call_hook(&RunDir::at(&args.folder), own_hook.as_ref());
    }
    Ok(CliExit::Done)
}
