//! Metrics of two values of an axis: how often a run of the one has more than a run of the other.

use super::template::{Section, values};
use crate::model::units::or_unknown;
use crate::results::findings::Findings;
use crate::results::scale::format_percent;
use crate::results::statistics::improvement::{Improvement, compute_improvements};

/// More rows than this are in `summary.json`.
pub const MOST: usize = 40;

/// The heads of the table in every face.
pub const HEADS: [&str; 6] = ["metric", "first", "second", "P(first > second)", "tasks", "runs"];

/// How the figures are to be read.
const TEXT: &str = "How often a run of the first has a larger value than a run of the second, in the mean over the tasks that \
     both have; equal ones count half, so that 50 % is no difference. Whether larger is better, the metric says. The interval \
     is that of a bootstrap, where every task has 5 runs of both.";

/// Returns the section; `None` without metrics of two values.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let all = compute_improvements(findings.records.plan, &findings.outcomes);
    let rows: Vec<_> = all.iter().take(MOST).map(improvement_cells).collect();
    let values = values! { text => TEXT, class => "text", heads => HEADS, rows, more => all.len().saturating_sub(MOST) };
    (!all.is_empty()).then(|| Section::new("Metrics compared", "rows", values))
}

/// The cells of a row, in the order of [`HEADS`].
pub fn improvement_cells(improvement: &Improvement) -> [String; 6] {
    let Improvement { axis, first, second, metric, tasks, runs, probability, interval, early_stop } =
        improvement;
    let interval = or_unknown(*interval, |interval| {
        format!("[{:.0}, {:.0}]", 100.0 * interval.low, 100.0 * interval.high)
    });
    let early = early_stop.suffix();
    [
        metric.clone(),
        format!("{axis} {first}"),
        second.clone(),
        format!("{} {interval}{early}", format_percent(*probability)),
        tasks.to_string(),
        format!("{} and {}", runs.0, runs.1),
    ]
}
