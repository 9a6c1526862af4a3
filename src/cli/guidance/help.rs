//! `help`: topics from the data that the program works with, and the help of verbs.

use std::fmt::Write;

use clap::CommandFactory;

use super::explain::{format_described, format_list};
use super::init_args::HelpArgs;
use crate::cli::args::Cli;
use crate::cli::error::CliError;
use crate::cli::exit_code::{CliExit, EXIT_CODES};
use crate::cli::output;
use crate::cli::screens::keys;
use crate::config::document::problem::did_you_mean;
use crate::config::keys::lookup::{self, Described, KeyFile};

/// The topics, each with what it is about.
const TOPICS: [(&str, &str); 7] = [
    ("sweep", "the tables and keys of a sweep file"),
    ("templates", "the variables of templates"),
    ("schedule", "when shards start, wait and end, and what failures lead to"),
    ("results", "how logs and results are read, merged and compared"),
    ("settings", "the keys of config.toml"),
    ("keys", "the keys of the dashboard"),
    ("exit-codes", "what each exit code means"),
];

/// Prints a topic, the help of a verb, or the list of topics.
pub fn run(args: &HelpArgs) -> Result<CliExit, CliError> {
    let Some(topic) = args.topic.as_deref() else {
        output::print_text(&format_topics())?;
        return Ok(CliExit::Done);
    };
    let text = match topic {
        "sweep" => format_list(&keys_of(KeyFile::Sweep)),
        "settings" => format_list(&keys_of(KeyFile::Settings)),
        "templates" => {
            let variables = lookup::list_all().into_iter();
            format_list(&variables.filter(|all| matches!(all, Described::Variable(_))).collect::<Vec<_>>())
        }
        "schedule" => format_tables(&["schedule", "resources", "episodes", "pack"]),
        "results" => format_tables(&["progress", "metric", "rule", "results", "analysis"]),
        "keys" => return keys::run(),
        "exit-codes" => format_exit_codes(),
        _ => verb_help(topic)?,
    };
    output::print_text(&text)?;
    Ok(CliExit::Done)
}

fn keys_of(file: KeyFile) -> Vec<Described> {
    lookup::list_keys(file).into_iter().map(Described::Key).collect()
}

/// Each table with its keys.
fn format_tables(paths: &[&str]) -> String {
    let keys = keys_of(KeyFile::Sweep);
    let tables = keys.iter().filter(|key| paths.contains(&key.path()));
    tables.map(format_described).collect::<Vec<_>>().join("\n")
}

fn format_exit_codes() -> String {
    EXIT_CODES
        .iter()
        .map(|(exit, meaning)| format!("{}  {}\n", exit.to_code(), meaning.replace('`', "")))
        .collect()
}

fn format_topics() -> String {
    let mut text = String::from("Topics of `sweepdeck help TOPIC`:\n");
    for (name, about) in TOPICS {
        let _ = writeln!(text, "  {name:<12}{about}");
    }
    text.push_str("`sweepdeck help VERB` is the help of a verb, `sweepdeck --help` lists the verbs,\n");
    text.push_str("`sweepdeck explain KEY` describes a key or a variable.\n");
    text
}

fn verb_help(name: &str) -> Result<String, CliError> {
    let mut command = Cli::command();
    command.build();
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    if let Some(verb) = command.find_subcommand_mut(name).filter(|verb| !verb.is_hide_set()) {
        return Ok(verb.render_long_help().to_string());
    }
    let known = TOPICS.iter().map(|(topic, _)| *topic).chain(verbs.iter().map(String::as_str));
    let hint = match did_you_mean(name, known) {
        Some(word) => format!("did you mean `{word}`?"),
        None => "`sweepdeck help` lists the topics".to_owned(),
    };
    Err(CliError::usage(format!("there is no topic or verb `{name}`")).with_hint(hint))
}
