//! Metrics of the same episodes of two values of an axis, compared pair by pair.

use super::improvements::MOST;
use super::template::{Section, values};
use crate::results::findings::Findings;
use crate::results::scale::format_short;
use crate::results::statistics::paired::paired_metric::{AxisMetric, LEAST_PAIRS};

/// The heads of the table in every face.
pub const HEADS: [&str; 7] =
    ["metric", "first", "second", "mean of the first", "of the second", "first − second", "episodes"];

/// Returns the section; `None` where no two values report a metric of the same episodes.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let all = findings.paired_metrics();
    let text = format!(
        "Means over the episodes that both ran, and the mean of the differences episode by episode with its 95 % interval: a \
         paired bootstrap of {LEAST_PAIRS} pairs and more, widened as Student's t is for few. Each interval stands for itself, \
         however many there are. Whether larger is better, the metric says.",
    );
    let rows: Vec<_> = all.iter().take(MOST).map(metric_cells).collect();
    let values =
        values! { text, class => "text", heads => HEADS, rows, more => all.len().saturating_sub(MOST) };
    (!all.is_empty()).then(|| Section::new("Metrics of the same episodes", "rows", values))
}

/// The cells of a row, in the order of [`HEADS`].
fn metric_cells(one: &AxisMetric) -> [String; 7] {
    let AxisMetric { axis, first, second, paired } = one;
    [
        paired.metric.clone(),
        format!("{axis} {first}"),
        second.clone(),
        format_short(paired.means.0),
        format_short(paired.means.1),
        paired.difference_text(),
        paired.pairs_text(),
    ]
}
