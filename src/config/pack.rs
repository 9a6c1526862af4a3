//! `[pack]`: several values of one axis share a process.

use std::collections::HashMap;

use regex::Regex;
use toml::Spanned;

use super::log_rules::pattern;
use super::problem::{Problem, word_hint};
use super::table::Table;
use crate::model::plan::Pack;
use crate::model::value::{Value, Variables};
use crate::model::value_log::{LONGEST_VALUE, MOST_VALUES, ValueLogSpec};

/// Which axis is packed, and how many of its values fit into one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Packing {
    axis: String,
    size: usize,
    value_log: ValueLogSpec,
    /// The number of the first pack of each combo.
    first: u32,
}

/// How single values are told apart in the log: `done`, `finished` and `failed`, each with a group `value`.
fn value_log(table: &Table<'_>) -> ValueLogSpec {
    let spec = ValueLogSpec {
        done: pattern(table, "done", Some("value")),
        finished: pattern(table, "finished", Some("value")),
        failed: pattern(table, "failed", Some("value")),
    };
    let counts = spec.done.as_ref().and_then(|text| Regex::new(text).ok());
    if let Some(key) = table.get("done")
        && counts.is_some_and(|done| !done.capture_names().flatten().any(|name| name == "done"))
    {
        let hint = "put `(?<done>` and `)` around the number; a pattern without one may be `finished`";
        table.sink().add(Problem::new(key.span(), "`done` has no group `done`").hint(hint));
    }
    spec
}

/// Reads the table, where the sweep has one.
pub(super) fn read(root: &Table<'_>, axes: &[String], combos: &[Variables], first: u32) -> Option<Packing> {
    let table = root.table("pack");
    if !table.exists() {
        return None;
    }
    let (axis, size) = (table.text("axis"), table.number::<u32>("size", 1));
    let value_log = value_log(&table);
    table.finish();
    if table.get("axis").is_none() {
        table.missing("axis", "which axis to pack, such as `axis = \"reward_idx\"`");
    }
    if table.get("size").is_none() {
        table.missing("size", "how many values share a process, such as `size = 32`");
    }
    let axis = known_axis(&table, axis?, axes)?;
    if !value_log.is_empty() {
        check_readable(&table, &axis, size, combos);
    }
    Some(Packing { axis, size: size? as usize, value_log, first })
}

/// A log is read for so many values, and for none with longer names: others would never be found.
fn check_readable(table: &Table<'_>, axis: &str, size: Option<u32>, combos: &[Variables]) {
    let problem = |key: &'static str, message: String, hint: &str| {
        if let Some(place) = table.get(key) {
            table.sink().add(Problem::new(place.span(), message).hint(hint));
        }
    };
    if size.is_some_and(|size| size as usize > MOST_VALUES) {
        let message = format!("a log is read for {MOST_VALUES} values at most");
        problem("size", message, "make packs smaller, or leave out `done`, `finished` and `failed`");
    }
    let mut values = combos.iter().filter_map(|combo| combo.get(axis)).map(Value::to_string);
    if let Some(long) = values.find(|value| value.len() > LONGEST_VALUE) {
        let begin: String = long.chars().take(16).collect();
        let message = format!(
            "the value `{begin}…` has {} bytes, and a log is read for {LONGEST_VALUE} at most",
            long.len()
        );
        problem("axis", message, "shorten it, or leave out `done`, `finished` and `failed`");
    }
}

fn known_axis(table: &Table<'_>, axis: Spanned<String>, axes: &[String]) -> Option<String> {
    if axes.contains(axis.get_ref()) {
        return Some(axis.into_inner());
    }
    let known: Vec<&str> = axes.iter().map(String::as_str).collect();
    let message = format!("the matrix has no axis `{}`", axis.get_ref());
    table.sink().add(Problem::new(axis.span(), message).hint(word_hint(axis.get_ref(), &known)));
    None
}

impl Packing {
    /// How single values are told apart in the log.
    pub(super) fn value_log(&self) -> &ValueLogSpec {
        &self.value_log
    }

    /// The axis that is no variable of the combos any more.
    pub(super) fn axis(&self) -> &str {
        &self.axis
    }

    /// Combos that differ only in the packed axis become packs, in the order of the first of each.
    pub(super) fn packs(&self, combos: Vec<Variables>) -> Vec<(Variables, Option<Pack>)> {
        let mut groups: Vec<(Variables, Vec<Value>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut unpacked = Vec::new();
        for mut combo in combos {
            let Some(at) = combo.0.iter().position(|(name, _)| *name == self.axis) else {
                unpacked.push((combo, None));
                continue;
            };
            let (_, value) = combo.0.remove(at);
            let place = *places.entry(format!("{combo:?}")).or_insert_with(|| {
                groups.push((combo, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(value);
        }
        let cut = |(combo, values): (Variables, Vec<Value>)| {
            let chunks: Vec<Vec<Value>> = values.chunks(self.size).map(<[Value]>::to_vec).collect();
            (self.first..).zip(chunks).map(move |(index, values)| {
                (combo.clone(), Some(Pack { index, axis: self.axis.clone(), values }))
            })
        };
        groups.into_iter().flat_map(cut).chain(unpacked).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combos_that_differ_in_the_packed_axis_share_a_process() {
        let combo = |policy: &str, index| {
            Variables(vec![
                ("policy".to_owned(), Value::String(policy.to_owned())),
                ("reward".to_owned(), Value::Integer(index)),
            ])
        };
        let combos = ["a", "b"].iter().flat_map(|policy| (0..5).map(|index| combo(policy, index))).collect();
        let packs =
            Packing { axis: "reward".to_owned(), size: 2, value_log: ValueLogSpec::default(), first: 0 }
                .packs(combos);
        let shown: Vec<String> = packs
            .iter()
            .map(|(vars, pack)| {
                let pack = pack.as_ref().unwrap();
                let values: Vec<String> = pack.values.iter().map(Value::to_string).collect();
                format!("{}/{}: {}", vars.get("policy").unwrap(), pack.index, values.join(" "))
            })
            .collect();
        assert_eq!(shown, ["a/0: 0 1", "a/1: 2 3", "a/2: 4", "b/0: 0 1", "b/1: 2 3", "b/2: 4"]);
    }
}
