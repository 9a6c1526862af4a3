//! One quantity over the time of a run: the least, the most and the mean of each column of a picture.

use jiff::Timestamp;

use super::grid::Grid;
use super::tally::ReadingStats;

/// A silence this many times as long as readings usually are apart is a gap, and no line is drawn over it.
const GAP: f64 = 5.0;

/// A quantity over the time of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    grid: Grid,
    columns: Vec<SeriesColumn>,
    /// Tally of all readings together.
    pub whole: ReadingStats,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct SeriesColumn {
    readings: ReadingStats,
    times: f64,
}

/// The readings of one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeriesPoint {
    /// Their mean time, in seconds from the start.
    pub seconds: f64,
    /// Smallest reading of the column.
    pub least: f64,
    /// Largest reading of the column.
    pub most: f64,
    /// Mean of the column's readings.
    pub mean: f64,
}

impl Series {
    /// Creates a series without readings.
    pub fn new(grid: Grid) -> Self {
        Self { grid, columns: vec![SeriesColumn::default(); grid.columns], whole: ReadingStats::default() }
    }

    /// Takes a reading into account, where there was one and it lies in the time of the picture.
    pub fn add_reading(&mut self, at: Timestamp, reading: Option<f64>) {
        self.whole.add_reading(reading);
        let (Some(reading), Some(column)) = (reading, self.grid.column_at(at)) else { return };
        self.columns[column].readings.add_reading(Some(reading));
        self.columns[column].times += self.grid.offset_seconds(at);
    }

    /// Nothing was ever read.
    pub fn is_empty(&self) -> bool {
        self.whole.count() == 0
    }

    /// The points in the order of time, separated where readings are missing.
    pub fn split_at_gaps(&self) -> Vec<Vec<SeriesPoint>> {
        let apart = GAP.max(GAP * self.grid.seconds / self.grid.columns as f64);
        let mut lines: Vec<Vec<SeriesPoint>> = Vec::new();
        for point in self.columns.iter().filter_map(SeriesColumn::point) {
            match lines.last_mut() {
                Some(line) if line.last().is_some_and(|last| point.seconds - last.seconds <= apart) => {
                    line.push(point)
                }
                Some(_) | None => lines.push(vec![point]),
            }
        }
        lines
    }
}

impl SeriesColumn {
    fn point(&self) -> Option<SeriesPoint> {
        Some(SeriesPoint {
            seconds: self.times / self.readings.count() as f64,
            least: self.readings.least()?,
            most: self.readings.peak()?,
            mean: self.readings.mean()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_day_becomes_few_points_and_keeps_its_extremes() {
        let mut series = Series::new(Grid::from_span(second(0), second(86_400)));
        for at in 0..86_400 {
            series.add_reading(second(at), Some(if at == 40_000 { 900.0 } else { f64::from(at as i32 % 7) }));
        }
        let lines = series.split_at_gaps();
        assert_eq!((lines.len(), lines[0].len()), (1, 480));
        assert_eq!(lines[0].iter().map(|point| point.most).fold(0.0, f64::max), 900.0);
        assert_eq!(series.whole.peak(), Some(900.0));
    }

    #[test]
    fn no_line_is_drawn_over_a_silence() {
        let mut series = Series::new(Grid::from_span(second(0), second(100)));
        for at in (0..20).chain(60..100) {
            series.add_reading(second(at), Some(1.0));
        }
        series.add_reading(second(99), None);
        let lines = series.split_at_gaps();
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [20, 40]);
        assert!(Series::new(Grid::from_span(second(0), second(0))).split_at_gaps().is_empty());
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_invented(length in 1_i64..5000, readings in vec((0_i64..5000, -50.0..50.0), 1..200)) {
            let mut series = Series::new(Grid::from_span(second(0), second(length)));
            let mut inside = Vec::new();
            for (at, reading) in &readings {
                series.add_reading(second(*at), Some(*reading));
                if *at <= length {
                    inside.push(*reading);
                }
            }
            let points: Vec<SeriesPoint> = series.split_at_gaps().concat();
            prop_assert!(points.len() <= 480);
            prop_assert!(points.windows(2).all(|pair| pair[0].seconds < pair[1].seconds));
            prop_assert_eq!(points.iter().map(|point| point.most).reduce(f64::max), inside.iter().copied().reduce(f64::max));
            prop_assert_eq!(points.iter().map(|point| point.least).reduce(f64::min), inside.iter().copied().reduce(f64::min));
        }
    }
}
