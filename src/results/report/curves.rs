//! How far each attempt had come at which moment.

use jiff::Timestamp;

use super::svg::Picture;
use super::time_axis::{BELOW, TimePlot, label_time};
use super::timeline::describe_attempt;
use crate::model::logs::mark::{Mark, MarkKind};
use crate::model::outcome::Progress;
use crate::results::findings::Findings;

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
pub fn render_section(findings: &Findings<'_>, curves: &[Curve]) -> String {
    let mut html = String::from("<section><h2>Progress</h2>\n");
    let drawn: usize = curves.iter().filter(|curve| curve.points.iter().any(is_measured)).count();
    if drawn == 0 {
        html.push_str(
            "<p class=\"absent\">No log has told how much of how much was done, so there is no curve to draw.</p></section>\n",
        );
        return html;
    }
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
    html.push_str(
        "<p>One curve an attempt, in the colour of how it ended; where it is flat, it waited or hung.</p>\n",
    );
    html.push_str(&picture.finish("Progress of each attempt over time"));
    html.push_str("</section>\n");
    html
}

fn is_measured((_, progress): &(Timestamp, Progress)) -> bool {
    progress.fraction().is_some()
}
