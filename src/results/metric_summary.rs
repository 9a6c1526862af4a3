//! What the metrics of a group come to, for every face: their spread, with the interval of their middle.

use super::axes;
use super::findings::Findings;
use super::scale::format_short;
use super::statistics::any_time::EarlyStop;
use super::statistics::distributions::resampling::{BootstrapInterval, Intervals};
use super::statistics::group::ShardGroup;
use super::statistics::metric_interval;
use super::statistics::spread::MetricSpread;

/// The bootstrap interval of the interquartile mean of each metric of a group, where there are runs enough.
/// `name` is that of the group: it seeds the chance, so that two groups do not share theirs.
pub fn metric_intervals(findings: &Findings<'_>, group: &ShardGroup, name: &str) -> Intervals {
    if let Some(drawn) = findings.drawn.borrow().get(name) {
        return drawn.clone();
    }
    let axes = axes::axes_of_interest(findings.records.plan);
    let of = |metric: &String| {
        let tasks = metric_interval::values_by_task(&axes, &findings.outcomes, &group.members, metric);
        Some((metric.clone(), metric_interval::interquartile_interval(&tasks, &format!("{metric}/{name}"))?))
    };
    let drawn: Intervals = group.metrics.keys().filter_map(of).collect();
    findings.drawn.borrow_mut().insert(name.to_owned(), drawn.clone());
    drawn
}

/// `12.3 ± 0.4`, the mean with the deviation of the sample; of one shard the mean alone.
pub fn mean_text(spread: &MetricSpread) -> Option<String> {
    let mean = format_short(spread.mean?);
    Some(match spread.deviation {
        Some(deviation) => format!("{mean} ± {}", format_short(deviation)),
        None => mean,
    })
}

/// `median 12.3 [11.8, 12.9], IQM 12.2 [11.9, 12.7]`; none of one shard, which has no middle.
pub fn middle_text(
    spread: &MetricSpread,
    interval: Option<&BootstrapInterval>,
    early: EarlyStop,
) -> Option<String> {
    if spread.shards < 2 {
        return None;
    }
    let ends = |ends: Option<(f64, f64)>| {
        ends.map_or_else(String::new, |(low, high)| {
            format!(" [{}, {}]", format_short(low), format_short(high))
        })
    };
    let median = spread.median;
    Some(format!(
        "median {}{}, IQM {}{}{}",
        format_short(median.value),
        ends(median.low.zip(median.high)),
        format_short(spread.interquartile_mean),
        ends(interval.map(|interval| (interval.low, interval.high))),
        early.suffix()
    ))
}
