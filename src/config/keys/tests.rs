//! The descriptions of keys against the parser: what one of them knows, the other knows too.

use std::collections::BTreeSet;

use super::example::key_example;
use super::lookup::{DescribedKey, KeyFile, list_keys};
use super::schema;
use super::shape::Kind;
use super::variables::TEMPLATE_VARIABLES;
use crate::config::plan::{AxisOverrides, PlanOrigin, read_with};
use crate::config::settings::read_settings;
use crate::config::templates::variables::{
    OWN_COMMAND_NAMES, PACK_MEMBERS, PREVIOUS_MEMBERS, SLICE_MEMBERS, START_NAMES, TAKEN_NAMES,
};
use crate::model::sweep::axis::{AxisOrigin, FoundAxis};
use crate::model::value::Value;

/// Name of a key in a file, where the user chooses it.
fn written_name(path: &str) -> &'static str {
    match path {
        "matrix.AXIS" => "kind",
        "matrix.exclude.AXIS" => "policy",
        "matrix.include.VARIABLE" => "steps",
        _ if path.ends_with("set.AXIS") => "seed",
        "keys.ACTION" => "detach",
        "results.rules.PATH" => "score",
        _ => "server",
    }
}

/// The tables around a key, from the outermost, each with its path.
fn parents(of: &DescribedKey) -> Vec<DescribedKey> {
    let all = list_keys(of.file);
    let dots = of.path.match_indices('.').map(|(at, _)| &of.path[..at]);
    dots.map(|path| all.iter().find(|key| key.path == path).expect("a parent").clone()).collect()
}

/// `key = value` with everything around it that it needs.
fn written(of: &DescribedKey, value: &str) -> String {
    let name = |key: &DescribedKey| match key.key.name.chars().all(|c| c.is_uppercase()) {
        true => written_name(&key.path),
        false => key.key.name,
    };
    let mut text = format!("{} = {value}", name(of));
    let mut beside = of.key.beside.replace('\n', ", ");
    for parent in parents(of).iter().rev() {
        if !beside.is_empty() {
            text = format!("{beside}, {text}");
        }
        if parent.path == "shard" && !text.starts_with("command") {
            text = format!("command = \"true\", {text}");
        }
        if parent.path == "matrix" {
            text = format!("policy = [\"flat\", \"rough\"], seed = [1, 2], {text}");
        }
        let is_list = matches!(parent.key.kind, Kind::Tables(_))
            || parent.path.starts_with("schedule.on_")
                && !parent.path.ends_with("set")
                && !parent.path.ends_with("env");
        text = match is_list {
            true => format!("{} = [{{ {text} }}]", name(parent)),
            false => format!("{} = {{ {text} }}", name(parent)),
        };
        beside = parent.key.beside.replace('\n', ", ");
    }
    text
}

/// A whole file with the key in it.
fn file_with(of: &DescribedKey, value: &str) -> String {
    let mut text = written(of, value);
    if of.file == KeyFile::Sweep {
        if !text.starts_with("matrix") {
            text.push_str("\nmatrix = { policy = [\"flat\", \"rough\"], seed = [1, 2] }");
        }
        if !text.starts_with("shard") {
            // A slice has to reach the program, and only a program that continues can be continued.
            let more = match of.path.as_str() {
                "episodes.runner" | "episodes.arguments" => "command = \"true {{ shard.arguments }}\"",
                "schedule.resume_after" => "command = \"true\", resume = true",
                _ => "command = \"true\"",
            };
            text.push_str(&format!("\nshard = {{ {more} }}"));
        }
    }
    text
}

/// What the parser says about a file, each with the place.
fn mistakes(file: KeyFile, source: &str) -> Vec<(usize, String)> {
    let problems = match file {
        KeyFile::Settings => read_settings(source).1,
        KeyFile::Sweep => {
            let origin = PlanOrigin {
                file: "/s/eval.toml".into(),
                home: Some("/home/me".into()),
                cores: 2,
                ..PlanOrigin::default()
            };
            let found = FoundAxis {
                name: "kind".to_owned(),
                origin: AxisOrigin::Lines(String::new()),
                values: Ok(vec![Value::Integer(1), Value::Integer(2)]),
            };
            let axes = AxisOverrides { found: &[found], ..AxisOverrides::default() };
            match read_with(source, &origin, 2, axes) {
                Ok(_) => Vec::new(),
                Err(problems) => problems.list().to_vec(),
            }
        }
    };
    problems.into_iter().map(|problem| (problem.span.start, problem.message)).collect()
}

fn every_key() -> impl Iterator<Item = DescribedKey> {
    [KeyFile::Sweep, KeyFile::Settings].into_iter().flat_map(list_keys)
}

#[test]
fn every_example_is_accepted() {
    let refused = every_key().filter(|key| !key.key.example.is_empty()).filter_map(|key| {
        let source = file_with(&key, key.key.example);
        let found = mistakes(key.file, &source);
        (!found.is_empty()).then(|| format!("{}: {found:?}\n{source}", key.path))
    });
    let refused: Vec<String> = refused.collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn every_example_is_shown_as_it_is_written() {
    for key in every_key().filter(|key| !key.key.example.is_empty()) {
        let text = key_example(&key);
        let read = text.parse::<toml::Table>();
        assert!(read.is_ok() && text.contains(key.key.example), "{}:\n{text}\n{read:?}", key.path);
    }
}

#[test]
fn every_described_key_is_read_by_the_parser() {
    for key in every_key() {
        let source = file_with(&key, "1979-05-27");
        let line = source.find("1979-05-27").expect("the value");
        let around = source[..line].rfind(['{', '[', '\n']).map_or(0, |at| at + 1);
        let found = mistakes(key.file, &source);
        assert!(
            found.iter().any(|(at, _)| (around..=line).contains(at))
                || !found.is_empty() && key.path.contains("AXIS."),
            "no reader wants {}: {found:?}\n{source}",
            key.path
        );
    }
}

#[test]
fn every_described_word_is_known_to_the_parser() {
    const NONE: &str = "no-such-word";
    for key in every_key() {
        let words = key.key.kind.words();
        let free = matches!(key.key.kind, Kind::Either(kinds) if kinds.iter().any(|kind| matches!(kind, Kind::Text(..))));
        if words.is_empty() || free && key.path != "progress.preset" {
            continue;
        }
        let forms: &[fn(&str) -> String] = match (&key.key.kind, key.path.as_str()) {
            (_, "schedule.on_oom" | "schedule.on_stall") => &[plain_word, listed_word],
            (Kind::Array(_), _) => &[listed_word],
            _ => &[plain_word],
        };
        let refused = |form: &fn(&str) -> String, word: &str| {
            let found = mistakes(key.file, &file_with(&key, &form(word)));
            found.into_iter().find(|(_, text)| text.contains(&format!("`{word}`")))
        };
        assert!(forms.iter().all(|form| refused(form, NONE).is_some()), "{} takes any word", key.path);
        for word in words {
            let known = forms.iter().any(|form| {
                let no = refused(form, NONE).map(|(_, text)| text.replace(NONE, word));
                no != refused(form, word).map(|(_, text)| text)
            });
            // Only a built-in rule can be off.
            assert!(known || word == "off", "{} refuses `{word}`", key.path);
        }
    }
}

fn plain_word(word: &str) -> String {
    format!("\"{word}\"")
}

fn listed_word(word: &str) -> String {
    format!("[\"{word}\"]")
}

#[test]
fn the_variables_are_those_that_templates_know() {
    let bases = |known: &[&str]| known.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let described: BTreeSet<String> = TEMPLATE_VARIABLES
        .iter()
        .filter_map(|variable| variable.name.split('.').next())
        .filter(|name| *name != "AXIS")
        .map(str::to_owned)
        .collect();
    let mut known = bases(&TAKEN_NAMES);
    known.extend(bases(&START_NAMES));
    known.extend(bases(&OWN_COMMAND_NAMES));
    assert_eq!(described, known);
    let members = |base: &str| {
        let own = TEMPLATE_VARIABLES.iter().filter_map(|variable| variable.name.strip_prefix(base));
        own.filter_map(|rest| rest.strip_prefix('.')).map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let with = |names: &[&str], more: &str| &bases(names) | &bases(&[more]);
    assert_eq!(members("shard"), with(&SLICE_MEMBERS, "arguments"));
    assert_eq!(members("pack"), with(&PACK_MEMBERS, "AXIS"));
    assert_eq!(members("previous"), bases(&PREVIOUS_MEMBERS));
}

#[test]
fn markdown_becomes_plain_text() {
    let text = "the [`[pack]`](#pack) of [an axis](a.md#b), `[0, 250]` and `\"auto\"`";
    assert_eq!(schema::plain_text(text), "the [pack] of an axis, [0, 250] and \"auto\"");
}
