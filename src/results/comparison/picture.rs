//! The differences of one run to the first: a line from the lower to the upper end for each combo, and one for all.

use super::compared::Compared;
use super::text::format_difference;
use crate::results::report::pictures::difference_plot::{PlotLine, draw_differences};
use crate::results::statistics::tested_difference::TestedDifference;

/// More lines than this are for the table.
const MOST: usize = 60;

/// Room for the figures of a line.
const FIGURES: f64 = 210.0;

/// The picture; `None` if no combo has rates on both sides.
pub fn draw_run_differences(compared: &Compared<'_>, place: usize) -> Option<String> {
    let line = |name: String, tested: TestedDifference| {
        let figures = format_difference(Some(tested));
        PlotLine { hint: format!("{name}: {figures}"), name, tested, figures }
    };
    let combos = compared.combos.iter();
    let tested = combos.filter_map(|combo| Some(line(combo.name(), combo.tested.get(place).copied()??)));
    let mut lines: Vec<PlotLine> = tested.take(MOST).collect();
    lines.push(line("all, like with like".to_owned(), compared.overall_difference(place)?));
    let label = compared.sides.get(place).map_or("", |side| &side.label);
    let unit = format!("success in {label} less success in A, percentage points");
    let shows = format!("Differences of success between {label} and A, with their intervals");
    Some(draw_differences(&lines, &unit, FIGURES, &shows))
}
