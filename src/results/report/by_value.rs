//! What the shards of each value of an axis come to together: success, metrics, time, GPU-hours and energy.

use std::collections::BTreeMap;

use minijinja::Value;

use super::template::{Section, values};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::metric_summary::{mean_text, metric_intervals, middle_text};
use crate::results::rate_text::rate_alone;
use crate::results::statistics::group::{self, ShardGroup};
use crate::results::statistics::missing::Bounds;
use crate::results::statistics::ranking::letters_of;

/// More columns of metrics than this are for `summary.json`.
const MOST_METRICS: usize = 5;

/// An axis of more values than this is no axis to compare by eye.
const MOST_VALUES: usize = 40;

/// Returns the section; `None` if there is no axis.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let axes = axes::axes_of_interest(findings.records.plan).into_iter();
    let shown: Vec<(&str, Vec<ShardGroup>)> = axes
        .map(|axis| (axis, group::group_outcomes(&[axis], &findings.outcomes, &findings.costs)))
        .filter(|(_, groups)| groups.len() <= MOST_VALUES)
        .collect();
    let names = metric_names(shown.iter().flat_map(|(_, groups)| groups));
    let (metrics, unshown) = names.split_at(names.len().min(MOST_METRICS));
    let table = |(axis, groups): &(&str, Vec<ShardGroup>)| {
        let letters = letters_of(axis, groups, findings.contrasts()).filter(|_| !findings.is_provisional());
        let row = |group: &ShardGroup| {
            let letters = letters.as_ref().and_then(|letters| letters.get(&group.values.concat()));
            describe_value(findings, (axis, group), letters, metrics)
        };
        values! { name => axis, rows => groups.iter().map(row).collect::<Vec<_>>() }
    };
    let values = values! {
        axes => shown.iter().map(table).collect::<Vec<_>>(), metrics, unshown => unshown.join(", "),
        gpu_hours => findings.costs.iter().any(|cost| cost.gpu_hours.is_some()),
        energy => findings.costs.iter().any(|cost| cost.energy_j.is_some_and(|joules| joules > 0.0)),
    };
    (!shown.is_empty()).then(|| Section::new("By value", "by_value", values))
}

/// Lists the metrics, those that most groups have first.
fn metric_names<'a>(groups: impl Iterator<Item = &'a ShardGroup>) -> Vec<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in groups.flat_map(|group| group.metrics.keys()) {
        *counts.entry(name).or_default() += 1;
    }
    let mut names: Vec<&str> = counts.keys().copied().collect();
    names.sort_by_key(|name| std::cmp::Reverse(counts[name]));
    names
}

/// The figures of a value: counts, rate with its letters, where the rate may still go, metrics and costs.
fn describe_value(
    findings: &Findings<'_>,
    (axis, group): (&str, &ShardGroup),
    letters: Option<&String>,
    metrics: &[&str],
) -> Value {
    let (value, totals, cost) = (group.values.concat(), &group.totals, &group.cost);
    let intervals = metric_intervals(findings, group, &format!("{axis}={value}"));
    let metric = |name: &&str| {
        let spread = group.metrics.get(*name);
        let middle = |spread| middle_text(spread, intervals.get(*name), totals.metrics_early_stop());
        (spread.and_then(mean_text), spread.and_then(middle))
    };
    let missing = findings.rate_bounds(group).map(|Bounds { missing, planned, low, high, .. }| {
        format!("{missing} of {planned} missing: {:.0}–{:.0} %", 100.0 * low, 100.0 * high)
    });
    values! {
        value => group.values.join(", "), shards => format!("{} of {}", totals.succeeded, totals.shards),
        episodes => totals.episodes, rate => rate_alone(totals), letters, power => totals.power_line(), missing,
        metrics => metrics.iter().map(metric).collect::<Vec<_>>(),
        seconds => cost.seconds, gpu_hours => cost.gpu_hours, energy_j => cost.energy_j,
    }
}
