//! A chart: lines over time, scaled to 0 to 1.

use jiff::Timestamp;
use ratatui::style::Style;

use crate::tui::model::time_series::TimeSeries;
use crate::tui::theme::file::Theme;

/// Points of a line, each a moment and a value.
pub(in crate::tui::view) type Line = Vec<(Timestamp, f64)>;

/// Moments, and the least and the most of many values then.
pub(in crate::tui::view) type Band = Vec<(Timestamp, (f64, f64))>;

/// A chart with its title and its lines.
pub(in crate::tui::view) struct ChartPanel {
    /// Name of the measure that is shown.
    pub(in crate::tui::view) title: String,
    /// The newest values, shown next to the title in the styles of their lines.
    pub(in crate::tui::view) values: Vec<(String, Style)>,
    /// Labels of the upper and the lower edge.
    pub(in crate::tui::view) labels: (String, String),
    /// Values of 0 to 1, below the lines.
    pub(in crate::tui::view) band: Option<(Band, Style)>,
    /// Values of 0 to 1.
    pub(in crate::tui::view) lines: Vec<(Line, Ink)>,
}

/// The colour of a line.
#[derive(Debug, Clone, Copy)]
pub(in crate::tui::view) enum Ink {
    /// The same style for every value.
    Plain(Style),
    /// By value; the numbers are the parts of a limit at the lower and the upper edge.
    Grade(f64, f64),
    /// By value, of what has no limit to fear.
    Load(f64, f64),
}

impl Ink {
    /// The style at a height of 0 to 1.
    pub(in crate::tui::view) fn style_at(self, height: f64, theme: &Theme) -> Style {
        match self {
            Self::Plain(style) => style,
            Self::Grade(low, high) => theme.grade_style(low + height * (high - low)),
            Self::Load(low, high) => theme.load_style(low + height * (high - low)),
        }
    }
}

/// The readings of which a value is known.
pub(in crate::tui::view) fn known_points<T>(
    course: &TimeSeries<T>,
    part: impl Fn(&T) -> Option<f64>,
) -> Line {
    course.iter().filter_map(|(at, sample)| Some((*at, part(sample)?))).collect()
}
