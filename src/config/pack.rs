//! `[pack]`: several values of one axis, or of several axes together, share a process.

use std::collections::HashMap;

use regex::Regex;
use toml::Spanned;
use toml::de::DeValue;

use super::document::problem::{Problem, word_hint};
use super::document::table::{NumberOrAuto, Table};
use super::sections::log_rules::read_pattern;
use super::templates::shard::TemplateField;
use super::templates::template::{RenderTarget, template_environment, undeclared_names};
use super::templates::variables::PACK_MEMBERS;
use crate::model::logs::value_log::{LONGEST_VALUE, MOST_VALUES, ValueLogSpec};
use crate::model::sweep::ladder::{LadderAction, LadderStep};
use crate::model::sweep::plan::{Pack, PackSizing, PackedValue, Schedule};
use crate::model::value::{Value, Variables};

/// Axes that are packed, and how many of their values fit into one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Packing {
    axes: Vec<String>,
    size: NumberOrAuto<u32>,
    value_log: ValueLogSpec,
    /// The number of the first pack of each combo.
    first: u32,
}

/// Reads how single values are recognised in the log: `done`, `finished` and `failed`, each with a group `value`, or
/// with one for each of several axes.
fn value_log(table: &Table<'_>, axes: &[String]) -> ValueLogSpec {
    let several = if axes.len() > 1 { axes } else { &[] };
    let group = if several.is_empty() { Some("value") } else { None };
    let spec = ValueLogSpec {
        done: read_pattern(table, "done", group),
        finished: read_pattern(table, "finished", group),
        failed: read_pattern(table, "failed", group),
        axes: several.to_vec(),
    };
    for (key, text) in [("done", &spec.done), ("finished", &spec.finished), ("failed", &spec.failed)] {
        let Some((key, regex)) = table.get(key).zip(text.as_ref().and_then(|text| Regex::new(text).ok()))
        else {
            continue;
        };
        let lacks = |group: &&String| !regex.capture_names().flatten().any(|name| name == group.as_str());
        if let Some(axis) = several.iter().find(lacks) {
            let message =
                format!("a line must name the value of each packed axis, and `{axis}` has no group");
            let hint = format!("put `(?<{axis}>` and `)` around it");
            table.sink().add(Problem::new(key.span(), message).with_hint(hint));
        }
    }
    let counts = spec.done.as_ref().and_then(|text| Regex::new(text).ok());
    if let Some(key) = table.get("done")
        && counts.is_some_and(|done| !done.capture_names().flatten().any(|name| name == "done"))
    {
        let hint = "put `(?<done>` and `)` around the number; a pattern without one may be `finished`";
        table.sink().add(Problem::new(key.span(), "`done` has no group `done`").with_hint(hint));
    }
    spec
}

/// Reads the table, where the sweep has one.
pub(super) fn read_packing(
    root: &Table<'_>,
    axes: &[String],
    combos: &[Variables],
    first: u32,
) -> Option<Packing> {
    let table = root.get_table("pack");
    if !table.exists() {
        return None;
    }
    let (named, size) = (named_axes(&table), table.number_or_auto::<u32>("size", 1));
    let value_log = value_log(&table, &named.iter().map(|axis| axis.get_ref().clone()).collect::<Vec<_>>());
    table.report_unknown_keys();
    if table.get("axis").is_none() && table.get("axes").is_none() {
        table.report_missing("axis", "which axis to pack, such as `axis = \"reward_idx\"`");
    }
    if table.get("size").is_none() {
        table.report_missing(
            "size",
            "how many values share a process, such as `size = 32`, or `size = \"auto\"`",
        );
    }
    let axes = known_axes(&table, named, axes)?;
    if !value_log.is_empty() {
        check_readable(&table, &axes, size, combos);
    }
    Some(Packing { axes, size: size?, value_log, first })
}

/// Sizes that are found by trying need packs that are split when they run out of memory, and names that stay when they
/// are.
pub(super) fn check_auto(
    root: &Table<'_>,
    packing: Option<&Packing>,
    schedule: &Schedule,
    id: Option<&TemplateField>,
) {
    if packing.is_none_or(|packing| packing.size != NumberOrAuto::Auto) {
        return;
    }
    let sink = root.sink();
    let splits = |step: &LadderStep| matches!(step.action, LadderAction::BackOff | LadderAction::Split);
    if !schedule.ladder_steps().iter().any(splits) {
        let span = root.get_table("pack").get("size").map_or(root.span(), Spanned::span);
        let message =
            "`size = \"auto\"` finds out what fits by splitting packs, and `on_oom` never splits one";
        sink.add(Problem::new(span, message).with_hint("leave `on_oom` out, or add the step `split`"));
    }
    let used = id
        .and_then(|id| undeclared_names(&template_environment(RenderTarget::Direct), id.text.get_ref()).ok());
    let is_open = |name: &&String| name.starts_with("pack.") && *name != "pack.index";
    if let Some((id, name)) = id.zip(used.iter().flatten().find(is_open)) {
        let message = format!("`{name}` is not known yet when the shards are named");
        let hint = "with `size = \"auto\"` a pack gets its values when it starts; use `pack.index`";
        sink.add(Problem::new(id.text.span(), message).with_hint(hint));
    }
}

/// `axis = "reward"`, or several under `axes`.
fn named_axes(table: &Table<'_>) -> Vec<Spanned<String>> {
    let several = match table.get("axes") {
        Some(value) => {
            if let Some(axis) = table.get("axis") {
                let hint = "keep one of them: `axis` is for one axis, `axes` for several";
                table
                    .sink()
                    .add(Problem::new(axis.span(), "both `axis` and `axes` are given").with_hint(hint));
            }
            if matches!(value.get_ref(), DeValue::Array(items) if items.iter().next().is_none()) {
                let hint = "such as `axes = [\"task\", \"seed\"]`";
                table.sink().add(Problem::new(value.span(), "`axes` names no axis").with_hint(hint));
            }
            table.get_strings("axes")
        }
        None => table.get_string("axis").into_iter().collect(),
    };
    for (at, axis) in several.iter().enumerate() {
        if several[..at].iter().any(|other| other.get_ref() == axis.get_ref()) {
            let message = format!("`axes` names `{}` twice", axis.get_ref());
            table.sink().add(Problem::new(axis.span(), message).with_hint("remove one"));
        }
        if several.len() > 1 && PACK_MEMBERS.contains(&axis.get_ref().as_str()) {
            let message = format!("`pack.{}` has a meaning of its own in templates", axis.get_ref());
            table.sink().add(Problem::new(axis.span(), message).with_hint("give the axis another name"));
        }
    }
    several
}

/// A log is read for so many values, and for none with longer names: others would never be found.
fn check_readable(table: &Table<'_>, axes: &[String], size: Option<NumberOrAuto<u32>>, combos: &[Variables]) {
    let problem = |key: &'static str, message: String, hint: &str| {
        if let Some(place) = table.get(key) {
            table.sink().add(Problem::new(place.span(), message).with_hint(hint));
        }
    };
    if matches!(size, Some(NumberOrAuto::Number(size)) if size as usize > MOST_VALUES) {
        let message = format!("a log is read for {MOST_VALUES} values at most");
        problem("size", message, "make packs smaller, or leave out `done`, `finished` and `failed`");
    }
    let values = axes.iter().flat_map(|axis| combos.iter().filter_map(move |combo| combo.get(axis)));
    if let Some(long) = values.map(Value::to_string).find(|value| value.len() > LONGEST_VALUE) {
        let begin: String = long.chars().take(16).collect();
        let message = format!(
            "the value `{begin}…` has {} bytes, and a log is read for {LONGEST_VALUE} at most",
            long.len()
        );
        let key = if axes.len() == 1 { "axis" } else { "axes" };
        problem(key, message, "shorten it, or leave out `done`, `finished` and `failed`");
    }
}

/// The axes, where the matrix has all of them.
fn known_axes(table: &Table<'_>, named: Vec<Spanned<String>>, axes: &[String]) -> Option<Vec<String>> {
    let known: Vec<&str> = axes.iter().map(String::as_str).collect();
    let check = |axis: Spanned<String>| {
        if axes.contains(axis.get_ref()) {
            return Some(axis.into_inner());
        }
        let message = format!("the matrix has no axis `{}`", axis.get_ref());
        table.sink().add(Problem::new(axis.span(), message).with_hint(word_hint(axis.get_ref(), &known)));
        None
    };
    // Collected first, so that each unknown one is a problem.
    let found: Vec<Option<String>> = named.into_iter().map(check).collect();
    let found = found.into_iter().collect::<Option<Vec<String>>>()?;
    (!found.is_empty()).then_some(found)
}

impl Packing {
    /// Returns how single values are recognised in the log.
    pub(super) fn value_log(&self) -> &ValueLogSpec {
        &self.value_log
    }

    /// The axes that are no variables of the combos any more.
    pub(super) fn axes(&self) -> &[String] {
        &self.axes
    }

    /// Combos that differ only in the packed axes become packs, in the order of the first of each.
    pub(super) fn pack_combos(&self, combos: Vec<Variables>) -> Vec<(Variables, Option<Pack>)> {
        let mut groups: Vec<(Variables, Vec<PackedValue>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut unpacked = Vec::new();
        for mut combo in combos {
            let value = self.axes.iter().map(|axis| combo.get(axis).cloned()).collect::<Option<Vec<_>>>();
            let Some(value) = value else {
                unpacked.push((combo, None));
                continue;
            };
            combo.0.retain(|(name, _)| !self.axes.contains(name));
            let place = *places.entry(format!("{combo:?}")).or_insert_with(|| {
                groups.push((combo, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(PackedValue(value));
        }
        let cut = |(combo, values): (Variables, Vec<PackedValue>)| {
            let (size, sizing) = match self.size {
                NumberOrAuto::Number(size) => (size as usize, PackSizing::Given),
                // Cut when it starts.
                NumberOrAuto::Auto => (values.len(), PackSizing::Auto),
            };
            let chunks: Vec<Vec<PackedValue>> = values.chunks(size).map(<[PackedValue]>::to_vec).collect();
            (self.first..).zip(chunks).map(move |(index, values)| {
                (
                    combo.clone(),
                    Some(Pack { index, axes: self.axes.clone(), values, sizing, split_from: None }),
                )
            })
        };
        groups.into_iter().flat_map(cut).chain(unpacked).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combo(policy: &str, index: i64) -> Variables {
        Variables(vec![
            ("policy".to_owned(), Value::String(policy.to_owned())),
            ("reward".to_owned(), Value::Integer(index)),
        ])
    }

    /// `a/0: 0 1` for each pack of two policies and five rewards.
    fn packed(axes: &[&str], size: NumberOrAuto<u32>) -> Vec<String> {
        let combos = ["a", "b"].iter().flat_map(|policy| (0..5).map(|index| combo(policy, index))).collect();
        let axes = axes.iter().map(|axis| (*axis).to_owned()).collect();
        let packing = Packing { axes, size, value_log: ValueLogSpec::default(), first: 0 };
        let shown = |(vars, pack): &(Variables, Option<Pack>)| {
            let pack = pack.as_ref().unwrap();
            let values: Vec<String> = pack.values.iter().map(PackedValue::to_string).collect();
            let combo = vars.get("policy").map(Value::to_string).unwrap_or_default();
            format!("{combo}/{}: {}", pack.index, values.join(","))
        };
        packing.pack_combos(combos).iter().map(shown).collect()
    }

    #[test]
    fn combos_that_differ_in_the_packed_axis_share_a_process() {
        let expected = ["a/0: 0,1", "a/1: 2,3", "a/2: 4", "b/0: 0,1", "b/1: 2,3", "b/2: 4"];
        assert_eq!(packed(&["reward"], NumberOrAuto::Number(2)), expected);
    }

    #[test]
    fn values_of_several_axes_are_packed_together() {
        let expected = ["/0: 0 a,1 a,2 a,3 a", "/1: 4 a,0 b,1 b,2 b", "/2: 3 b,4 b"];
        assert_eq!(packed(&["reward", "policy"], NumberOrAuto::Number(4)), expected);
    }

    #[test]
    fn a_pack_without_a_size_has_all_values_until_it_starts() {
        assert_eq!(packed(&["reward"], NumberOrAuto::Auto), ["a/0: 0,1,2,3,4", "b/0: 0,1,2,3,4"]);
    }
}
