//! The table of metrics.

use super::table::{Decimals, PaperCell, PaperTable};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::metric_summary::metric_intervals;
use crate::results::statistics::group;

/// Mean with the deviation of the sample, median and mean of the middle half of each metric of each value.
pub fn spreads_table(findings: &Findings<'_>) -> PaperTable {
    let number = |number: Option<f64>| PaperCell::number(number, Decimals::Short);
    let mut rows = Vec::new();
    for axis in axes::axes_of_interest(findings.records.plan) {
        for group in group::group_outcomes(&[axis], &findings.outcomes, &findings.costs) {
            let value = group.values.concat();
            let intervals = metric_intervals(findings, &group, &format!("{axis}={value}"));
            for (metric, spread) in &group.metrics {
                let (median, interval) = (spread.median, intervals.get(metric));
                rows.push(vec![
                    PaperCell::text(axis),
                    PaperCell::text(&value),
                    PaperCell::text(metric),
                    PaperCell::count(spread.shards),
                    number(spread.mean),
                    number(spread.deviation),
                    number(Some(median.value)),
                    number(median.low),
                    number(median.high),
                    number(Some(spread.interquartile_mean)),
                    number(interval.map(|interval| interval.low)),
                    number(interval.map(|interval| interval.high)),
                    PaperCell::text(group.totals.metrics_early_stop().remark_text().unwrap_or_default()),
                ]);
            }
        }
    }
    let title = "Metrics by value: mean with the standard deviation of the sample, median and IQM with 95 % intervals";
    let heads =
        "axis | value | metric | shards | mean | sd | median | low | high | IQM | IQM low | IQM high | note";
    PaperTable::new("metrics", title, heads, rows)
}
