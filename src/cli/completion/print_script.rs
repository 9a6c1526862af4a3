//! `completions`: the script by which a shell asks this program what can follow.

use clap_complete::Shell;
use clap_complete::env::EnvCompleter;

use super::answer::{SHELLS, VARIABLE};
use crate::cli::completion::completion_args::CompletionsArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;

const PROGRAM: &str = "sweepdeck";

/// zsh reads a file in its function path at the first completion and expects an answer to that one as well.
const ZSH_FIRST_CALL: &str =
    "[ \"${funcstack[1]}\" = \"_sweepdeck\" ] && _clap_dynamic_completer_sweepdeck \"$@\"\n";

/// Prints the script for a shell. It calls the program by its name, so that it works in packages too.
pub fn run(args: &CompletionsArgs) -> Result<CliExit, CliError> {
    let mut script = Vec::new();
    completer_of(args.shell)?
        .write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)
        .map_err(CliError::system("write the script"))?;
    if args.shell == Shell::Zsh {
        script.extend_from_slice(ZSH_FIRST_CALL.as_bytes());
    }
    output::write_bytes(&script)?;
    Ok(CliExit::Done)
}

fn completer_of(shell: Shell) -> Result<&'static (dyn EnvCompleter + Sync), CliError> {
    let name = shell.to_string();
    let named = SHELLS.iter().copied().find(|completer| completer.is(&name));
    named.ok_or_else(|| CliError::usage(format!("there are no completions for {name}")))
}
