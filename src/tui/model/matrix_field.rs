//! Where the cells of the matrix lie on the screen; both drawing and clicking go by it.

use ratatui::layout::{Position, Rect};

use super::matrix::MatrixView;
use crate::model::logs::printable;

/// Cells of the screen for one cell of the matrix: below that a rate with its interval does not fit.
const NARROWEST: u16 = 15;

/// A wider cell would only hold more air.
const WIDEST: u16 = 64;

/// Layout of the matrix in its pane. If it does not fit, only the page with the cursor is shown; the sums are over all
/// pages.
pub struct MatrixLayout {
    /// Cells for the names of the rows.
    pub names: u16,
    /// Columns of a cell.
    pub width: u16,
    /// Lines of a cell.
    pub height: u16,
    /// Rows that are seen.
    pub rows: usize,
    /// Columns that are seen.
    pub columns: usize,
    /// The first of them.
    pub first_row: usize,
    /// The first of them.
    pub first_column: usize,
    /// The sums of the rows are shown to the right of the columns.
    pub sums_rows: bool,
    /// The sums of the columns are shown below the rows.
    pub sums_columns: bool,
}

impl MatrixLayout {
    /// Lays out a matrix in the room inside its frame, on the page that holds the cursor.
    pub fn for_matrix(matrix: &MatrixView<'_>, area: Rect, (row, column): (usize, usize)) -> Self {
        let longest = matrix.rows.iter().map(|name| text_width(name)).max().unwrap_or(0);
        let axis = matrix.row_axis.map_or(0, text_width);
        let names = (longest.max(axis) + 2).clamp(6, (area.width / 3).max(6));
        let room = area.width.saturating_sub(names);
        let (wants_rows, wants_columns) = matrix.has_margins();
        // The sums may not take the place of the last column or row that could be seen.
        let fitting = usize::from((room / NARROWEST).max(1));
        let sums_rows = wants_rows && fitting > 2;
        let columns = (fitting - usize::from(sums_rows)).min(matrix.columns.len());
        // A matrix that the filter has left nothing of is not drawn, and still has to be measured.
        let width = (room / (columns + usize::from(sums_rows)).max(1) as u16).clamp(1, WIDEST);
        let lines = area.height.saturating_sub(1).max(1);
        // The last row needs no blank line below it.
        let capacity = |height: u16| usize::from((lines + height / 3) / height);
        let wanted = matrix.rows.len() + usize::from(wants_columns);
        let fits = |height: &u16| capacity(*height) >= wanted;
        let height = [4, 3, 2].into_iter().find(fits).unwrap_or(if lines >= 8 { 2 } else { 1 });
        let sums_columns = wants_columns && capacity(height) > 2;
        let rows = capacity(height).max(1) - usize::from(sums_columns);
        let page = |at: usize, size: usize| at / size.max(1) * size;
        Self {
            names,
            width,
            height,
            rows,
            columns,
            first_row: page(row, rows),
            first_column: page(column, columns),
            sums_rows,
            sums_columns,
        }
    }

    /// Returns the place of the cell that is so far down and to the right on this page.
    pub fn cell_area(&self, down: usize, right: usize, area: Rect) -> Rect {
        let x = area.x + self.names + right as u16 * self.width;
        let y = area.y + 1 + down as u16 * self.height;
        Rect {
            x,
            y,
            width: self.width - 1,
            height: self.height.clamp(1, 2).max(self.height.saturating_sub(1)),
        }
        .intersection(area)
    }

    /// The place of the matrix at a cell of the screen; the sums are no place.
    pub fn place_at(&self, matrix: &MatrixView<'_>, at: Position, area: Rect) -> Option<(usize, usize)> {
        let down = (0..self.rows).take(matrix.rows.len().saturating_sub(self.first_row));
        let right = (0..self.columns).take(matrix.columns.len().saturating_sub(self.first_column));
        let mut places = down.flat_map(|down| right.clone().map(move |right| (down, right)));
        let (down, right) = places.find(|(down, right)| self.cell_area(*down, *right, area).contains(at))?;
        Some((self.first_row + down, self.first_column + right))
    }
}

fn text_width(text: &str) -> u16 {
    u16::try_from(printable::cell_width(text)).unwrap_or(u16::MAX)
}
