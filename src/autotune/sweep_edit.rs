//! Settings are written into the text of a sweep; everything else of it, comments and order too, stays as it is.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::setting::AdvisedSetting;

/// A sweep that cannot be edited as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SweepEditError {
    /// The text is no TOML.
    #[error("the sweep does not parse: {0}")]
    Syntax(String),
    /// The sweep is written in a way that this does not know how to add to.
    #[error("`{key}` cannot be written into this sweep by itself: put `{line}` there by hand")]
    Place {
        /// The key with its tables.
        key: String,
        /// Line that should be written there.
        line: String,
    },
}

/// The text with every setting in it.
pub fn apply_settings(source: &str, settings: &[AdvisedSetting]) -> Result<String, SweepEditError> {
    let mut text = source.to_owned();
    for setting in settings {
        let wanted = expected_document(&text, setting)?;
        let place = || SweepEditError::Place {
            key: setting.path.join("."),
            line: format!("{} = {}", setting.key(), setting.value.to_toml()),
        };
        // Whatever odd way the sweep is written in: only what was meant may have changed.
        let is_meant = |edited: &String| toml::from_str::<toml::Table>(edited).ok().as_ref() == Some(&wanted);
        text = list_candidates(&text, setting)
            .unwrap_or_default()
            .into_iter()
            .find(is_meant)
            .ok_or_else(place)?;
    }
    Ok(text)
}

/// The document as it should read.
fn expected_document(text: &str, setting: &AdvisedSetting) -> Result<toml::Table, SweepEditError> {
    let syntax = |error: toml::de::Error| SweepEditError::Syntax(error.message().to_owned());
    let mut document: toml::Table = toml::from_str(text).map_err(syntax)?;
    let line: toml::Table =
        toml::from_str(&format!("value = {}", setting.value.to_toml())).map_err(syntax)?;
    let mut table = &mut document;
    for name in setting.tables() {
        let inner = table.entry(name.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        let toml::Value::Table(inner) = inner else {
            return Err(SweepEditError::Syntax(format!("`{name}` is no table")));
        };
        table = inner;
    }
    table.extend(line.into_iter().map(|(_, value)| (setting.key().to_owned(), value)));
    Ok(document)
}

/// The text with the setting at each place that looks right, the likeliest first.
fn list_candidates(text: &str, setting: &AdvisedSetting) -> Option<Vec<String>> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut inline = None;
    for name in setting.tables() {
        let Some(value) = find_entry(table, name) else { return Some(vec![append_table(text, setting)]) };
        let DeValue::Table(inner) = value.get_ref() else { return None };
        inline = Some(value.span()).filter(|span| text[span.clone()].starts_with('{'));
        table = inner;
    }
    let value = setting.value.to_toml();
    if let Some(present) = find_entry(table, setting.key()) {
        return Some(vec![replace_range(text, present.span(), &value)]);
    }
    let line = format!("{} = {value}", setting.key());
    if let Some(span) = inline {
        let inside = text[span.start + 1..span.end - 1].trim_end();
        let end = span.start + 1 + inside.len();
        let separator = if inside.trim().is_empty() || inside.ends_with(',') { " " } else { ", " };
        return Some(vec![replace_range(text, end..end, &format!("{separator}{line}"))]);
    }
    let places = match last_entry(table, text) {
        Some(end) => vec![end],
        None => find_headers(text, setting.tables()),
    };
    let new = format!("{}{line}", new_line(text));
    let ends = places.into_iter().map(|place| end_of_line(text, place));
    Some(ends.map(|at| replace_range(text, at..at, &new)).collect())
}

fn find_entry<'a>(table: &'a DeTable<'a>, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
}

fn replace_range(text: &str, range: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

/// Finds the end of the last value under the table's own header: tables below it have headers of their own.
fn last_entry(table: &DeTable<'_>, text: &str) -> Option<usize> {
    let is_here = |value: &&Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::Table(_) => text[value.span()].starts_with('{'),
        DeValue::Array(items) => items.is_empty() || text[value.span()].starts_with('['),
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => true,
    };
    table.iter().map(|(_, value)| value).filter(is_here).map(|value| value.span().end).max()
}

/// Finds the lines that look like the header of a table; a text of several lines may hold one too.
fn find_headers(text: &str, tables: &[String]) -> Vec<usize> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let Some(name) = line.trim_start().strip_prefix('[').and_then(|rest| rest.split(']').next()) else {
            continue;
        };
        let parts = name.split('.').map(|part| part.trim().trim_matches(['"', '\'']));
        if parts.eq(tables.iter().map(String::as_str)) {
            found.push(begin);
        }
    }
    found
}

fn end_of_line(text: &str, from: usize) -> usize {
    let end = text[from..].find('\n').map_or(text.len(), |length| from + length);
    if text[..end].ends_with('\r') { end - 1 } else { end }
}

fn new_line(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A table that is not there yet comes last.
fn append_table(text: &str, setting: &AdvisedSetting) -> String {
    let line = new_line(text);
    let begin = text.trim_end_matches(['\n', '\r']);
    format!(
        "{begin}{line}{line}[{}]{line}{} = {}{line}",
        setting.tables().join("."),
        setting.key(),
        setting.value.to_toml()
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::autotune::setting::SettingValue;

    fn parallel(number: u32) -> AdvisedSetting {
        AdvisedSetting::new(&["schedule", "parallel"], SettingValue::Number(number), "")
    }

    fn vram(text: &str) -> AdvisedSetting {
        AdvisedSetting::new(&["resources", "vram"], SettingValue::Text(text.to_owned()), "")
    }

    #[test]
    fn only_the_value_changes_where_there_is_one() {
        let source = "# my sweep\n[schedule]\nparallel = \"auto\"   # try 8\nretries = 1\n";
        let expected = "# my sweep\n[schedule]\nparallel = 8   # try 8\nretries = 1\n";
        assert_eq!(apply_settings(source, &[parallel(8)]).unwrap(), expected);
    }

    #[test]
    fn a_key_joins_its_table_behind_the_last_one() {
        let source = "[schedule]\nretries = 1 # why\n\n[resources]\n# nothing yet\n[shard]\ncommand = '''\n[schedule]\n'''\n\
                      [shard.env]\nA = 'b'";
        let settings = [
            parallel(8),
            vram("2.4 GiB"),
            AdvisedSetting::new(&["shard", "env", "MUJOCO_GL"], SettingValue::Text("egl".to_owned()), ""),
        ];
        assert_eq!(
            apply_settings(source, &settings).unwrap(),
            "[schedule]\nretries = 1 # why\nparallel = 8\n\n[resources]\nvram = \"2.4 GiB\"\n# nothing yet\n\
             [shard]\ncommand = '''\n[schedule]\n'''\n[shard.env]\nA = 'b'\nMUJOCO_GL = \"egl\""
        );
    }

    #[test]
    fn inline_tables_and_tables_that_are_not_there_are_written_too() {
        let source = "schedule = { retries = 1 }\r\nresources = {}\r\n[shard]\r\nenv = { A = '1', }\r\n";
        let env = AdvisedSetting::new(&["shard", "env", "B"], SettingValue::Text("2".to_owned()), "");
        let matrix = AdvisedSetting::new(&["matrix", "batch_size"], SettingValue::Only("16".to_owned()), "");
        assert_eq!(
            apply_settings(source, &[parallel(3), vram("1 GiB"), env, matrix]).unwrap(),
            "schedule = { retries = 1, parallel = 3 }\r\nresources = { vram = \"1 GiB\"}\r\n[shard]\r\n\
             env = { A = '1', B = \"2\" }\r\n\r\n[matrix]\r\nbatch_size = [16]\r\n"
        );
    }

    #[test]
    fn what_cannot_be_placed_is_said_and_nothing_is_spoilt() {
        let refused = apply_settings(
            "shard = { command = 'x' }\n",
            &[AdvisedSetting::new(&["shard", "env", "A"], SettingValue::Number(1), "")],
        );
        assert!(
            matches!(&refused, Err(SweepEditError::Place { key, .. }) if key == "shard.env.A"),
            "{refused:?}"
        );
        assert!(matches!(apply_settings("[[[", &[parallel(1)]), Err(SweepEditError::Syntax(_))));
        assert!(matches!(apply_settings("schedule = 3", &[parallel(1)]), Err(SweepEditError::Syntax(_))));
    }

    proptest! {
        #[test]
        fn every_line_of_the_source_stays(
            before in proptest::collection::vec(0_usize..LINES.len(), 0..6),
            after in proptest::collection::vec(0_usize..LINES.len(), 0..6),
            with_table in any::<bool>(),
        ) {
            // Each key occurs once, so that the document is one.
            let mut seen = std::collections::BTreeSet::new();
            let mut lines = |which: &[usize]| -> String {
                which.iter().filter(|n| seen.insert(**n)).map(|n| format!("{}\n", LINES[*n])).collect()
            };
            let table = if with_table { "[schedule] # here\n" } else { "" };
            let source = format!("{}{table}{}", lines(&before), lines(&after));
            let edited = apply_settings(&source, &[parallel(7), vram("2 GiB")]).unwrap();
            let mut rest = edited.as_str();
            for line in source.lines() {
                let at = rest.find(line);
                prop_assert!(at.is_some(), "{line} is lost:\n{edited}");
                rest = &rest[at.unwrap() + line.len()..];
            }
        }
    }

    const LINES: &[&str] = &[
        "# a comment",
        "a = 1 # with a remark",
        "b = '''\n[schedule]\n'''",
        "c = [\n  1, # one\n  2,\n]",
        "d = { x = 1 }",
        "e.f = 2",
        "",
    ];
}
