//! Writing styled pieces of text into a line of the screen, cut where the room ends. Whatever the texts hold, nothing
//! but printable characters gets onto the screen.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::model::logs::printable::to_printable;

/// Marks a text that continues; where only ASCII may be drawn, the last pass over the frame draws its
/// likeness.
const ELLIPSIS: &str = "…";

/// Writes from left to right into one line.
#[derive(Debug)]
pub struct TextWriter<'a> {
    buffer: &'a mut Buffer,
    x: u16,
    y: u16,
    end: u16,
}

impl<'a> TextWriter<'a> {
    /// A writer at the left end of line number `line` of an area; without room it writes nothing.
    pub fn new(buffer: &'a mut Buffer, area: Rect, line: u16) -> Self {
        let area = area.intersection(buffer.area);
        let end = if line < area.height { area.right() } else { area.x };
        Self { buffer, x: area.x, y: area.y.saturating_add(line), end }
    }

    /// Writes a piece; where the room ends before it does, an ellipsis marks it.
    pub fn put(&mut self, text: &str, style: Style) -> &mut Self {
        let room = self.room();
        if room > 0 && text_width(text.trim_end()) > room {
            return self.put_clipped(&cut_text(text, usize::from(room), ELLIPSIS), style);
        }
        self.put_clipped(text, style)
    }

    /// Writes as much of a piece as there is room for, where the caller itself marks that it continues.
    pub fn put_clipped(&mut self, text: &str, style: Style) -> &mut Self {
        if self.x < self.end {
            let room = usize::from(self.end - self.x);
            let (x, _) = self.buffer.set_stringn(self.x, self.y, to_printable(text), room, style);
            self.x = x;
        }
        self
    }

    /// Writes a piece into exactly `width` cells, cut with `ellipsis` or filled with blanks.
    pub fn put_field(&mut self, text: &str, width: u16, style: Style, ellipsis: &str) -> &mut Self {
        let start = self.x;
        let cut = cut_text(text, usize::from(width), ellipsis);
        self.put(&cut, style);
        self.x = start.saturating_add(width);
        self
    }

    /// Writes a piece at the right end of the next `width` cells.
    pub fn put_right(&mut self, text: &str, width: u16, style: Style) -> &mut Self {
        let start = self.x;
        let length = text_width(text).min(width);
        self.x += width - length;
        self.put(text, style);
        self.x = start.saturating_add(width);
        self
    }

    /// Leaves the next `cells` cells blank.
    pub fn skip(&mut self, cells: u16) -> &mut Self {
        self.x = self.x.saturating_add(cells);
        self
    }

    /// How many cells are left.
    pub fn room(&self) -> u16 {
        self.end.saturating_sub(self.x)
    }

    /// Returns the column where the next piece is written.
    pub fn x(&self) -> u16 {
        self.x
    }
}

/// Cells that a text takes.
pub fn text_width(text: &str) -> u16 {
    u16::try_from(count_cells(&to_printable(text))).unwrap_or(u16::MAX)
}

/// The text, cut to a number of cells.
pub fn cut_text(text: &str, room: usize, ellipsis: &str) -> String {
    let text = to_printable(text);
    if count_cells(&text) <= room {
        return text.into_owned();
    }
    let mut kept = fitting_prefix(&text, room.saturating_sub(count_cells(ellipsis))).to_owned();
    if room > 0 {
        kept.push_str(ellipsis);
    }
    kept
}

/// Returns the rest of the text when so many cells are hidden on its left.
pub fn cut_left(text: &str, hidden: usize) -> Cow<'_, str> {
    let text = to_printable(text);
    if hidden == 0 {
        return text;
    }
    let kept = text[fitting_prefix(&text, hidden).len()..].to_owned();
    Cow::Owned(kept)
}

/// The text in lines of at most so many cells, broken at blanks where there are any.
pub fn wrap_text(text: &str, room: usize) -> Vec<String> {
    let text = to_printable(text);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let mut rest = word;
        if used > 0 && used + count_cells(rest.trim_end()) > room {
            lines.push(String::new());
            used = 0;
        }
        // A word longer than a line is broken where the line ends.
        while count_cells(rest.trim_end()) > room && room > 0 {
            let (line, tail) = rest.split_at(fitting_prefix(rest, room).len());
            // A single wide character in a narrower line goes on without a break.
            if line.is_empty() {
                break;
            }
            if let Some(last) = lines.last_mut() {
                last.push_str(line);
            }
            lines.push(String::new());
            rest = tail;
        }
        used += count_cells(rest);
        if let Some(line) = lines.last_mut() {
            line.push_str(rest);
        }
    }
    lines
}

/// The start of a printable text, as much as fits: whole characters with their marks.
fn fitting_prefix(text: &str, room: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        let mut bytes = [0; 4];
        used += count_cells(c.encode_utf8(&mut bytes));
        if used > room {
            return &text[..at];
        }
    }
    text
}

fn count_cells(text: &str) -> usize {
    Span::raw(text).width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_cells_and_wrapped_at_blanks() {
        assert_eq!(cut_text("friction_flat", 8, "…"), "frictio…");
        assert_eq!(cut_text("ok", 8, "…"), "ok");
        assert_eq!(cut_text("長い名前", 5, "…"), "長い…");
        assert_eq!(wrap_text("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrap_text("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap_text("長い名前", 5), ["長い", "名前"]);
        assert_eq!(wrap_text("長い", 1), ["長い"]);
    }

    #[test]
    fn marks_stay_with_their_letter() {
        assert_eq!(cut_text("e\u{301}tude", 3, "…"), "e\u{301}t…");
        assert_eq!(cut_left("e\u{301}tude", 1), "tude");
        assert_eq!(cut_left("長い", 2), "い");
    }

    #[test]
    fn only_printable_characters_get_onto_the_screen() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
        let hostile = "a\x1b[31mb\u{202e}c\u{9b}d\u{e0041}e\u{200d}f\tg";
        TextWriter::new(&mut buffer, Rect::new(0, 0, 20, 1), 0)
            .put(hostile, Style::new())
            .put("|", Style::new());
        let shown: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert_eq!(shown, "a[31mbcdef g|       ");
        assert_eq!(text_width(hostile), 12);
        assert_eq!(cut_text(hostile, 99, "…"), "a[31mbcdef g");
    }
}
