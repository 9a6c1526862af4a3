//! Tables of success rates.

use super::table::{Decimals, PaperCell, PaperTable};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::statistics::group::{self, ShardGroup};
use crate::results::statistics::totals::Totals;

const NUMBERS: [&str; 6] = ["successes", "episodes", "success, %", "low", "high", "shards"];

/// Success of each combination of values, seeds put together.
pub fn by_combo(findings: &Findings<'_>) -> PaperTable {
    let axes = axes::axes_of_interest(findings.records.plan);
    let groups = group::group_outcomes(&axes, &findings.outcomes, &findings.costs);
    let rows = groups.iter().map(|group| rate_row(group.values.clone(), group)).collect();
    let header = axes.iter().copied().chain(NUMBERS).map(str::to_owned).collect();
    let title = "Success by combo, with 95 % intervals".to_owned();
    PaperTable { name: "success_by_combo".to_owned(), title, header, rows }
}

/// Success of each value of each axis.
pub fn by_value(findings: &Findings<'_>) -> PaperTable {
    let mut rows = Vec::new();
    for axis in axes::axes_of_interest(findings.records.plan) {
        for group in group::group_outcomes(&[axis], &findings.outcomes, &findings.costs) {
            rows.push(rate_row(vec![axis.to_owned(), group.values.concat()], &group));
        }
    }
    let header = ["axis", "value"].into_iter().chain(NUMBERS).map(str::to_owned).collect();
    let title = "Success by value, with 95 % intervals".to_owned();
    PaperTable { name: "success_by_value".to_owned(), title, header, rows }
}

fn rate_row(values: Vec<String>, group: &ShardGroup) -> Vec<PaperCell> {
    let totals = &group.totals;
    let interval = totals.success_interval();
    let percent = |part: Option<f64>| PaperCell::number(part.map(|part| 100.0 * part), Decimals::Fixed(1));
    let numbers = [
        PaperCell::number(totals.successes, Decimals::Short),
        PaperCell::number(totals.episodes, Decimals::Short),
        percent(totals.success_rate()),
        percent(interval.map(|interval| interval.low)),
        percent(interval.map(|interval| interval.high)),
        PaperCell::text(format!("{} of {}{}", totals.succeeded, totals.shards, early_stop_suffix(totals))),
    ];
    values.into_iter().map(PaperCell::Text).chain(numbers).collect()
}

/// Describes what the early end of a comparison did to the interval.
fn early_stop_suffix(totals: &Totals) -> String {
    totals.early_stop().suffix()
}
