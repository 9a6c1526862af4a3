//! Which argument takes which kind of name: by its place on the command line, so that a new verb gets its candidates
//! by calling its arguments as the others do.

use std::ffi::OsStr;

use clap::{Arg, Command};
use clap_complete::engine::ArgValueCompleter;

use super::lookups::{NameKind, find_candidates};
use super::typed_words::TypedWords;

/// Adds the source of its names to each argument that takes some.
pub fn add_sources(command: Command, typed: &TypedWords) -> Command {
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    verbs.iter().fold(command, |command, verb| {
        command.mut_subcommand(verb, |verb| verb.mut_args(|arg| add_source(arg, typed)))
    })
}

fn add_source(arg: Arg, typed: &TypedWords) -> Arg {
    let Some(kind) = kind_of(&arg) else { return arg };
    let typed = typed.clone();
    arg.add(ArgValueCompleter::new(move |current: &OsStr| find_candidates(kind, &typed, current)))
}

/// The kind of name that an argument takes, `None` for numbers, paths and switches.
fn kind_of(arg: &Arg) -> Option<NameKind> {
    let placeholder = arg.get_value_names().and_then(|names| names.first()).map(|name| name.as_str());
    match (arg.get_id().as_str(), placeholder?) {
        ("theme", _) => Some(NameKind::Theme),
        ("preset", _) => Some(NameKind::Preset),
        ("set", "NAME=VALUE") => Some(NameKind::AxisValue),
        (_, "RUN") => Some(NameKind::Run),
        (_, "[RUN] SHARD") => Some(NameKind::Shard),
        (_, "[RUN] AXIS=VALUE") => Some(NameKind::Axis),
        (_, "AXIS") => Some(NameKind::WatchedAxis),
        (_, "SHARD") => Some(NameKind::PlannedShard),
        (_, "EXPR") => Some(NameKind::Only),
        (_, "SWEEP") => Some(NameKind::SweepFile),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::visible_command::visible_command;

    #[test]
    fn arguments_take_the_names_that_they_announce() {
        let command = visible_command();
        let kind = |verb: &str, id: &str| {
            let verb = command.find_subcommand(verb).expect("a verb");
            let arg = verb.get_arguments().find(|arg| arg.get_id() == id).expect("an argument");
            kind_of(arg)
        };
        assert_eq!(kind("attach", "word"), Some(NameKind::Run));
        assert_eq!(kind("compare", "runs"), Some(NameKind::Run));
        assert_eq!(kind("run", "rerun"), Some(NameKind::Run));
        assert_eq!(kind("logs", "words"), Some(NameKind::Shard));
        assert_eq!(kind("kill", "words"), Some(NameKind::Shard));
        assert_eq!(kind("run", "only"), Some(NameKind::Only));
        assert_eq!(kind("run", "sweep"), Some(NameKind::SweepFile));
        assert_eq!(kind("autotune", "shard"), Some(NameKind::PlannedShard));
        assert_eq!(kind("requeue", "set"), Some(NameKind::AxisValue));
        assert_eq!(kind("add", "words"), Some(NameKind::Axis));
        assert_eq!(kind("unwatch", "axis"), Some(NameKind::WatchedAxis));
        assert_eq!(kind("scan", "preset"), Some(NameKind::Preset));
        assert_eq!(kind("attach", "theme"), Some(NameKind::Theme));
        assert_eq!(kind("priority", "set"), None, "a number");
    }
}
