//! The time axis that pictures share, and the frame of a plot over it.

use super::svg::{Anchor, Area, Picture, WIDTH};
use crate::results::measured::grid::Grid;
use crate::results::measured::series::{Series, SeriesPoint};
use crate::results::scale::{format_short, round_ticks, time_ticks};

/// Room for labels left of every plot, so that the pictures line up exactly below one another.
pub const LEFT: f64 = 72.0;

/// Room right of it.
const RIGHT: f64 = 14.0;

/// Room for labels below.
pub const BELOW: f64 = 36.0;

/// A plot of one quantity over the time of the run.
#[derive(Debug, Clone, Copy)]
pub struct TimePlot {
    /// Area in which the quantity is drawn.
    pub area: Area,
    grid: Grid,
    top: f64,
}

/// The x of a moment, in seconds from the start.
pub fn x_of(grid: &Grid, seconds: f64) -> f64 {
    let width = WIDTH - LEFT - RIGHT;
    LEFT + width * (seconds / grid.seconds).clamp(0.0, 1.0)
}

/// Lines at round moments between two heights.
pub fn draw_moments(picture: &mut Picture, grid: &Grid, top: f64, bottom: f64) {
    for (at, _) in time_ticks(grid.seconds) {
        let x = x_of(grid, at);
        picture.line("grid", (x, top), (x, bottom));
    }
}

/// Labels of the time axis below `y`.
pub fn label_time(picture: &mut Picture, grid: &Grid, y: f64) {
    for (at, label) in time_ticks(grid.seconds) {
        picture.text("label", (x_of(grid, at), y + 15.0), Anchor::Middle, &label);
    }
    picture.text("unit", (WIDTH - RIGHT, y + 31.0), Anchor::End, "time since the start of the run");
}

impl TimePlot {
    /// A plot at that height of the picture, from 0 to at least `most`, with lines and labels at round numbers.
    pub fn new(picture: &mut Picture, grid: Grid, (y, height): (f64, f64), most: f64, unit: &str) -> Self {
        let area = Area { x: LEFT, y, width: WIDTH - LEFT - RIGHT, height };
        let marks = round_ticks(most, (height / 40.0).max(2.0) as usize);
        let plot = Self { area, grid, top: marks.last().copied().unwrap_or(1.0) };
        draw_moments(picture, &grid, y, y + height);
        for mark in &marks {
            let y = plot.y(*mark);
            picture.line("grid", (LEFT, y), (LEFT + area.width, y));
            picture.text("label", (LEFT - 6.0, y + 4.0), Anchor::End, &format_short(*mark));
        }
        picture.text("unit", (LEFT, y - 7.0), Anchor::Start, unit);
        plot
    }

    /// The x of a moment, in seconds from the start.
    pub fn x(&self, seconds: f64) -> f64 {
        x_of(&self.grid, seconds)
    }

    /// The y of a quantity.
    pub fn y(&self, quantity: f64) -> f64 {
        self.area.y + self.area.height * (1.0 - (quantity / self.top).clamp(0.0, 1.0))
    }

    /// A line of the mean in a band from the least to the most; `factor` turns the quantity into the unit of the plot.
    pub fn draw_series(&self, picture: &mut Picture, class: &str, series: &Series, factor: f64) {
        for line in series.split_at_gaps() {
            let at = |point: &SeriesPoint, quantity: f64| (self.x(point.seconds), self.y(quantity * factor));
            if let [point] = line.as_slice() {
                picture.dot(&format!("dot {class}"), at(point, point.mean), 1.5, "");
                continue;
            }
            let mut band: Vec<(f64, f64)> = line.iter().map(|point| at(point, point.most)).collect();
            band.extend(line.iter().rev().map(|point| at(point, point.least)));
            picture.path(&format!("band {class}"), &band, "");
            let mean: Vec<(f64, f64)> = line.iter().map(|point| at(point, point.mean)).collect();
            picture.path(&format!("line {class}"), &mean, "");
        }
    }

    /// A level across the whole plot, with its name.
    pub fn draw_level(&self, picture: &mut Picture, quantity: f64, name: &str) {
        let y = self.y(quantity);
        picture.line("level", (self.area.x, y), (self.area.x + self.area.width, y));
        picture.text("level-name", (self.area.x + self.area.width - 4.0, y - 4.0), Anchor::End, name);
    }
}
