//! The answer to a shell that asks what can follow: its script calls the program with a variable and the typed words.

use std::ffi::OsString;
use std::process::ExitCode;

use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Zsh};

use super::bash::{self, Bash};
use super::sources;
use super::typed_words::TypedWords;
use super::word_index;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::visible_command::visible_command;

/// Names the shell that asks. The scripts set it for the one call.
pub const VARIABLE: &str = "SWEEPDECK_COMPLETE";

/// The shells that completions exist for.
pub const SHELLS: &[&(dyn EnvCompleter + Sync)] = &[&Bash, &Elvish, &Fish, &Powershell, &Zsh];

/// Answers if a shell asks; `None` for every other call of the program.
pub fn answer_shell() -> Option<ExitCode> {
    let name = std::env::var(VARIABLE).ok().filter(|name| !name.is_empty())?;
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let shell = SHELLS.iter().copied().find(|shell| shell.is(&name))?;
    Some(match answer(shell, words) {
        Some(candidates) if output::write_bytes(&candidates).is_ok() => CliExit::Done.into(),
        Some(_) | None => CliExit::Usage.into(),
    })
}

fn answer(shell: &dyn EnvCompleter, words: Vec<OsString>) -> Option<Vec<u8>> {
    let typed = TypedWords::parse(&words_before(shell, &words));
    let mut command = sources::add_sources(visible_command(), &typed);
    let mut candidates = Vec::new();
    let folder = std::env::current_dir().ok();
    shell.write_complete(&mut command, words, folder.as_deref(), &mut candidates).ok()?;
    Some(candidates)
}

/// Words before the one that is completed.
fn words_before(shell: &dyn EnvCompleter, words: &[OsString]) -> Vec<OsString> {
    let (words, index) = if shell.is(Bash.name()) {
        let line = bash::join_words(words, word_index::read_index().unwrap_or(0));
        (line.words, line.index)
    } else {
        (words.to_vec(), word_index::read_index().unwrap_or(words.len().saturating_sub(1)))
    };
    words.into_iter().take(index).collect()
}
