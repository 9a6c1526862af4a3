//! The time of a run cut into as many columns as a picture can show.

use jiff::Timestamp;

/// A picture is about twice as many pixels wide; finer columns would not be seen.
const MOST: usize = 480;

/// Columns of equal length over the time of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Time at which the first column begins.
    pub begin: Timestamp,
    /// Seconds from there to the end of the last.
    pub seconds: f64,
    /// Number of columns in the grid.
    pub columns: usize,
}

impl Grid {
    /// Over that time. Readings come once a second, so no column is shorter.
    pub fn from_span(begin: Timestamp, end: Timestamp) -> Self {
        let seconds = end.duration_since(begin).as_secs_f64().max(1.0);
        Self { begin, seconds, columns: (seconds.ceil() as usize).clamp(1, MOST) }
    }

    /// Seconds from the start to that moment.
    pub fn offset_seconds(&self, at: Timestamp) -> f64 {
        at.duration_since(self.begin).as_secs_f64()
    }

    /// The column of a moment, where it lies in one.
    pub fn column_at(&self, at: Timestamp) -> Option<usize> {
        let part = self.offset_seconds(at) / self.seconds;
        // The last reading of a run is often made in the very moment of its end.
        (0.0..=1.0).contains(&part).then(|| ((part * self.columns as f64) as usize).min(self.columns - 1))
    }

    /// Returns where a column begins, in seconds.
    pub fn start_of(&self, column: usize) -> f64 {
        self.seconds * column as f64 / self.columns as f64
    }
}
