//! Differences of success in a picture: a line from the lower to the upper end of each, and its figures beside it.

use super::svg::{Anchor, Area, Picture, WIDTH, fit_text};
use crate::results::statistics::tested_difference::TestedDifference;

/// Room for the names on the left.
const NAMES: f64 = 300.0;

/// From one line to the next.
const STEP: f64 = 24.0;

/// A line of the picture.
#[derive(Debug)]
pub struct PlotLine {
    /// Name to the left of the line.
    pub name: String,
    /// Text that comes up under the pointer.
    pub hint: String,
    /// Difference that is drawn.
    pub tested: TestedDifference,
    /// Figures to the right of the line.
    pub figures: String,
}

/// Draws the lines one below the other. `unit` names the axis, `room` is kept for the figures, `shows` describes the
/// picture to those who do not see it.
pub fn draw_differences(lines: &[PlotLine], unit: &str, room: f64, shows: &str) -> String {
    let bottom = 12.0 + STEP * lines.len() as f64;
    let mut picture = Picture::new(bottom + 36.0);
    let area = Area { x: NAMES, y: 12.0, width: WIDTH - NAMES - room, height: bottom - 12.0 };
    let x = |difference: f64| area.x + area.width * (difference + 1.0) / 2.0;
    for tick in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        picture.line(if tick == 0.0 { "axis" } else { "grid" }, (x(tick), area.y), (x(tick), bottom));
        picture.text("label", (x(tick), bottom + 15.0), Anchor::Middle, &format_points(tick, 0));
    }
    picture.text("unit", (area.x + area.width, bottom + 31.0), Anchor::End, unit);
    for (number, PlotLine { name, hint, tested, figures }) in lines.iter().enumerate() {
        let y = area.y + STEP * (number as f64 + 0.5);
        let difference = tested.difference;
        let class = if tested.is_told_apart() { "told" } else { "untold" };
        let shown = fit_text(name, NAMES - 20.0).unwrap_or_default();
        picture.text("label", (NAMES - 14.0, y + 4.0), Anchor::End, &shown);
        picture.line(&format!("interval {class}"), (x(difference.low), y), (x(difference.high), y));
        picture.dot(&format!("estimate {class}"), (x(difference.value), y), 4.0, hint);
        picture.text("label", (WIDTH - room + 14.0, y + 4.0), Anchor::Start, figures);
    }
    picture.finish(shows)
}

/// A difference in percentage points, with the sign that people write.
pub fn format_points(difference: f64, digits: usize) -> String {
    let points = format!("{:.digits$}", 100.0 * difference.abs());
    // What rounds to 0 has no sign.
    match points.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        true if difference < 0.0 => format!("−{points}"),
        true => format!("+{points}"),
        false => points,
    }
}
