//! Which lines of a list are seen, and in which rows.

use ratatui::layout::Rect;

/// Pairs each row with the line seen in it: the chosen line is in the middle where there are more on both sides.
pub fn visible_lines(cursor: usize, lines: usize, rows: u16) -> impl Iterator<Item = (u16, usize)> {
    let from = cursor.saturating_sub(usize::from(rows / 2)).min(lines.saturating_sub(usize::from(rows)));
    (0..rows).zip(from..lines)
}

/// Returns a row of an area, counted from its top.
pub fn line_of(area: Rect, row: u16) -> Rect {
    Rect { y: area.y + row, height: 1, ..area }
}
