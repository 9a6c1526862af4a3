//! Metrics of the episodes that a run shares with the first, compared pair by pair.

use super::compared::Compared;
use crate::results::scale::format_short;
use crate::results::statistics::paired::paired_metric::PairedMetric;

/// The heads of the table.
pub const HEADS: [&str; 6] = ["metric", "run", "mean", "mean of A", "run − A", "episodes"];

/// Note that explains what the numbers are.
pub const NOTE: &str = "metrics of the same episodes; run − A is the mean of the differences episode by episode, with the 95 % \
                        interval of a paired bootstrap; each interval stands for itself";

/// Returns a row for each metric of each run.
pub fn metric_rows(compared: &Compared<'_>) -> Vec<[String; 6]> {
    let of_run = |(place, label): (usize, String)| {
        compared.paired_metrics(place).iter().map(move |one| metric_row(one, &label)).collect::<Vec<_>>()
    };
    compared.other_sides().map(|(place, side)| (place, side.label.clone())).flat_map(of_run).collect()
}

fn metric_row(one: &PairedMetric, label: &str) -> [String; 6] {
    [
        one.metric.clone(),
        label.to_owned(),
        format_short(one.means.0),
        format_short(one.means.1),
        one.difference_text(),
        one.pairs_text(),
    ]
}
