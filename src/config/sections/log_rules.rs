//! `[progress]` and `[[rule]]`: how the logs of a sweep are read.

use regex::Regex;
use toml::Spanned;

use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::table::Table;
use crate::config::templates::shard::{TemplateField, TemplateRole};
use crate::model::logs::log_format::{OwnFormat, OwnFormats};
use crate::model::sweep::plan::ProgressSpec;
use crate::model::sweep::presets::{PRESETS, split_bar};
use crate::model::sweep::rule::{
    BuiltInRule, BuiltInRuleSpec, BuiltInVerdict, OwnRuleSpec, RuleSpec, RuleVerdict,
};

/// Reads `[progress]`; its file is a template, to be tried like those of `[shard]`.
pub(in crate::config) fn read_progress(
    root: &Table<'_>,
    formats: &OwnFormats,
) -> (ProgressSpec, Option<TemplateField>) {
    let table = root.get_table("progress");
    let preset = table.get_string("preset").map_or_else(
        || "auto".to_owned(),
        |preset| {
            if let Err((message, hint)) = find_preset(preset.get_ref(), formats) {
                table.sink().add(Problem::new(preset.span(), message).with_hint(hint));
            }
            preset.into_inner()
        },
    );
    let file = table.get_string("file").map(|text| TemplateField { role: TemplateRole::ProgressFile, text });
    let spec = ProgressSpec {
        preset,
        done: read_pattern(&table, "done", Some("done")),
        total: table.get_integer("total", 1),
        file: file.as_ref().map(|field| field.text.get_ref().clone()),
        finished: read_pattern(&table, "finished", None),
        format: None,
    };
    if let Some(field) = file.as_ref().filter(|_| spec.done.is_some()) {
        let message = "`file` and `done` both say where the progress is read";
        table.sink().add(Problem::new(field.text.span(), message).with_hint("keep one of them"));
    }
    table.report_unknown_keys();
    (spec, file)
}

/// Finds what a preset names: a format of the user's own, or none where it is one of the program. Fails with a message
/// and a hint.
pub fn find_preset<'a>(
    preset: &str,
    formats: &'a OwnFormats,
) -> Result<Option<&'a OwnFormat>, (String, String)> {
    let (name, _) = split_bar(preset);
    match formats.get(name) {
        Some(Ok(format)) => Ok(Some(format)),
        Some(Err(mistake)) => Err((format!("the format `{name}` cannot be used"), mistake.clone())),
        None if PRESETS.contains(&name) => Ok(None),
        None => {
            let known: Vec<&str> =
                PRESETS.iter().copied().chain(formats.keys().map(String::as_str)).collect();
            Err((format!("there is no preset `{name}`"), word_hint(name, &known)))
        }
    }
}

/// Reads the `[[rule]]` tables; faulty ones become problems.
pub(in crate::config) fn read_rules(root: &Table<'_>) -> Vec<RuleSpec> {
    root.get_tables("rule").iter().filter_map(read_rule).collect()
}

fn read_rule(table: &Table<'_>) -> Option<RuleSpec> {
    let spec = match table.get("name") {
        Some(_) => built_in_rule(table).map(RuleSpec::BuiltIn),
        None => own_rule(table).map(RuleSpec::Own),
    };
    table.report_unknown_keys();
    spec
}

fn own_rule(table: &Table<'_>) -> Option<OwnRuleSpec> {
    let words = [
        ("invalid", RuleVerdict::Invalid),
        ("failed", RuleVerdict::Failed),
        ("warning", RuleVerdict::Warning),
    ];
    let has_pattern = required_text(table, "pattern", "what the line looks like").is_some();
    let has_verdict = required_text(table, "verdict", "one of `invalid`, `failed` and `warning`").is_some();
    let (pattern, verdict) = (read_pattern(table, "pattern", None), table.get_choice("verdict", &words));
    let message = table.get_string("message").map(Spanned::into_inner);
    (has_pattern && has_verdict).then_some(())?;
    Some(OwnRuleSpec { pattern: pattern?, verdict: verdict?, message })
}

/// `name` and nothing else: what a built-in rule looks for cannot be changed.
fn built_in_rule(table: &Table<'_>) -> Option<BuiltInRuleSpec> {
    let names = BuiltInRule::ALL.map(|rule| (rule.as_str(), rule));
    let words = [
        ("off", BuiltInVerdict::Off),
        ("invalid", BuiltInVerdict::Invalid),
        ("failed", BuiltInVerdict::Failed),
        ("warning", BuiltInVerdict::Warning),
    ];
    for key in ["pattern", "message"] {
        if let Some(value) = table.get(key) {
            let message = format!("a built-in rule has a `{key}` of its own");
            let hint = "leave it out, or leave `name` out for a rule of your own";
            table.sink().add(Problem::new(value.span(), message).with_hint(hint));
        }
    }
    let hint = "one of `off`, `invalid`, `failed` and `warning`";
    let has_verdict = required_text(table, "verdict", hint).is_some();
    let (name, verdict) = (table.get_choice("name", &names), table.get_choice("verdict", &words));
    has_verdict.then_some(())?;
    Some(BuiltInRuleSpec { name: name?, verdict: verdict? })
}

pub(in crate::config) fn required_text(table: &Table<'_>, key: &'static str, hint: &str) -> Option<String> {
    if table.get(key).is_none() {
        table.report_missing(key, hint);
    }
    table.get_string(key).map(Spanned::into_inner)
}

/// A regular expression, checked, with the group it needs.
pub(in crate::config) fn read_pattern(
    table: &Table<'_>,
    key: &'static str,
    group: Option<&str>,
) -> Option<String> {
    let text = table.get_string(key)?;
    match Regex::new(text.get_ref()) {
        Err(error) => {
            let cause = regex_error_text(&error);
            let hint = hint_for_regex(&cause);
            let message = format!("`{key}` is no regular expression: {cause}");
            table.sink().add(Problem::new(text.span(), message).with_hint(hint));
        }
        Ok(_) if has_doubled_backslashes(text.get_ref()) => {
            let message = format!("`{key}` looks for a backslash, because its backslashes are doubled");
            let hint = "between single quotes write `\\d`; for a real backslash write `[\\\\]`";
            table.sink().add(Problem::new(text.span(), message).with_hint(hint));
        }
        Ok(regex) => {
            let lacking = group.filter(|group| !regex.capture_names().flatten().any(|name| name == *group));
            if let Some(group) = lacking {
                let what = if group == "value" && key != "pattern" { "value" } else { "number" };
                let hint = format!("put `(?<{group}>` and `)` around the {what}");
                let message = format!("`{key}` has no group `{group}`");
                table.sink().add(Problem::new(text.span(), message).with_hint(hint));
            }
        }
    }
    Some(text.into_inner())
}

/// Written as for double quotes, a pattern would silently match nothing.
fn has_doubled_backslashes(pattern: &str) -> bool {
    ["\\\\d", "\\\\s", "\\\\w"].iter().any(|class| pattern.contains(class))
}

/// What to write instead. The signs of the syntax are what people mean as text.
fn hint_for_regex(cause: &str) -> &'static str {
    match cause {
        "unclosed group" => r"close it with `)`; for the text `(` write `\(`",
        "unopened group" => r"for the text `)` write `\)`",
        "unclosed character class" => r"close it with `]`; for the text `[` write `\[`",
        _ if cause.starts_with("repetition operator") => {
            r"for the text `*`, `+` or `?` write `\*`, `\+` or `\?`"
        }
        _ if cause.contains("look-around") => "match what is wanted alone: there is no look-around",
        _ => r"write patterns between single quotes, where `\d` needs no second backslash",
    }
}

/// The last line of the parser's drawing is the message.
fn regex_error_text(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}
