//! `pack_values.csv`: the values of packs as a table.

use std::collections::BTreeSet;

use super::table::ResultsTable;
use crate::model::logs::printable::to_printable;
use crate::results::pack_values::PackValue;

/// Builds a table with one row a value: the axes, its shard, how it ended, and its metrics.
pub fn build_pack_table(axes: &[String], values: &[PackValue]) -> ResultsTable {
    let metrics: BTreeSet<&str> =
        values.iter().flat_map(|value| value.metrics.keys().map(String::as_str)).collect();
    // The packed axes are none of the combos'.
    let mut axes: Vec<&str> = axes.iter().map(String::as_str).collect();
    for (axis, _) in values.iter().flat_map(|value| value.packed.iter()) {
        if !axes.contains(&axis) {
            axes.push(axis);
        }
    }
    let counted = values.iter().any(|value| value.progress.is_some());
    let fixed = ["shard", "end", "rows"].iter().chain(if counted { &["done", "total"][..] } else { &[] });
    let header = axes
        .iter()
        .map(|axis| (*axis).to_owned())
        .chain(fixed.map(|name| (*name).to_owned()))
        .chain(metrics.iter().map(|name| (*name).to_owned()))
        .collect();
    let row = |value: &PackValue| {
        let axis = |axis: &&str| {
            let known = value.packed.get(axis).or_else(|| value.vars.get(axis));
            known.map(ToString::to_string).unwrap_or_default()
        };
        let rows = value.rows.map(|rows| rows.to_string()).unwrap_or_default();
        let mut fixed = vec![value.shard.to_string(), value.end.as_str().to_owned(), rows];
        if counted {
            let done = value.progress.map(|progress| progress.done);
            let total = value.progress.and_then(|progress| progress.total);
            fixed.extend([done, total].map(|count| count.map(|count| count.to_string()).unwrap_or_default()));
        }
        let metric = |name: &&str| value.metrics.get(*name).map(f64::to_string).unwrap_or_default();
        let cells = axes.iter().map(axis).chain(fixed).chain(metrics.iter().map(metric));
        cells.map(|cell| to_printable(&cell).into_owned()).collect()
    };
    ResultsTable { header, rows: values.iter().map(row).collect() }
}
