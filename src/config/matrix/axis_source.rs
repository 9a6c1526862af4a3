//! Axes that are described instead of listed: ranges, globs, files of lines, and the output of commands.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::axis_watch::{is_watched, parse_watches};
use crate::config::document::problem::{Problem, join_quoted};
use crate::config::document::scalar::type_name;
use crate::config::document::table::{Sink, Table};
use crate::model::sweep::axis::{AxisOrigin, FoundAxis};
use crate::model::sweep::expansion::AxisWatch;
use crate::model::value::Value;

/// The keys of an axis that is a table.
const KEYS: [&str; 4] = ["range", "glob", "lines", "command"];

/// More values than this are a slip of the keyboard.
const MOST_VALUES: i64 = 100_000;

/// The axes of a sweep whose values are outside of its file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutsideAxes {
    /// Each with where its values come from.
    pub axes: Vec<(String, AxisOrigin)>,
    /// The shards run in the folder of the sweep file, so that relative paths mean the same to them.
    pub keeps_folder: bool,
    /// Axes among them that take up new files.
    pub watches: Vec<AxisWatch>,
}

/// The axes of a sweep whose values have to be found before it can be read; its mistakes are found by reading it.
pub fn parse_outside_axes(source: &str) -> OutsideAxes {
    let (document, _) = DeTable::parse_recoverable(source);
    let sink = Sink::default();
    let root = Table::root(&document, &sink);
    let entries = root.get_table("matrix").entries();
    let axes =
        entries.into_iter().filter_map(|(name, _, value)| Some((name.to_owned(), parse_origin(value)?)));
    let keeps_folder = root.get_table("shard").get("cwd").is_none();
    OutsideAxes { axes: axes.collect(), keeps_folder, watches: parse_watches(source) }
}

/// The axes of a sweep that are no lists, each with what it is in words.
pub fn describe_axes(source: &str) -> Vec<(String, String)> {
    let (document, _) = DeTable::parse_recoverable(source);
    let sink = Sink::default();
    let entries = Table::root(&document, &sink).get_table("matrix").entries();
    let words = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::Array(_) => None,
        _range_or_table => {
            let written = source.get(value.span()).unwrap_or_default();
            Some(parse_origin(value).map_or_else(|| written.to_owned(), |origin| origin.to_string()))
        }
    };
    entries.into_iter().filter_map(|(name, _, value)| Some((name.to_owned(), words(value)?))).collect()
}

fn parse_origin(value: &Spanned<DeValue<'_>>) -> Option<AxisOrigin> {
    let table = value.get_ref().as_table()?;
    let [(key, value)] = described_by(table)[..] else { return None };
    let text = value.get_ref().as_str().filter(|text| !text.trim().is_empty())?.to_owned();
    match key.get_ref().as_ref() {
        "glob" => Some(AxisOrigin::Glob(text)),
        "lines" => Some(AxisOrigin::Lines(text)),
        "command" => Some(AxisOrigin::Command(text)),
        _ => None,
    }
}

/// Entries of an axis that give the source of its values.
fn described_by<'t, 'a>(
    table: &'t DeTable<'a>,
) -> Vec<(&'t Spanned<Cow<'a, str>>, &'t Spanned<DeValue<'a>>)> {
    table.iter().filter(|(key, _)| key.get_ref() != "watch").collect()
}

/// The values of an axis that is no list; `None` with the reason in the sink, or where its values are not needed.
pub(in crate::config) fn axis_values(
    sink: &Sink,
    name: &str,
    value: &Spanned<DeValue<'_>>,
    found: Option<&FoundAxis>,
) -> Option<Vec<Value>> {
    let problem = |message: String, hint: &str| {
        sink.add(Problem::new(value.span(), message).with_hint(hint));
        None
    };
    match value.get_ref() {
        DeValue::String(text) => match range_text(text) {
            Some(bounds) => expand_range(sink, name, value.span(), bounds, 1),
            None => problem(
                format!("the axis `{name}` must be an array, not a string"),
                &format!("write `[{text:?}]`; a range is `\"0..250\"`"),
            ),
        },
        DeValue::Table(table) => match described_by(table)[..] {
            [(key, bounds)] if key.get_ref() == "range" => range_value(sink, name, bounds),
            [_] if parse_origin(value).is_some() => outside_values(sink, name, value, found),
            _ => problem(
                format!("the axis `{name}` is no array and has not one of {}", join_quoted(KEYS)),
                "such as `{ range = [0, 250] }`, `{ glob = \"ckpts/*.pt\" }` or `{ lines = \"tasks.txt\" }`",
            ),
        },
        other => {
            let message = format!("the axis `{name}` must be an array, not {}", type_name(other));
            problem(message, "put the value between `[` and `]`")
        }
    }
}

fn outside_values(
    sink: &Sink,
    name: &str,
    value: &Spanned<DeValue<'_>>,
    found: Option<&FoundAxis>,
) -> Option<Vec<Value>> {
    let origin = parse_origin(value)?;
    let message = match found.map(|found| &found.values) {
        Some(Ok(values)) if !values.is_empty() => {
            let mut seen = HashSet::new();
            match values.iter().find(|value| !seen.insert(value.to_string())) {
                None => return Some(values.clone()),
                Some(twice) => format!("the axis `{name}` has `{twice}` twice"),
            }
        }
        // The files may come later.
        Some(Ok(_)) if is_watched(value) => return Some(Vec::new()),
        Some(Ok(_)) => match &origin {
            AxisOrigin::Glob(pattern) => {
                format!("the axis `{name}` has no values: no file matches `{pattern}`")
            }
            AxisOrigin::Lines(_) | AxisOrigin::Command(_) => {
                format!("the axis `{name}` has no values: {origin} gives none")
            }
        },
        Some(Err(why)) => format!("the axis `{name}` has no values: {why}"),
        None => {
            let message = format!("the values of `{name}` are not known here: they are the {origin}");
            let hint = "`sweepdeck check FILE` and `sweepdeck run FILE` find them out";
            sink.add(Problem::new(value.span(), message).with_hint(hint));
            return None;
        }
    };
    sink.add(
        Problem::new(value.span(), message).with_hint("relative paths start at the folder of the sweep file"),
    );
    None
}

/// `0..250` without its end, `0..=249` with it.
pub(in crate::config) fn range_text(text: &str) -> Option<(i64, i64)> {
    let (first, end) = text.split_once("..")?;
    let (end, inclusive) = end.strip_prefix('=').map_or((end, 0), |end| (end, 1));
    let end: i64 = end.trim().parse().ok()?;
    Some((first.trim().parse().ok()?, end.saturating_add(inclusive)))
}

/// `[first, end]` or `[first, end, step]`, or the text of a range.
fn range_value(sink: &Sink, name: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<Value>> {
    if let Some(bounds) = value.get_ref().as_str().and_then(range_text) {
        return expand_range(sink, name, value.span(), bounds, 1);
    }
    let items = value.get_ref().as_array().into_iter().flat_map(|items| items.iter());
    let numbers: Option<Vec<i64>> =
        items.map(|item| crate::config::document::scalar::parse_integer(item.get_ref())).collect();
    match numbers.as_deref() {
        Some([first, end]) => expand_range(sink, name, value.span(), (*first, *end), 1),
        Some([first, end, step]) if *step > 0 => {
            expand_range(sink, name, value.span(), (*first, *end), *step)
        }
        Some(_) | None => {
            let message = format!("the range of `{name}` must be two integers, or three with a step");
            let hint = "`[0, 250]` is 0 to 249, `[0, 250, 10]` every tenth of them";
            sink.add(Problem::new(value.span(), message).with_hint(hint));
            None
        }
    }
}

fn expand_range(
    sink: &Sink,
    name: &str,
    span: Range<usize>,
    (first, end): (i64, i64),
    step: i64,
) -> Option<Vec<Value>> {
    let message = if first >= end {
        format!("the range of `{name}` is empty")
    } else if end.saturating_sub(first) / step > MOST_VALUES {
        format!("the range of `{name}` has more than {MOST_VALUES} values")
    } else {
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        return Some((first..end).step_by(step).map(Value::Integer).collect());
    };
    sink.add(Problem::new(span, message).with_hint("`[0, 250]` and `\"0..250\"` are 0 to 249"));
    None
}

/// Names for the files of a glob, as ids can have them: their stems where those differ, else what differs of the paths.
pub(in crate::config) fn file_labels(paths: &[String]) -> Vec<String> {
    let stem = |path: &String| Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stems: Vec<String> = paths.iter().map(|path| stem(path).unwrap_or_else(|| path.clone())).collect();
    if are_different(&stems) {
        return stems;
    }
    let parts = |path: &String| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let all: Vec<Vec<String>> = paths.iter().map(parts).collect();
    let first = all.first().cloned().unwrap_or_default();
    let same_start = |count: usize| all.iter().all(|parts| parts.get(..count) == first.get(..count));
    let start = (0..first.len()).take_while(|count| same_start(*count + 1)).count();
    let end_of =
        |parts: &[String], count: usize| parts.len().checked_sub(count).map(|at| parts[at..].to_vec());
    let same_end = |count: usize| all.iter().all(|parts| end_of(parts, count) == end_of(&first, count));
    let end = (1..first.len()).take_while(|count| same_end(*count)).count();
    let label = |parts: &Vec<String>| {
        let last = parts.len().saturating_sub(end).max(start + 1).min(parts.len());
        parts[start.min(last)..last].join("-")
    };
    let labels: Vec<String> = all.iter().map(label).collect();
    if are_different(&labels) { labels } else { paths.iter().map(|path| path.replace('/', "-")).collect() }
}

fn are_different(names: &[String]) -> bool {
    names.iter().collect::<HashSet<_>>().len() == names.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(paths: &[&str]) -> Vec<String> {
        file_labels(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn files_are_named_by_what_tells_them_apart() {
        assert_eq!(labelled(&["ckpts/a.pt", "ckpts/b.pt"]), ["a", "b"]);
        assert_eq!(labelled(&["runs/x/model.pt", "runs/y/model.pt"]), ["x", "y"]);
        assert_eq!(labelled(&["r/x/1/m.pt", "r/y/2/m.pt"]), ["x-1", "y-2"]);
        assert_eq!(labelled(&["r/m.pt", "r/x/m.pt"]), ["m.pt", "x"]);
        assert_eq!(labelled(&["m.pt"]), ["m"]);
    }

    #[test]
    fn outside_axes_are_found_in_the_text() {
        let outside = parse_outside_axes(
            "[matrix]\na = [1]\nb = { glob = 'x/*' }\nc = '0..2'\nd = { command = 'ls' }\n",
        );
        let wanted = [
            ("b".to_owned(), AxisOrigin::Glob("x/*".to_owned())),
            ("d".to_owned(), AxisOrigin::Command("ls".to_owned())),
        ];
        assert_eq!((outside.axes, outside.keeps_folder), (wanted.to_vec(), true));
        assert_eq!(outside.watches, []);
    }

    #[test]
    fn ranges_leave_their_end_out_unless_they_say_otherwise() {
        assert_eq!(range_text("0..250"), Some((0, 250)));
        assert_eq!(range_text("-3 ..= 4"), Some((-3, 5)));
        assert_eq!(range_text("a..b"), None);
    }
}
