//! `explain`: describes a key of sweep files or settings, or a variable of templates.

use serde::Serialize;

use super::explain_args::{ExplainArgs, SchemaFile};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::config::document::problem::did_you_mean;
use crate::config::keys::example::key_example;
use crate::config::keys::lookup::{self, Described, DescribedKey, KeyFile};
use crate::config::keys::schema::{self, plain_text};

/// The version of the JSON of `explain`.
const VERSION: u32 = 1;

/// The JSON of `explain`.
#[derive(Debug, Serialize)]
struct Document {
    version: u32,
    keys: Vec<Entry>,
}

/// Description of one key or variable.
#[derive(Debug, Serialize)]
struct Entry {
    key: String,
    #[serde(rename = "in")]
    file: &'static str,
    #[serde(rename = "type")]
    kind: Option<String>,
    default: Option<String>,
    meaning: String,
    example: Option<String>,
}

/// Prints what is known of a key, or the list of all keys.
pub fn run(args: &ExplainArgs) -> Result<CliExit, CliError> {
    if let Some(file) = args.schema {
        output::print_json(&match file {
            SchemaFile::Sweep => schema::sweep_schema(),
            SchemaFile::Settings => schema::settings_schema(),
        })?;
        return Ok(CliExit::Done);
    }
    let found = match &args.key {
        None => lookup::list_all(),
        Some(typed) => find(typed)?,
    };
    if args.json {
        output::print_json(&Document { version: VERSION, keys: found.iter().map(describe).collect() })?;
    } else if args.key.is_none() {
        output::print_text(&format_list(&found))?;
    } else {
        output::print_text(&found.iter().map(format_described).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(CliExit::Done)
}

fn find(typed: &str) -> Result<Vec<Described>, CliError> {
    let found = lookup::find(typed);
    if !found.is_empty() {
        return Ok(found);
    }
    let error = CliError::usage(format!("there is no key or variable `{typed}`"));
    Err(error.with_hint(match find_near(typed) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`sweepdeck explain` lists all of them".to_owned(),
    }))
}

/// What was probably meant, if anything is close: a whole path, or the last name of one.
fn find_near(typed: &str) -> Option<String> {
    let typed = lookup::clean(typed);
    let all = lookup::list_all();
    let paths: Vec<&str> = all.iter().map(Described::path).collect();
    let names = paths.iter().filter_map(|path| path.rsplit('.').next());
    let last = typed.rsplit('.').next().unwrap_or(&typed);
    let near_name = || {
        let name = did_you_mean(last, names)?;
        paths.iter().find(|path| path.rsplit('.').next() == Some(name)).copied()
    };
    did_you_mean(&typed, paths.iter().copied()).or_else(near_name).map(str::to_owned)
}

fn file_name(file: KeyFile) -> &'static str {
    match file {
        KeyFile::Sweep => "sweep file",
        KeyFile::Settings => "config.toml",
    }
}

fn describe(described: &Described) -> Entry {
    let some = |text: &str| (!text.is_empty()).then(|| plain_text(text));
    match described {
        Described::Key(key) => Entry {
            key: key.path.clone(),
            file: file_name(key.file),
            kind: some(&key.key.kind.to_string()),
            default: some(key.key.default),
            meaning: plain_text(key.key.meaning),
            example: Some(key_example(key)).filter(|text| !text.is_empty()),
        },
        Described::Variable(variable) => Entry {
            key: variable.name.to_owned(),
            file: "templates",
            kind: None,
            default: some(variable.place),
            meaning: plain_text(variable.meaning),
            example: Some(variable.example.to_owned()),
        },
    }
}

/// A line for each key, by file.
pub(super) fn format_list(all: &[Described]) -> String {
    let mut text = String::new();
    let mut file = "";
    let width = all.iter().map(|described| described.path().chars().count()).max().unwrap_or(0).min(30);
    for described in all {
        let entry = describe(described);
        if entry.file != file {
            text.push_str(&format!("{}{}\n", if file.is_empty() { "" } else { "\n" }, heading(entry.file)));
            file = entry.file;
        }
        text.push_str(&format!("  {:width$}  {}\n", entry.key, entry.meaning));
    }
    text
}

fn heading(file: &str) -> &'static str {
    match file {
        "sweep file" => "Keys of sweep files:",
        "config.toml" => "Keys of config.toml, your settings:",
        _ => "Variables of templates:",
    }
}

pub(super) fn format_described(described: &Described) -> String {
    match described {
        Described::Key(key) => format_key(key, &describe(described)),
        Described::Variable(variable) => {
            let entry = describe(described);
            let place = entry.default.unwrap_or_default();
            format!(
                "{{{{ {} }}}}: a variable of templates\n  {}\n  where    {place}\n  example  {}\n",
                variable.name, entry.meaning, variable.example
            )
        }
    }
}

fn format_key(key: &DescribedKey, entry: &Entry) -> String {
    let mut text = format!("{}: a key of {}\n  {}\n", key.path, article(key.file), entry.meaning);
    for (name, value) in [("type", &entry.kind), ("default", &entry.default)] {
        if let Some(value) = value {
            text.push_str(&format!("  {name:7}  {value}\n"));
        }
    }
    if let Some(example) = &entry.example {
        text.push_str("  example\n");
        example.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
    }
    if let Some(section) = key.key.kind.section() {
        text.push_str("  keys\n");
        let keys: Vec<_> = section.keys.iter().chain(section.named).collect();
        let width = keys.iter().map(|key| key.name.len()).max().unwrap_or(0);
        for inner in keys {
            text.push_str(&format!("    {:width$}  {}\n", inner.name, plain_text(inner.meaning)));
        }
    }
    text
}

fn article(file: KeyFile) -> &'static str {
    match file {
        KeyFile::Sweep => "sweep files",
        KeyFile::Settings => "config.toml, your settings",
    }
}
