//! Success by combo: a matrix of rates with their intervals, the seeds and slices of a combo put together.

use std::collections::BTreeMap;

use minijinja::Value;

use super::template::{Section, values};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::statistics::group::{self, ShardGroup};

/// More rows than this are for `summary.json`.
const MOST_ROWS: usize = 60;

/// The section: rows are combinations of all axes but the first, columns the values of the first.
pub fn render_section(findings: &Findings<'_>) -> Section {
    let axes: Vec<&str> = axes::axes_of_interest(findings.records.plan);
    let groups = group::group_outcomes(&axes, &findings.outcomes, &findings.costs);
    let has_rates = groups.iter().any(|group| group.totals.success_rate().is_some());
    let (first, others) = axes.split_first().map_or(("", &[][..]), |(first, others)| (*first, others));
    let mut columns: Vec<&str> = Vec::new();
    let mut rows: Vec<&[String]> = Vec::new();
    let mut cells: BTreeMap<(&[String], &str), &ShardGroup> = BTreeMap::new();
    for group in &groups {
        let (column, row) =
            group.values.split_first().map_or(("", &[][..]), |(value, rest)| (value.as_str(), rest));
        if !columns.contains(&column) {
            columns.push(column);
        }
        if rows.last() != Some(&row) && !rows.contains(&row) {
            rows.push(row);
        }
        cells.insert((row, column), group);
    }
    let row = |row: &&[String]| {
        let cell = |column: &&str| cells.get(&(*row, *column)).map(|group| describe_cell(group));
        values! { values => row, cells => columns.iter().map(cell).collect::<Vec<_>>() }
    };
    let values = values! {
        has_rates, first, others, columns, rows => rows.iter().take(MOST_ROWS).map(row).collect::<Vec<_>>(),
        more => rows.len().saturating_sub(MOST_ROWS),
    };
    Section::new("Success by combo", "matrix", values)
}

/// The figures of a cell; without a rate how its shards ended.
fn describe_cell(group: &ShardGroup) -> Value {
    let totals = &group.totals;
    let (Some(rate), Some(interval)) = (totals.success_rate(), totals.success_interval()) else {
        let verdicts = group.verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}"));
        return values! { unknown => verdicts.collect::<Vec<_>>().join(", ") };
    };
    let (successes, episodes) = (totals.successes.unwrap_or(0.0), totals.episodes.unwrap_or(0.0));
    let [at, low, high] = [rate, interval.low, interval.high].map(|part| 100.0 * part);
    values! {
        rate, tenth => (rate * 10.0).floor().min(9.0) as u8,
        counts => format!("{low:.0}–{high:.0} %, {successes} of {episodes}"),
        missing => totals.count_missing(), shards => totals.shards, early => totals.early_stop().remark_text(),
        at => format!("{at:.1}"), low => format!("{low:.1}"), high => format!("{high:.1}"),
    }
}
