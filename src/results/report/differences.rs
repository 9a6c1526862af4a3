//! Values of an axis against one another: a line from the lower to the upper end of each difference.

use std::fmt::Write;

use super::escape::escape_markup;
use super::svg::{Anchor, Area, Picture, WIDTH, fit_text};
use super::text_table::note_more;
use crate::results::findings::Findings;
use crate::results::scale::format_percent;
use crate::results::statistics::contrast::Contrast;

/// More lines than this are for `summary.json`.
const MOST: usize = 40;

/// Room for the names on the left and the numbers on the right.
const NAMES: f64 = 300.0;
const NUMBERS: f64 = 260.0;

/// The section; empty if no two values can be compared.
pub fn render_section(findings: &Findings<'_>) -> String {
    let contrasts = findings.contrasts();
    if contrasts.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<section><h2>Differences</h2>\n<p>How much more of its episodes the first succeeds in than the second, over the \
         combos that both have episodes of, with the 95 % interval. Where both ran the same episodes these are held against \
         one another one by one (McNemar's mid-p, Tango's interval); else each combo is compared with its like and weighted by \
         episodes (Cochran, Mantel and Haenszel's test, Newcombe's interval). p is adjusted by Holm's method for all \
         comparisons along the axis; from .05 down chance alone hardly explains the difference.</p>\n",
    );
    html.push_str(&draw_differences(&contrasts[..contrasts.len().min(MOST)]));
    html.push_str(&note_more(contrasts.len(), MOST));
    html.push_str(&render_table(&contrasts[..contrasts.len().min(MOST)]));
    html.push_str("</section>\n");
    html
}

/// Builds the table of what was compared with what.
fn render_table(contrasts: &[Contrast]) -> String {
    let mut html = String::from(
        "<div class=\"wide\"><table class=\"designs\"><thead><tr><th class=\"text\">difference</th><th>points</th><th>p</th>\
         <th class=\"text\">held against one another</th></tr></thead><tbody>\n",
    );
    for contrast in contrasts {
        let difference = contrast.tested.difference;
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\" class=\"text\">{}</th><td>{} ({} to {})</td><td>{}</td><td class=\"text\">{}</td></tr>",
            escape_markup(&format!("{}: {} − {}", contrast.axis, contrast.first, contrast.second)),
            format_points(difference.value, 1),
            format_points(difference.low, 1),
            format_points(difference.high, 1),
            escape_markup(&contrast.tested.p_text()),
            escape_markup(&contrast.design_text()),
        );
    }
    html.push_str("</tbody></table></div>\n");
    html
}

fn draw_differences(contrasts: &[Contrast]) -> String {
    const STEP: f64 = 24.0;
    let bottom = 12.0 + STEP * contrasts.len() as f64;
    let mut picture = Picture::new(bottom + 36.0);
    let area = Area { x: NAMES, y: 12.0, width: WIDTH - NAMES - NUMBERS, height: bottom - 12.0 };
    let x = |difference: f64| area.x + area.width * (difference + 1.0) / 2.0;
    for tick in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        picture.line(if tick == 0.0 { "axis" } else { "grid" }, (x(tick), area.y), (x(tick), bottom));
        picture.text("label", (x(tick), bottom + 15.0), Anchor::Middle, &format_points(tick, 0));
    }
    picture.text(
        "unit",
        (area.x + area.width, bottom + 31.0),
        Anchor::End,
        "difference of success, percentage points",
    );
    for (number, contrast) in contrasts.iter().enumerate() {
        let y = area.y + STEP * (number as f64 + 0.5);
        let difference = contrast.tested.difference;
        let name = format!("{}: {} − {}", contrast.axis, contrast.first, contrast.second);
        let cells =
            format!("{} cells, {} and {} episodes", contrast.cells, contrast.episodes.0, contrast.episodes.1);
        let class = if contrast.tested.is_told_apart() { "told" } else { "untold" };
        picture.text(
            "label",
            (NAMES - 14.0, y + 4.0),
            Anchor::End,
            &fit_text(&name, NAMES - 20.0).unwrap_or_default(),
        );
        picture.line(&format!("interval {class}"), (x(difference.low), y), (x(difference.high), y));
        picture.dot(&format!("estimate {class}"), (x(difference.value), y), 4.0, &format!("{name}, {cells}"));
        let numbers = format!(
            "{}  ({} to {})  {}",
            format_points(difference.value, 1),
            format_points(difference.low, 1),
            format_points(difference.high, 1),
            contrast.tested.p_text()
        );
        picture.text("label", (WIDTH - NUMBERS + 14.0, y + 4.0), Anchor::Start, &numbers);
    }
    let shown =
        contrasts.first().map(|first| format_percent(first.tested.difference.value)).unwrap_or_default();
    picture.finish(&format!("Differences of success with their intervals; the first is {shown}"))
}

/// A difference in percentage points, with the sign that people write.
fn format_points(difference: f64, digits: usize) -> String {
    let points = format!("{:.digits$}", 100.0 * difference.abs());
    // What rounds to 0 has no sign.
    match points.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        true if difference < 0.0 => format!("−{points}"),
        true => format!("+{points}"),
        false => points,
    }
}
