//! A chart: lines over time, scaled to 0 to 1.

use jiff::Timestamp;
use ratatui::style::Style;

use crate::tui::model::course::Course;
use crate::tui::theme::file::Theme;

/// Moments and values.
pub(super) type Line = Vec<(Timestamp, f64)>;

/// Moments, and the least and the most of many values then.
pub(super) type Band = Vec<(Timestamp, (f64, f64))>;

/// One chart.
pub(super) struct Panel {
    /// What it shows.
    pub(super) title: String,
    /// Beside the title: the newest values, in the styles of their lines.
    pub(super) values: Vec<(String, Style)>,
    /// What its upper and its lower edge stand for.
    pub(super) labels: (String, String),
    /// Values of 0 to 1, below the lines.
    pub(super) band: Option<(Band, Style)>,
    /// Values of 0 to 1.
    pub(super) lines: Vec<(Line, Ink)>,
}

/// The colour of a line.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ink {
    /// One.
    Plain(Style),
    /// By value; the numbers are the parts of a limit at the lower and the upper edge.
    Grade(f64, f64),
    /// By value, of what has no limit to fear.
    Load(f64, f64),
}

impl Ink {
    /// The style at a height of 0 to 1.
    pub(super) fn at(self, height: f64, theme: &Theme) -> Style {
        match self {
            Self::Plain(style) => style,
            Self::Grade(low, high) => theme.grade(low + height * (high - low)),
            Self::Load(low, high) => theme.load(low + height * (high - low)),
        }
    }
}

/// The readings of which a value is known.
pub(super) fn points<T>(course: &Course<T>, part: impl Fn(&T) -> Option<f64>) -> Line {
    course.iter().filter_map(|(at, sample)| Some((*at, part(sample)?))).collect()
}
