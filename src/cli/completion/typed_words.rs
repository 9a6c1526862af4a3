//! The words that were typed before the one to complete, and the run or sweep that they name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory};

use crate::cli::addressing::target;
use crate::cli::args::Cli;
use crate::cli::start::launcher;
use crate::cli::start::sweep::Sweep;
use crate::model::sweep::plan::Plan;
use crate::rundir::layout::RunDir;

/// The words before the one to complete, sorted by their meaning.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct TypedWords {
    /// The verb; empty where none was typed.
    pub verb: String,
    /// The run of `--run`.
    pub run: Option<String>,
    /// The other words: a run, shards.
    pub words: Vec<String>,
    /// The sweep file.
    pub sweep: Option<PathBuf>,
}

impl TypedWords {
    /// Sorts the words of a command line that is not complete.
    pub fn parse(line: &[OsString]) -> Self {
        let command = Cli::command().ignore_errors(true);
        let Ok(matches) = command.try_get_matches_from(line) else { return Self::default() };
        let Some((verb, given)) = matches.subcommand() else { return Self::default() };
        let mut words = texts(given, "word");
        words.extend(texts(given, "words"));
        words.extend(texts(given, "runs"));
        let sweep = given.try_get_one::<PathBuf>("sweep").ok().flatten().cloned();
        Self { verb: verb.to_owned(), run: texts(given, "run").pop(), words, sweep }
    }

    /// Returns the run that is meant, `None` if there is none.
    pub fn find_run(&self) -> Option<RunDir> {
        target::split_run(self.run.as_deref(), &self.words).ok().map(|(run, _)| run)
    }

    /// Returns the plan of the sweep that is meant, `None` if it cannot be read. Its commands are not run.
    pub fn read_sweep(&self) -> Option<Plan> {
        let path = launcher::named_or_only(self.sweep.as_deref().map(Path::new)).ok()?;
        Sweep::read(&path, false).ok().map(|sweep| sweep.plan)
    }
}

fn texts(given: &ArgMatches, id: &str) -> Vec<String> {
    let found = given.try_get_many::<String>(id).ok().flatten();
    found.into_iter().flatten().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> TypedWords {
        TypedWords::parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn values_of_options_are_no_runs_shards_or_sweeps() {
        let kill = parsed("sweepdeck kill --run night a b");
        assert_eq!((kill.verb.as_str(), kill.run.as_deref()), ("kill", Some("night")));
        assert_eq!(kill.words, ["a", "b"]);
        assert_eq!(parsed("sweepdeck logs --attempt 2 night").words, ["night"]);
        assert_eq!(parsed("sweepdeck run a.toml --parallel 2 --only").sweep, Some(PathBuf::from("a.toml")));
        assert_eq!(parsed("sweepdeck compare a b").words, ["a", "b"]);
    }

    #[test]
    fn an_unfinished_line_is_no_error() {
        assert_eq!(parsed("sweepdeck").verb, "");
        assert_eq!(parsed("sweepdeck kill --no-such-option").verb, "kill");
        assert_eq!(parsed("sweepdeck run --parallel").verb, "run");
    }
}
