//! The differences of one run to the first: a line from the lower to the upper end for each combo, and one for all.

use super::compared::Compared;
use super::text::format_difference;
use crate::results::report::svg::{Anchor, Area, Picture, WIDTH, fit_text};
use crate::results::statistics::tested_difference::TestedDifference;

/// More lines than this are for the table.
const MOST: usize = 60;

/// Room for the names on the left and the numbers on the right.
const NAMES: f64 = 300.0;
const NUMBERS: f64 = 210.0;
const STEP: f64 = 24.0;

/// The picture; `None` if no combo has rates on both sides.
pub fn draw_differences(compared: &Compared<'_>, place: usize) -> Option<String> {
    let mut lines: Vec<(String, TestedDifference)> = compared
        .combos
        .iter()
        .filter_map(|combo| Some((combo.name(), combo.tested.get(place).copied()??)))
        .take(MOST)
        .collect();
    lines.push(("all, like with like".to_owned(), compared.overall_difference(place)?));
    let bottom = 12.0 + STEP * lines.len() as f64;
    let area = Area { x: NAMES, y: 12.0, width: WIDTH - NAMES - NUMBERS, height: bottom - 12.0 };
    let x = |difference: f64| area.x + area.width * (difference + 1.0) / 2.0;
    let mut picture = Picture::new(bottom + 36.0);
    for tick in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        picture.line(if tick == 0.0 { "axis" } else { "grid" }, (x(tick), area.y), (x(tick), bottom));
        let label =
            if tick == 0.0 { "0".to_owned() } else { format!("{:+.0}", 100.0 * tick).replace('-', "−") };
        picture.text("label", (x(tick), bottom + 15.0), Anchor::Middle, &label);
    }
    let label = compared.sides.get(place).map_or("", |side| &side.label);
    let unit = format!("success in {label} less success in A, percentage points");
    picture.text("unit", (area.x + area.width, bottom + 31.0), Anchor::End, &unit);
    for (number, (name, tested)) in lines.iter().enumerate() {
        draw_difference(&mut picture, area.y + STEP * (number as f64 + 0.5), name, *tested, &x);
    }
    Some(picture.finish(&format!("Differences of success between {label} and A, with their intervals")))
}

fn draw_difference(
    picture: &mut Picture,
    y: f64,
    name: &str,
    tested: TestedDifference,
    x: &dyn Fn(f64) -> f64,
) {
    let difference = tested.difference;
    let class = if tested.is_told_apart() { "told" } else { "untold" };
    let shown = fit_text(name, NAMES - 20.0).unwrap_or_default();
    let numbers = format_difference(Some(tested));
    picture.text("label", (NAMES - 14.0, y + 4.0), Anchor::End, &shown);
    picture.line(&format!("interval {class}"), (x(difference.low), y), (x(difference.high), y));
    picture.dot(&format!("estimate {class}"), (x(difference.value), y), 4.0, &format!("{name}: {numbers}"));
    picture.text("label", (WIDTH - NUMBERS + 14.0, y + 4.0), Anchor::Start, &numbers);
}
