//! A grid of dots finer than cells: lines of charts are drawn into it, then it is written to the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Dots of a cell of the Braille block by column and row.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Without dots, a cell is part of a line or only of an area.
const LINE: u32 = 1;
const SHADE: u32 = 2;

/// The grid; each cell has one style, that of the last line through it.
#[derive(Debug)]
pub struct DotGrid {
    width: u16,
    height: u16,
    braille: bool,
    cells: Vec<(u32, Style)>,
}

impl DotGrid {
    /// An empty grid over so many cells.
    pub fn new(width: u16, height: u16, braille: bool) -> Self {
        let cells = vec![(0, Style::new()); usize::from(width) * usize::from(height)];
        Self { width, height, braille, cells }
    }

    /// Draws a light area between two lines: points of 0 to 1, each with its least and its most.
    pub fn draw_band(&mut self, points: impl IntoIterator<Item = (f64, (f64, f64))>, style: Style) {
        let (columns, rows) = self.size_in_dots();
        if columns == 0 || rows == 0 {
            return;
        }
        let across = |x: f64| x.clamp(0.0, 1.0) * f64::from(columns - 1);
        let down = |y: f64| (1.0 - y.clamp(0.0, 1.0)) * f64::from(rows - 1);
        let mut before: Option<(f64, (f64, f64))> = None;
        for (x, (least, most)) in points {
            let point = (across(x), (down(least), down(most)));
            let (from, (bottom, top)) = before.unwrap_or(point);
            for column in from.round() as i32..=point.0.round() as i32 {
                let part = (f64::from(column) - from) / (point.0 - from).max(1.0);
                let between =
                    |one: f64, other: f64| (one + part.clamp(0.0, 1.0) * (other - one)).round() as i32;
                for row in between(top, point.1.1)..=between(bottom, point.1.0) {
                    // Every second dot, so that lines in it are seen.
                    if (column + row) % 2 == 0 {
                        self.set_dot((column, row), SHADE, style);
                    }
                }
            }
            before = Some(point);
        }
    }

    /// Draws a line between points of 0 to 1 in both directions, y upwards, each part in the style of its height.
    pub fn draw_line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, style: impl Fn(f64) -> Style) {
        let (columns, rows) = self.size_in_dots();
        if columns == 0 || rows == 0 {
            return;
        }
        let place = |(x, y): (f64, f64)| {
            let across = (x.clamp(0.0, 1.0) * f64::from(columns - 1)).round() as i32;
            let down = ((1.0 - y.clamp(0.0, 1.0)) * f64::from(rows - 1)).round() as i32;
            (across, down)
        };
        let mut before: Option<(i32, i32)> = None;
        for point in points {
            let point = place(point);
            match before {
                Some(before) if before != point => self.connect_points(before, point, &style),
                Some(_) => {}
                None => self.draw_point(point, &style),
            }
            before = Some(point);
        }
    }

    fn size_in_dots(&self) -> (u16, u16) {
        if self.braille { (self.width * 2, self.height * 4) } else { (self.width, self.height) }
    }

    fn connect_points(&mut self, from: (i32, i32), to: (i32, i32), style: &impl Fn(f64) -> Style) {
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let steps = across.abs().max(down.abs()).max(1);
        for step in 0..=steps {
            let part = |whole: i32| (f64::from(whole) * f64::from(step) / f64::from(steps)).round() as i32;
            self.draw_point((from.0 + part(across), from.1 + part(down)), style);
        }
    }

    fn draw_point(&mut self, point: (i32, i32), style: &impl Fn(f64) -> Style) {
        let height = 1.0 - f64::from(point.1) / f64::from(self.size_in_dots().1.saturating_sub(1).max(1));
        self.set_dot(point, LINE, style(height));
    }

    fn set_dot(&mut self, (across, down): (i32, i32), sign: u32, style: Style) {
        let (Ok(across), Ok(down)) = (usize::try_from(across), usize::try_from(down)) else { return };
        let (column, row) = if self.braille { (across / 2, down / 4) } else { (across, down) };
        let dot = if self.braille { DOTS[across % 2][down % 4] } else { sign };
        if let Some(cell) = self.cells.get_mut(row * usize::from(self.width) + column) {
            *cell = (cell.0 | dot, style);
        }
    }

    /// Writes the dots to the screen; empty cells keep what is there.
    pub fn write(&self, area: Rect, buffer: &mut Buffer) {
        for (index, (dots, style)) in self.cells.iter().enumerate().filter(|(_, (dots, _))| *dots != 0) {
            let (column, row) = (index % usize::from(self.width), index / usize::from(self.width));
            let sign = match self.braille {
                true => char::from_u32(0x2800 + dots).unwrap_or('*'),
                false if dots & LINE != 0 => '*',
                false => '.',
            };
            if let Some(cell) = buffer.cell_mut((area.x + column as u16, area.y + row as u16)) {
                cell.set_char(sign).set_style(*style);
            }
        }
    }
}
