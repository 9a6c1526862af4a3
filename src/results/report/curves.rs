//! How far each attempt had come at which moment.

use super::pictures::svg::Picture;
use super::pictures::time_axis::{BELOW, TimePlot, label_time};
use super::template::{Section, values};
use super::timeline::describe_attempt;
use crate::model::logs::mark::{Mark, MarkKind};
use crate::model::outcome::Progress;
use crate::results::findings::Findings;
use jiff::Timestamp;

/// More points than this on one curve cannot be distinguished.
const MOST_POINTS: usize = 64;

/// Progress of one attempt over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    points: Vec<(Timestamp, Progress)>,
}

impl Curve {
    /// Takes the marks of an attempt in their order.
    pub fn from_marks(marks: &[Mark]) -> Self {
        let points = marks.iter().filter_map(|mark| {
            if let MarkKind::Progress(progress) = &mark.kind { Some((mark.at, *progress)) } else { None }
        });
        let points: Vec<(Timestamp, Progress)> = points.collect();
        let every = points.len().div_ceil(MOST_POINTS).max(1);
        let last = points.len().saturating_sub(1);
        let kept = points.iter().enumerate().filter(|(number, _)| number % every == 0 || *number == last);
        Self { points: kept.map(|(_, point)| *point).collect() }
    }
}

/// The section; `curves` are those of the attempts, in their order.
pub fn render_section(findings: &Findings<'_>, curves: &[Curve]) -> Section {
    let is_drawn = curves.iter().any(|curve| curve.points.iter().any(is_measured));
    let picture = is_drawn.then(|| draw_curves(findings, curves));
    Section::new("Progress", "curves", values! { picture })
}

fn draw_curves(findings: &Findings<'_>, curves: &[Curve]) -> String {
    const HEIGHT: f64 = 220.0;
    let grid = findings.measured.grid;
    let mut picture = Picture::new(24.0 + HEIGHT + BELOW);
    let plot = TimePlot::new(&mut picture, grid, (24.0, HEIGHT), 100.0, "done, %");
    label_time(&mut picture, &grid, 24.0 + HEIGHT);
    for (attempt, curve) in findings.attempts.iter().zip(curves) {
        let mut points = vec![(plot.x(grid.offset_seconds(attempt.from)), plot.y(0.0))];
        let read = curve.points.iter().filter_map(|(at, progress)| {
            Some((plot.x(grid.offset_seconds(*at)), plot.y(100.0 * progress.fraction()?)))
        });
        points.extend(read);
        if points.len() > 1 {
            let (class, word) = describe_attempt(attempt);
            let told =
                format!("{}, attempt {}: {word}", findings.outcomes[attempt.shard].id(), attempt.number);
            picture.path(&format!("curve {class}"), &points, &told);
        }
    }
    picture.finish("Progress of each attempt over time")
}

fn is_measured((_, progress): &(Timestamp, Progress)) -> bool {
    progress.fraction().is_some()
}
