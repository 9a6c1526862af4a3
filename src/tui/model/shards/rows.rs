//! Which lines of a list are seen, and in which rows.

use ratatui::layout::Rect;

/// Which lines are seen in so many rows, and where: the chosen one is in the middle where there are more on both sides.
pub fn window(cursor: usize, lines: usize, rows: u16) -> impl Iterator<Item = (u16, usize)> {
    let from = cursor.saturating_sub(usize::from(rows / 2)).min(lines.saturating_sub(usize::from(rows)));
    (0..rows).zip(from..lines)
}

/// One row of an area.
pub fn line_of(area: Rect, row: u16) -> Rect {
    Rect { y: area.y + row, height: 1, ..area }
}
