//! Writing styled pieces of text into a line of the screen, cut where the room ends.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

/// Writes from left to right into one line.
#[derive(Debug)]
pub struct Writer<'a> {
    buffer: &'a mut Buffer,
    x: u16,
    y: u16,
    end: u16,
}

impl<'a> Writer<'a> {
    /// A writer at the left end of line number `line` of an area; without room it writes nothing.
    pub fn new(buffer: &'a mut Buffer, area: Rect, line: u16) -> Self {
        let area = area.intersection(buffer.area);
        let end = if line < area.height { area.right() } else { area.x };
        Self { buffer, x: area.x, y: area.y.saturating_add(line), end }
    }

    /// Writes a piece.
    pub fn put(&mut self, text: &str, style: Style) -> &mut Self {
        if self.x < self.end {
            let (x, _) = self.buffer.set_stringn(self.x, self.y, text, usize::from(self.end - self.x), style);
            self.x = x;
        }
        self
    }

    /// Writes a piece into exactly `width` cells, cut with `ellipsis` or filled with blanks.
    pub fn field(&mut self, text: &str, width: u16, style: Style, ellipsis: &str) -> &mut Self {
        let start = self.x;
        let cut = cut(text, usize::from(width), ellipsis);
        self.put(&cut, style);
        self.x = start.saturating_add(width);
        self
    }

    /// Writes a piece at the right end of the next `width` cells.
    pub fn right(&mut self, text: &str, width: u16, style: Style) -> &mut Self {
        let start = self.x;
        let length = u16::try_from(Span::raw(text).width()).unwrap_or(u16::MAX).min(width);
        self.x += width - length;
        self.put(text, style);
        self.x = start.saturating_add(width);
        self
    }

    /// Leaves cells blank.
    pub fn skip(&mut self, cells: u16) -> &mut Self {
        self.x = self.x.saturating_add(cells);
        self
    }

    /// How many cells are left.
    pub fn room(&self) -> u16 {
        self.end.saturating_sub(self.x)
    }

    /// Where the next piece is written.
    pub fn x(&self) -> u16 {
        self.x
    }
}

/// Cells that a text takes.
pub fn width(text: &str) -> u16 {
    u16::try_from(Span::raw(text).width()).unwrap_or(u16::MAX)
}

/// The text, cut to a number of cells.
pub fn cut(text: &str, cells: usize, ellipsis: &str) -> String {
    if Span::raw(text).width() <= cells {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = Span::raw(ellipsis).width();
    for c in text.chars() {
        let wide = Span::raw(c.to_string()).width();
        if used + wide > cells {
            break;
        }
        used += wide;
        kept.push(c);
    }
    if cells > 0 {
        kept.push_str(ellipsis);
    }
    kept
}

/// The text in lines of at most so many cells, broken at blanks where there are any.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let mut rest = word;
        if used > 0 && used + Span::raw(rest.trim_end()).width() > cells {
            lines.push(String::new());
            used = 0;
        }
        // A word longer than a line is broken where the line ends.
        while Span::raw(rest.trim_end()).width() > cells && cells > 0 {
            let at = rest.char_indices().nth(cells).map_or(rest.len(), |(at, _)| at);
            let (head, tail) = rest.split_at(at);
            if let Some(line) = lines.last_mut() {
                line.push_str(head);
            }
            lines.push(String::new());
            rest = tail;
        }
        used += Span::raw(rest).width();
        if let Some(line) = lines.last_mut() {
            line.push_str(rest);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_cells_and_wrapped_at_blanks() {
        assert_eq!(cut("friction_flat", 8, "…"), "frictio…");
        assert_eq!(cut("ok", 8, "…"), "ok");
        assert_eq!(cut("長い名前", 5, "…"), "長い…");
        assert_eq!(wrap("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    }
}
