//! `[matrix]`: axes become combos; `exclude` takes some out, `include` adds values or combos.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use toml::Spanned;
use toml::de::DeValue;

use super::axis_source::{axis_values, file_labels};
use super::axis_watch::is_watched;
use crate::config::document::problem::{Problem, join_quoted, word_hint};
use crate::config::document::scalar::{scalar_value, type_name};
use crate::config::document::table::{Sink, Table};
use crate::config::templates::variables::TAKEN_NAMES;
use crate::model::sweep::axis::{AxisOrigin, AxisValues, FoundAxis};
use crate::model::value::{Value, Variables};

/// More than this is a mistake in an axis, and would only fill the memory.
const MOST_COMBOS: usize = 100_000;

/// The axes and every combo of them.
#[derive(Debug, Default)]
pub(in crate::config) struct Matrix {
    /// Names of the axes in their order, then those that only `include` adds.
    pub(in crate::config) names: Vec<String>,
    pub(in crate::config) combos: Vec<Variables>,
    /// The table, for problems that are about all of it.
    pub(in crate::config) span: Range<usize>,
    /// Axes with their values, without combos.
    pub(in crate::config) axes: Vec<AxisValues>,
    /// How ids name the values of axes of files, by axis and value.
    labels: HashMap<(String, String), String>,
}

/// Values of one axis whose combos alone are wanted: the others are in the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AddedValues<'a> {
    /// Name of the axis to extend.
    pub axis: &'a str,
    /// The values that the axis gets in addition to its others.
    pub values: &'a [Value],
    /// Combos that are in the run all the same, because `include` named them; see [`combo_key`].
    pub there: &'a HashSet<String>,
    /// Combos at the start, for `shards = "auto"`.
    pub combos: usize,
    /// The first number that no pack has.
    pub first_pack: u32,
}

/// Returns a key that is the same for combos with the same values, whatever their order.
pub fn combo_key<'v>(values: impl IntoIterator<Item = (&'v str, &'v Value)>) -> String {
    let mut pairs: Vec<String> =
        values.into_iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    pairs.sort_unstable();
    pairs.join("\n")
}

impl Matrix {
    /// Names the value in the default id of a shard: for a file, the part of its path that distinguishes it from the
    /// others of its axis.
    pub(in crate::config) fn label(&self, axis: &str, value: &Value) -> String {
        let text = value.to_string();
        // The usual case.
        if self.labels.is_empty() {
            return text;
        }
        self.labels.get(&(axis.to_owned(), text.clone())).cloned().unwrap_or(text)
    }
}

struct ComboRule {
    span: Range<usize>,
    values: Vec<(String, Value)>,
}

/// Reads the table; a sweep without one has a single combo without variables. Axes that are in `others` have the values
/// given there; `found` has the values of those that the file does not list. With `added` only new combos are kept.
pub(in crate::config) fn read_matrix(
    root: &Table<'_>,
    others: &[AxisValues],
    found: &[FoundAxis],
    added: Option<AddedValues<'_>>,
) -> Matrix {
    let table = root.get_table("matrix");
    let (exclude, include) = (read_rows(&table, "exclude"), read_rows(&table, "include"));
    let mut axes = read_axes(&table, found);
    for axis in &mut axes {
        let other = others.iter().find(|other| other.name == axis.name);
        axis.values = other.map_or_else(|| std::mem::take(&mut axis.values), |other| other.values.clone());
    }
    let mut combos = cartesian_product(&axes, &table);
    // What has no files yet has no combos that a rule could match.
    let waits = axes.iter().any(|axis| axis.values.is_empty() && is_watched_axis(&table, &axis.name));
    let aside = Sink::default();
    let sink = if waits { &aside } else { table.sink() };
    for row in &exclude {
        exclude_combos(&mut combos, row, sink);
    }
    let original = combos.len();
    for row in include {
        include_row(&mut combos, original, row, &axes, (sink, added.is_some()));
    }
    if !waits && table.exists() && combos.is_empty() && table.sink().is_empty() {
        let hint =
            "give at least one axis, such as `policy = [\"flat\", \"rough\"]`, or leave `[matrix]` out";
        table.sink().add(Problem::new(table.span(), "the matrix has no combo").with_hint(hint));
    }
    let mut names: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
    for (name, _) in combos.iter().flat_map(Variables::iter) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if let Some(added) = added {
        let is_new = |combo: &Variables| {
            combo.get(added.axis).is_some_and(|value| added.values.contains(value))
                && !added.there.contains(&combo_key(combo.iter()))
        };
        combos.retain(is_new);
    }
    Matrix { names, combos, span: table.span(), axes, labels: labels_of(found) }
}

fn is_watched_axis(table: &Table<'_>, name: &str) -> bool {
    table.entries().into_iter().any(|(key, _, value)| key == name && is_watched(value))
}

/// The labels of the files of all globs.
fn labels_of(found: &[FoundAxis]) -> HashMap<(String, String), String> {
    let mut all = HashMap::new();
    for axis in found.iter().filter(|axis| matches!(axis.origin, AxisOrigin::Glob(_))) {
        let paths: Vec<String> = axis.values.iter().flatten().map(ToString::to_string).collect();
        let names = file_labels(&paths);
        all.extend(paths.into_iter().map(|path| (axis.name.clone(), path)).zip(names));
    }
    all
}

/// The axes of the table, in their order.
pub(in crate::config) fn read_axes(table: &Table<'_>, found: &[FoundAxis]) -> Vec<AxisValues> {
    table
        .entries()
        .into_iter()
        .filter(|(key, ..)| *key != "exclude" && *key != "include")
        .map(|(key, span, value)| read_axis(table.sink(), (key, span), value, found))
        .collect()
}

fn read_axis(
    sink: &Sink,
    (key, span): (&str, Range<usize>),
    value: &Spanned<DeValue<'_>>,
    found: &[FoundAxis],
) -> AxisValues {
    check_name(sink, key, span);
    let DeValue::Array(items) = value.get_ref() else {
        let found = found.iter().find(|axis| axis.name == key);
        // With a mistake in its values the axis is one all the same: templates may name it.
        let values = axis_values(sink, key, value, found).unwrap_or_default();
        return AxisValues { name: key.to_owned(), values };
    };
    if items.is_empty() {
        let hint = "give it a value, or remove the axis";
        sink.add(Problem::new(value.span(), format!("the axis `{key}` has no values")).with_hint(hint));
    }
    let mut values = Vec::new();
    let mut seen = HashSet::new();
    for item in items.iter() {
        let Some(value) = value_of(sink, key, item) else { continue };
        // Values of different types may print alike: `1` and `"1"` are two.
        if seen.insert(format!("{value:?}")) {
            values.push(value);
        } else {
            let message = format!("the axis `{key}` has `{value}` twice");
            sink.add(Problem::new(item.span(), message).with_hint("remove one"));
        }
    }
    AxisValues { name: key.to_owned(), values }
}

fn value_of(sink: &Sink, key: &str, item: &Spanned<DeValue<'_>>) -> Option<Value> {
    let value = scalar_value(item.get_ref());
    if value.is_none() {
        let message = format!(
            "a value of `{key}` must be a string, a finite number or a boolean, not {}",
            type_name(item.get_ref())
        );
        sink.add(Problem::new(item.span(), message));
    }
    value
}

fn check_name(sink: &Sink, name: &str, span: Range<usize>) {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let known: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let better = if starts { known } else { format!("_{known}") };
        let hint =
            format!("templates know letters, digits and `_`, beginning with a letter: such as `{better}`");
        sink.add(Problem::new(span, format!("`{name}` cannot be the name of an axis")).with_hint(hint));
    } else if TAKEN_NAMES.contains(&name) {
        let hint = format!("choose another name than {}", join_quoted(TAKEN_NAMES));
        sink.add(
            Problem::new(span, format!("`{name}` has a meaning of its own in templates")).with_hint(hint),
        );
    }
}

/// `exclude` and `include`: tables with one value per name.
fn read_rows(table: &Table<'_>, key: &'static str) -> Vec<ComboRule> {
    let row = |row: Table<'_>| {
        let mut values = Vec::new();
        for (name, span, value) in row.entries() {
            check_name(row.sink(), name, span);
            values.extend(value_of(row.sink(), name, value).map(|value| (name.to_owned(), value)));
        }
        ComboRule { span: row.span(), values }
    };
    table.get_tables(key).into_iter().map(row).collect()
}

/// The first axis changes slowest.
fn cartesian_product(axes: &[AxisValues], table: &Table<'_>) -> Vec<Variables> {
    if axes.is_empty() && table.exists() {
        return Vec::new();
    }
    let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.values.len()));
    if count.is_none_or(|count| count > MOST_COMBOS) {
        let message = format!("the matrix has more than {MOST_COMBOS} combos");
        table.sink().add(
            Problem::new(table.span(), message).with_hint("split the sweep, or use `[pack]` at run time"),
        );
        return Vec::new();
    }
    axes.iter().fold(vec![Variables::default()], |combos, axis| {
        let with = |combo: &Variables, value: &Value| {
            let mut combo = combo.clone();
            combo.0.push((axis.name.clone(), value.clone()));
            combo
        };
        combos.iter().flat_map(|combo| axis.values.iter().map(move |value| with(combo, value))).collect()
    })
}

fn exclude_combos(combos: &mut Vec<Variables>, row: &ComboRule, sink: &Sink) {
    let is_excluded =
        |combo: &Variables| row.values.iter().all(|(name, value)| combo.get(name) == Some(value));
    if row.values.is_empty() || !combos.iter().any(is_excluded) {
        let problem = Problem::new(row.span.clone(), "this `exclude` matches no combo");
        sink.add(problem.with_hint(hint_for_exclude(combos, row)));
    }
    combos.retain(|combo| !is_excluded(combo));
}

/// Names the first value that no combo has, and what the axis has in its place.
fn hint_for_exclude(combos: &[Variables], row: &ComboRule) -> String {
    for (name, value) in &row.values {
        let mut known: Vec<&Value> = Vec::new();
        for other in combos.iter().filter_map(|combo| combo.get(name)) {
            if !known.contains(&other) {
                known.push(other);
            }
        }
        if known.is_empty() {
            let names: BTreeSet<&str> =
                combos.iter().flat_map(Variables::iter).map(|(name, _)| name).collect();
            return word_hint(name, &names.into_iter().collect::<Vec<_>>());
        }
        let same_text = known.iter().find(|known| known.to_string() == value.to_string());
        match same_text {
            Some(same) if *same == value => {}
            Some(same) => return format!("`{name}` has another type: write `{}`", as_toml(same)),
            None => {
                let known: Vec<String> = known.into_iter().map(as_toml).collect();
                return format!(
                    "the values of `{name}` are {}",
                    join_quoted(known.iter().map(String::as_str))
                );
            }
        }
    }
    "give it values that one combo has together, or remove it".to_owned()
}

/// A value as the file would have it.
fn as_toml(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => value.to_string(),
    }
}

/// As in CI matrices: its values of the axes select the combos that get the rest; with no such combo it is
/// one.
fn include_row(
    combos: &mut Vec<Variables>,
    original: usize,
    row: ComboRule,
    axes: &[AxisValues],
    (sink, is_addition): (&Sink, bool),
) {
    let is_axis = |name: &str| axes.iter().any(|axis| axis.name == name);
    let (on_axes, extra): (Vec<_>, Vec<_>) = row.values.into_iter().partition(|(name, _)| is_axis(name));
    let matches = |combo: &Variables| on_axes.iter().all(|(name, value)| combo.get(name) == Some(value));
    let mut matched = false;
    for combo in combos[..original].iter_mut().filter(|combo| matches(combo)) {
        matched = true;
        for (name, value) in &extra {
            set_variable(combo, name, value);
        }
    }
    let missing: Vec<&str> = axes
        .iter()
        .map(|axis| axis.name.as_str())
        .filter(|axis| !on_axes.iter().any(|(name, _)| name == axis))
        .collect();
    if matched && extra.is_empty() {
        if is_addition {
            // It named a combo that the axes have by now.
            return;
        }
        let hint = "remove it, or give it a variable to add";
        sink.add(
            Problem::new(row.span, "this `include` changes nothing: the combo is there already")
                .with_hint(hint),
        );
    } else if !matched && missing.is_empty() {
        combos.push(in_axis_order(axes, on_axes, extra));
    } else if !matched {
        let message =
            format!("this `include` matches no combo, and says nothing of {}", join_quoted(missing));
        sink.add(Problem::new(row.span, message).with_hint("name a value for every axis to add a combo"));
    }
}

fn in_axis_order(
    axes: &[AxisValues],
    on_axes: Vec<(String, Value)>,
    extra: Vec<(String, Value)>,
) -> Variables {
    let mut values = on_axes;
    values.sort_by_key(|(name, _)| axes.iter().position(|axis| axis.name == *name));
    values.extend(extra);
    Variables(values)
}

fn set_variable(combo: &mut Variables, name: &str, value: &Value) {
    match combo.0.iter_mut().find(|(key, _)| key == name) {
        Some((_, old)) => *old = value.clone(),
        None => combo.0.push((name.to_owned(), value.clone())),
    }
}
