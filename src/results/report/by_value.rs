//! What the shards of each value of an axis come to together: success, metrics, time, GPU-hours and energy.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::escape::escape_markup;
use crate::model::units::{UNKNOWN, format_duration};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::metric_summary::{mean_text, metric_intervals, middle_text};
use crate::results::rate_text::rate_alone;
use crate::results::scale::format_short;
use crate::results::statistics::any_time::EarlyStop;
use crate::results::statistics::distributions::resampling::BootstrapInterval;
use crate::results::statistics::group::{self, ShardGroup};
use crate::results::statistics::missing::Bounds;
use crate::results::statistics::ranking::letters_of;
use crate::results::statistics::spread::MetricSpread;

/// More columns of metrics than this are for `summary.json`.
const MOST_METRICS: usize = 5;

/// An axis of more values than this is no axis to compare by eye.
const MOST_VALUES: usize = 40;

/// The section; empty if there is no axis.
pub fn render_section(findings: &Findings<'_>) -> String {
    let axes = axes::axes_of_interest(findings.records.plan).into_iter();
    let by_axis: Vec<(&str, Vec<ShardGroup>)> = axes
        .map(|axis| (axis, group::group_outcomes(&[axis], &findings.outcomes, &findings.costs)))
        .collect();
    let shown: Vec<_> = by_axis.iter().filter(|(_, groups)| groups.len() <= MOST_VALUES).collect();
    if shown.is_empty() {
        return String::new();
    }
    let names = metric_names(shown.iter().flat_map(|(_, groups)| groups));
    let columns = ValueColumns {
        metrics: names.iter().copied().take(MOST_METRICS).collect(),
        gpu_hours: findings.costs.iter().any(|cost| cost.gpu_hours.is_some()),
        energy: findings.costs.iter().any(|cost| cost.energy_j.is_some_and(|joules| joules > 0.0)),
    };
    let mut html = String::from(
        "<section><h2>By value</h2>\n<p>All shards of a value together. Success and metrics are those of shards that \
         succeeded, the mean weighted by episodes; ± is the standard deviation of the sample of shards. The median has its interval by \
         ranks; the mean of the middle half (IQM) has that of a bootstrap over the runs of each task, of tasks with 5 runs and more. Values that share a letter were not told apart, \
         which does not mean that they are equal. Time, GPU-hours and energy are those of every attempt, failed ones \
         too.</p>\n<div class=\"wide\" tabindex=\"0\"><table class=\"values\">\n",
    );
    for (axis, groups) in shown {
        columns.write_head(&mut html, axis);
        html.push_str("<tbody>\n");
        let letters = letters_of(axis, groups, findings.contrasts()).filter(|_| !findings.is_provisional());
        for group in groups {
            let letters = letters.as_ref().and_then(|letters| letters.get(&group.values.concat()));
            let intervals = metric_intervals(findings, group, &format!("{axis}={}", group.values.concat()));
            columns.write_row(&mut html, group, &success_cell(findings, group, letters), &intervals);
        }
        html.push_str("</tbody>\n");
    }
    html.push_str("</table></div>\n");
    if names.len() > MOST_METRICS {
        let rest: Vec<String> = names[MOST_METRICS..].iter().map(|name| escape_markup(name)).collect();
        let _ = writeln!(
            html,
            "<p>In <a href=\"summary.json\">summary.json</a> there are also: {}.</p>",
            rest.join(", ")
        );
    }
    html.push_str("</section>\n");
    html
}

/// Columns that are shown for each value.
struct ValueColumns<'a> {
    metrics: Vec<&'a str>,
    gpu_hours: bool,
    energy: bool,
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

impl ValueColumns<'_> {
    fn write_head(&self, html: &mut String, axis: &str) {
        let _ = write!(
            html,
            "<thead><tr><th>{}</th><th>shards</th><th>episodes</th><th>success</th>",
            escape_markup(axis)
        );
        for name in &self.metrics {
            let _ = write!(html, "<th>{}</th>", escape_markup(name));
        }
        html.push_str("<th>time</th>");
        if self.gpu_hours {
            html.push_str("<th>GPU-hours</th>");
        }
        if self.energy {
            html.push_str("<th>energy</th>");
        }
        html.push_str("</tr></thead>\n");
    }

    fn write_row(
        &self,
        html: &mut String,
        group: &ShardGroup,
        success: &str,
        intervals: &BTreeMap<String, BootstrapInterval>,
    ) {
        let totals = &group.totals;
        let early = totals.metrics_early_stop();
        let or_unknown = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
        let mut cells = vec![
            format!("{} of {}", totals.succeeded, totals.shards),
            or_unknown(totals.episodes.map(format_short)),
            success.to_owned(),
        ];
        cells.extend(self.metrics.iter().map(|name| {
            or_unknown(
                group.metrics.get(*name).and_then(|metric| spread_cell(metric, intervals.get(*name), early)),
            )
        }));
        cells.push(format_duration(Duration::from_secs_f64(group.cost.seconds)));
        if self.gpu_hours {
            cells.push(or_unknown(group.cost.gpu_hours.map(format_short)));
        }
        if self.energy {
            cells.push(or_unknown(
                group.cost.energy_j.map(|joules| format!("{} Wh", format_short(joules / 3600.0))),
            ));
        }
        let values: Vec<String> = group.values.iter().map(|value| escape_markup(value)).collect();
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", values.join(", "));
        for cell in cells {
            let _ = write!(html, "<td>{cell}</td>");
        }
        html.push_str("</tr>\n");
    }
}

/// Counts, rate, interval, letters, and where the rate may still go.
fn success_cell(findings: &Findings<'_>, group: &ShardGroup, letters: Option<&String>) -> String {
    let Some(rate) = rate_alone(&group.totals) else { return UNKNOWN.to_owned() };
    let mut html = format!("<b>{rate}</b>");
    if let Some(letters) = letters {
        let _ = write!(html, " <span class=\"letters\">{letters}</span>");
    }
    if let Some(line) = group.totals.power_line() {
        let _ = write!(html, "<br/><small>{line}</small>");
    }
    if let Some(bounds) = findings.rate_bounds(group) {
        let (low, high) = (100.0 * bounds.low, 100.0 * bounds.high);
        let Bounds { missing, planned, .. } = bounds;
        let _ = write!(html, "<br/><small>{missing} of {planned} missing: {low:.0}–{high:.0} %</small>");
    }
    html
}

/// `12.3 ± 0.4` and below it the middle; of one shard the mean alone.
fn spread_cell(
    spread: &MetricSpread,
    interval: Option<&BootstrapInterval>,
    early: EarlyStop,
) -> Option<String> {
    let mean = mean_text(spread)?;
    let middle = middle_text(spread, interval, early);
    Some(mean + &middle.map(|middle| format!("<br/><small>{middle}</small>")).unwrap_or_default())
}
