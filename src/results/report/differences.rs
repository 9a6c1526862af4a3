//! Values of an axis against one another: a line from the lower to the upper end of each difference.

use super::pictures::difference_plot::{PlotLine, draw_differences, format_points};
use super::template::{Section, values};
use crate::results::findings::Findings;
use crate::results::scale::format_percent;
use crate::results::statistics::contrast::Contrast;

/// More lines than this are for `summary.json`.
const MOST: usize = 40;

/// Room for the figures of a line.
const FIGURES: f64 = 260.0;

/// Returns the section; `None` if no two values can be compared.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let all = findings.contrasts();
    let largest = format_percent(all.first()?.tested.difference.value);
    let shown = &all[..all.len().min(MOST)];
    let lines: Vec<PlotLine> = shown.iter().map(plot_line).collect();
    let unit = "difference of success, percentage points";
    let shows = format!("Differences of success with their intervals; the first is {largest}");
    let row = |contrast: &Contrast| {
        [name_of(contrast), format_points_of(contrast), contrast.tested.p_text(), contrast.design_text()]
    };
    let values = values! {
        picture => draw_differences(&lines, unit, FIGURES, &shows),
        rows => shown.iter().map(row).collect::<Vec<_>>(),
        more => all.len() - shown.len(),
    };
    Some(Section::new("Differences", "differences", values))
}

fn plot_line(contrast: &Contrast) -> PlotLine {
    let (name, episodes) = (name_of(contrast), contrast.episodes);
    PlotLine {
        hint: format!("{name}, {} cells, {} and {} episodes", contrast.cells, episodes.0, episodes.1),
        name,
        tested: contrast.tested,
        figures: format!("{}  {}", format_points_of(contrast), contrast.tested.p_text()),
    }
}

fn name_of(contrast: &Contrast) -> String {
    format!("{}: {} − {}", contrast.axis, contrast.first, contrast.second)
}

/// The difference with its interval, in percentage points.
fn format_points_of(contrast: &Contrast) -> String {
    let difference = contrast.tested.difference;
    let [value, low, high] =
        [difference.value, difference.low, difference.high].map(|part| format_points(part, 1));
    format!("{value} ({low} to {high})")
}
