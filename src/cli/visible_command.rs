//! The command line as users see it: what completions offer and man pages describe.

use clap::{Command, CommandFactory};

use super::args::Cli;

/// Returns the command line without its internal verbs. A hidden verb would still be offered for completion where
/// nothing else fits.
pub fn visible_command() -> Command {
    let whole = Cli::command();
    let about = whole.get_about().cloned().unwrap_or_default();
    let long_about = whole.get_long_about().cloned().unwrap_or_default();
    Command::new("sweepdeck")
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .long_about(long_about)
        .disable_help_subcommand(true)
        .args(whole.get_arguments().cloned())
        .subcommands(whole.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_verbs_are_left_out() {
        let names: Vec<String> =
            visible_command().get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        let hidden: Vec<String> = Cli::command()
            .get_subcommands()
            .filter(|verb| verb.is_hide_set())
            .map(|verb| verb.get_name().to_owned())
            .collect();
        assert!(hidden.contains(&"supervise".to_owned()), "{hidden:?}");
        assert!(names.contains(&"run".to_owned()), "{names:?}");
        assert!(!names.iter().any(|name| hidden.contains(name)), "{names:?}");
        visible_command().debug_assert();
    }
}
