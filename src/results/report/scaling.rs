//! Throughput over a number on an axis: the curve, its knee, and which results do not count.

use std::time::Duration;

use minijinja::Value;

use super::pictures::svg::{Anchor, Area, LETTER, Picture, WIDTH};
use super::template::{Section, values};
use crate::model::step_count::StepCount;
use crate::model::sweep::plan::Plan;
use crate::model::units::{UNKNOWN, format_duration};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::scale::{format_bytes, format_short, round_ticks};
use crate::results::statistics::scaling::{Scaling, ScalingPoint, ThroughputUnit};

/// More curves than this are for `summary.json`.
pub const MOST: usize = 8;

/// From this ratio of the largest to the smallest number on, equal steps are doublings.
const WIDE: f64 = 10.0;

/// Returns the section; `None` if no axis of numbers has a throughput.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let (all, plan) = (findings.scalings(), findings.records.plan);
    let curves = all.iter().take(MOST).map(|scaling| describe_curve(scaling, plan)).collect::<Vec<_>>();
    let steps = plan.results.steps.iter().map(ToString::to_string).collect::<Vec<_>>();
    let values = values! { curves, steps, more => all.len().saturating_sub(MOST) };
    (!all.is_empty()).then(|| Section::new("Scaling", "scaling", values))
}

fn describe_curve(scaling: &Scaling, plan: &Plan) -> Value {
    let row =
        |point: &ScalingPoint| (point_cells(scaling.unit, point, &plan.results.steps), point.invalid.clone());
    values! {
        title => scaling_title(scaling, &plan.axes), axis => scaling.axis, unit => scaling.unit.as_str(),
        knee => scaling.knee, last_valid => scaling.last_valid, picture => draw_curve(scaling),
        has_invalid => scaling.points.iter().any(|point| point.invalid.is_some()),
        lacks_power => scaling.points.iter().any(|point| point.per_watt.is_none()),
        rows => scaling.points.iter().map(row).collect::<Vec<_>>(),
    }
}

/// `num_envs, policy flat`: the axis, and which values the others have.
pub fn scaling_title(scaling: &Scaling, axes: &[String]) -> String {
    let others = axes.iter().filter(|axis| **axis != scaling.axis && !axes::is_seed(axis));
    let named = others.zip(&scaling.others).map(|(axis, value)| format!(", {axis} {value}"));
    std::iter::once(scaling.axis.clone()).chain(named).collect()
}

fn draw_curve(scaling: &Scaling) -> String {
    let area = Area { x: 90.0, y: 24.0, width: WIDTH - 120.0, height: 240.0 };
    let (first, last) = match scaling.points.as_slice() {
        [first, .., last] => (first.number, last.number),
        [] | [_] => return String::new(),
    };
    let doublings = first > 0.0 && last / first >= WIDE;
    let along = |number: f64| if doublings { number.ln() } else { number };
    // The ends keep off the edges, so that their marks are seen whole.
    let x = |number: f64| {
        area.x + 20.0 + (area.width - 40.0) * (along(number) - along(first)) / (along(last) - along(first))
    };
    let most = scaling.points.iter().map(|point| point.throughput).fold(0.0, f64::max);
    let marks = round_ticks(most, 5);
    let top = marks.last().copied().unwrap_or(1.0);
    let y = |speed: f64| area.y + area.height * (1.0 - (speed / top).clamp(0.0, 1.0));
    let bottom = area.y + area.height;
    let mut picture = Picture::new(bottom + 40.0);
    for mark in marks {
        picture.line("grid", (area.x, y(mark)), (area.x + area.width, y(mark)));
        picture.text("label", (area.x - 6.0, y(mark) + 4.0), Anchor::End, &format_short(mark));
    }
    let unit = format!("throughput, {}", scaling.unit.as_str());
    picture.text("unit", (area.x, area.y - 8.0), Anchor::Start, &unit);
    let unit = if doublings { format!("{} (logarithmic)", scaling.axis) } else { scaling.axis.clone() };
    picture.text("unit", (area.x + area.width, bottom + 34.0), Anchor::End, &unit);
    let mut free = 0.0;
    for point in &scaling.points {
        // A label that would lie on the one before is left out; its point is in the table.
        let (at, label) = (x(point.number), format_short(point.number));
        let half = label.len() as f64 * LETTER / 2.0;
        if at - half >= free {
            picture.text("label", (at, bottom + 16.0), Anchor::Middle, &label);
            free = at + half + LETTER;
        }
    }
    if let Some(knee) = scaling.knee {
        picture.line("level", (x(knee), area.y), (x(knee), bottom));
        picture.text("level-name", (x(knee) + 5.0, bottom - 6.0), Anchor::Start, "knee");
    }
    let valid = scaling.points.iter().filter(|point| point.invalid.is_none());
    let course: Vec<(f64, f64)> = valid.map(|point| (x(point.number), y(point.throughput))).collect();
    picture.path("line s0", &course, "");
    for point in &scaling.points {
        draw_point(&mut picture, scaling.unit, point, (x(point.number), y(point.throughput)));
    }
    picture.finish(&format!("{} over {}", scaling.unit.as_str(), scaling.axis))
}

fn draw_point(picture: &mut Picture, unit: ThroughputUnit, point: &ScalingPoint, (x, y): (f64, f64)) {
    match &point.invalid {
        None => picture.dot(
            "dot s0",
            (x, y),
            4.0,
            // Under the pointer is every digit.
            &format!("{}: {} {}", point.number, point.throughput, unit.as_str()),
        ),
        Some(why) => {
            picture.dot("hollow", (x, y), 6.0, why);
            picture.line("cross", (x - 4.0, y - 4.0), (x + 4.0, y + 4.0));
            picture.line("cross", (x - 4.0, y + 4.0), (x + 4.0, y - 4.0));
        }
    }
}

/// The figures of a point as texts: those of the table's columns, in their order.
pub fn point_cells(unit: ThroughputUnit, point: &ScalingPoint, steps: &[StepCount]) -> Vec<String> {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let time = |count: &StepCount| {
        let seconds = unit.seconds_for(*count, point.throughput).map(Duration::try_from_secs_f64);
        or_unknown(seconds.and_then(Result::ok).map(format_duration))
    };
    let figures = [
        format_short(point.number),
        format_short(point.throughput),
        or_unknown(point.speed_up.map(|times| format!("{times:.2}×"))),
        or_unknown(point.per_watt.map(format_short)),
        or_unknown(point.peak_vram.map(format_bytes)),
    ];
    figures.into_iter().chain(steps.iter().map(time)).collect()
}
