//! `combined_results.csv`: one row a shard, with its axes, outcome, peaks, metrics and energy, all printable.

use std::collections::BTreeSet;

use crate::model::logs::printable::{to_cell, to_printable};
use crate::results::findings::Findings;
use crate::results::measured::measures::AttemptMeasures;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::cost::Cost;

/// Columns between the axes and the metrics.
const FIXED: [&str; 11] = [
    "phase", "reason", "attempts", "seconds", "episodes", "successes", "success_rate", "peak_vram_bytes",
    "peak_power_w", "peak_temperature_c", "peak_rss_bytes",
];

/// Columns for what the log counted, and whether the VRAM is the rise on the GPU.
const COUNTED: [&str; 3] = ["done", "unit", "vram_by_rise"];

/// Columns at the end: energy of all attempts, and how much the newest was held back.
const LAST: [&str; 3] = ["energy_j", "energy_shared", "throttled_percent"];

/// Columns after the metrics: what the newest attempt was measured at, and what all of them cost.
const MEASURED: [&str; 10] = [
    "mean_vram_bytes",
    "mean_power_w",
    "peak_utilization_percent",
    "mean_utilization_percent",
    "peak_cpu_percent",
    "mean_cpu_percent",
    "peak_host_ram_bytes",
    "peak_host_cpu_percent",
    "attempt_seconds",
    "gpu_hours",
];

/// The last column of runs that deal to nodes: the node that has the shard, or had it last.
const NODE: &str = "node";

/// A table of texts; an empty one means that it is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsTable {
    /// The names of the columns.
    pub header: Vec<String>,
    /// Rows of the table, one a shard, in the order of the sweep.
    pub rows: Vec<Vec<String>>,
}

/// The results of a run so far.
pub fn build_table(findings: &Findings<'_>) -> ResultsTable {
    let Findings { records, outcomes, costs, .. } = findings;
    let axes = &records.plan.axes;
    let metrics: BTreeSet<&str> =
        outcomes.iter().flat_map(|outcome| outcome.metrics.keys().map(String::as_str)).collect();
    let mut header = vec!["shard".to_owned()];
    let has_nodes = !records.plan.nodes.is_empty();
    header.extend(axes.iter().map(|axis| axis_column(axis, has_nodes)));
    header.extend(FIXED.map(str::to_owned));
    for metric in &metrics {
        // A column that is there twice would be lost by readers that go by names.
        let taken = LAST.contains(metric)
            || MEASURED.contains(metric)
            || COUNTED.contains(metric)
            || (has_nodes && *metric == NODE)
            || header.iter().any(|column| column == metric);
        header.push(if taken { format!("metric_{metric}") } else { (*metric).to_owned() });
    }
    header.extend(MEASURED.map(str::to_owned));
    header.extend(COUNTED.map(str::to_owned));
    header.extend(LAST.map(str::to_owned));
    // Only where it has content: a table of the sweep as given has the columns of the contract.
    let is_edited = outcomes.iter().any(|outcome| outcome.edit.is_some());
    header.extend(is_edited.then(|| "edited".to_owned()));
    header.extend(has_nodes.then(|| NODE.to_owned()));
    let rows =
        outcomes.iter().zip(costs).zip(findings.newest_measures()).map(|((outcome, cost), measures)| {
            let mut row = shard_row(outcome, axes, &metrics);
            row.extend(measured_cells(measures, cost));
            row.extend(counted_cells(outcome));
            row.extend(last_cells(outcome, cost));
            row.extend(is_edited.then(|| outcome.edit.map(ToString::to_string).unwrap_or_default()));
            row.extend(has_nodes.then(|| outcome.node.map(ToString::to_string).unwrap_or_default()));
            row
        });
    ResultsTable { rows: rows.collect(), header }
}

/// The column of an axis: an axis called like another column gets a name of its own, because readers go by names.
fn axis_column(axis: &str, has_nodes: bool) -> String {
    let taken = [&FIXED[..], &MEASURED[..], &COUNTED[..], &LAST[..], &["shard", "edited"]].concat();
    if taken.contains(&axis) || (has_nodes && axis == NODE) {
        format!("axis_{axis}")
    } else {
        axis.to_owned()
    }
}

/// In the order of [`MEASURED`].
fn measured_cells(measures: Option<&AttemptMeasures>, cost: &Cost) -> [String; 10] {
    let nothing = AttemptMeasures::default();
    let of = measures.unwrap_or(&nothing);
    [
        format_number(of.vram.mean()),
        format_number(of.power.mean()),
        format_number(of.utilization.peak()),
        format_number(of.utilization.mean()),
        format_number(of.cpu.peak()),
        format_number(of.cpu.mean()),
        format_count(of.host_ram.peak()),
        format_number(of.host_cpu.peak()),
        format_number(measures.map(|_| cost.seconds)),
        format_number(cost.gpu_hours.filter(|_| measures.is_some())),
    ]
}

fn shard_row(outcome: &ShardOutcome<'_>, axes: &[String], metrics: &BTreeSet<&str>) -> Vec<String> {
    let mut row = vec![outcome.id().to_string()];
    row.extend(axes.iter().map(|axis| outcome.value_of(axis)));
    let peaks = &outcome.peaks;
    row.extend([
        outcome.phase.as_str().to_owned(),
        outcome.reason.map(|reason| reason.to_string()).unwrap_or_default(),
        outcome.attempts.to_string(),
        outcome.seconds.map(|seconds| format!("{seconds:.3}")).unwrap_or_default(),
        format_count(outcome.episodes),
        format_count(outcome.successes),
        format_number(outcome.success_rate),
        peaks.vram.map(|bytes| bytes.0.to_string()).unwrap_or_default(),
        format_number(peaks.power_w),
        format_number(peaks.temperature_c),
        peaks.rss.map(|bytes| bytes.0.to_string()).unwrap_or_default(),
    ]);
    row.extend(metrics.iter().map(|metric| format_number(outcome.metrics.get(*metric).copied())));
    row
}

/// In the order of [`COUNTED`].
fn counted_cells(outcome: &ShardOutcome<'_>) -> [String; 3] {
    [
        format_count(outcome.done),
        outcome.done.map(|_| outcome.unit.to_owned()).unwrap_or_default(),
        outcome.peaks.vram.map(|_| outcome.peaks.vram_by_rise.to_string()).unwrap_or_default(),
    ]
}

/// In the order of [`LAST`]: energy is that of all attempts, as hours are; clocks are those of the newest.
fn last_cells(outcome: &ShardOutcome<'_>, cost: &Cost) -> [String; 3] {
    // A shard that never ran cost nothing, and nothing was measured of it.
    let energy = cost.energy_j.filter(|_| outcome.attempts > 0);
    [
        format_number(energy),
        energy.map(|_| cost.energy_shared.to_string()).unwrap_or_default(),
        format_number(outcome.peaks.throttled.map(|throttled| throttled.percent)),
    ]
}

/// A number that may have a fraction has a point in every row: readers take the type of a column from its cells, and
/// `1` in the one run would be another type than `0.5` in the next.
fn format_number(value: Option<f64>) -> String {
    value.map(|value| format!("{value:?}")).unwrap_or_default()
}

fn format_count(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

impl ResultsTable {
    /// The table as CSV, with quotes where a text needs them.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(&self.header).chain(&self.rows) {
            writer
                .write_record(row.iter().map(|cell| to_printable(&to_cell(cell)).into_owned()))
                .expect("memory takes everything, and all rows are as long as the header");
        }
        let bytes = writer.into_inner().expect("memory takes everything");
        String::from_utf8(bytes).expect("only texts were written")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_has_a_point_and_a_count_has_none() {
        for (value, measure, count) in
            [(1.0, "1.0", "1"), (0.25, "0.25", "0.25"), (1e20, "1e20", "100000000000000000000")]
        {
            assert_eq!(
                (format_number(Some(value)).as_str(), format_count(Some(value)).as_str()),
                (measure, count)
            );
        }
        assert_eq!(format_number(None), "");
    }

    #[test]
    fn an_axis_called_like_a_column_gets_a_name_of_its_own() {
        assert_eq!(axis_column("policy", true), "policy");
        assert_eq!(
            (axis_column("node", false), axis_column("node", true)),
            ("node".into(), "axis_node".into())
        );
        for name in ["shard", "seconds", "gpu_hours", "unit", "energy_j", "edited"] {
            assert_eq!(axis_column(name, false), format!("axis_{name}"));
        }
    }
}
