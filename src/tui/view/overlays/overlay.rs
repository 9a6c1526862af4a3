//! A box in the middle of the screen, over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

use crate::model::logs::printable::pad_to_width;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::pane;
use crate::tui::view::panes::text::{TextWriter, text_width, wrap_text};

/// A line of a box: pieces of text with their styles.
pub type Pieces = Vec<(String, Style)>;

/// Draws a box as large as its lines, or as the screen allows; `scrolled` lines are hidden on top.
pub fn draw_overlay(
    title: &str,
    lines: &[Pieces],
    scrolled: usize,
    theme: &Theme,
    screen: Rect,
    buffer: &mut Buffer,
) {
    let widest = lines
        .iter()
        .map(|line| line.iter().map(|(text, _)| text_width(text)).fold(0, u16::saturating_add))
        .max();
    let wanted = widest.unwrap_or(0).max(text_width(title)).saturating_add(4);
    let columns = wanted.min(screen.width.saturating_sub(2)).max(4).min(screen.width);
    let rows = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(screen.height.saturating_sub(1));
    let x = screen.x + (screen.width - columns) / 2;
    let y = screen.y + (screen.height.saturating_sub(rows)) / 2;
    let area = Rect { x, y, width: columns, height: rows }.intersection(screen);
    Clear.render(area, buffer);
    buffer.set_style(area, theme.style(Role::Text));
    let inner = pane::draw_pane(title, Vec::new(), true, theme, area, buffer);
    let page = usize::from(inner.height);
    let from = scrolled.min(lines.len().saturating_sub(page));
    for (row, line) in lines.iter().skip(from).take(page).enumerate() {
        let mut writer = TextWriter::new(buffer, inner, row as u16);
        for (text, style) in line {
            writer.put(text, *style);
        }
    }
}

/// Returns the lines of a help about one binding: its keys in so many cells, and next to them what they do.
pub fn binding_lines(
    keys: &str,
    column: usize,
    help: &str,
    screen: Rect,
    (key, text): (Style, Style),
) -> Vec<Pieces> {
    let room = usize::from(screen.width.saturating_sub(6));
    let mut keys = format!("{keys} ");
    let line = |line: String| {
        let begin = pad_to_width(&std::mem::take(&mut keys), column);
        vec![(begin, key), (line, text)]
    };
    wrap_text(help, room.saturating_sub(column)).into_iter().map(line).collect()
}

/// A text of a help in as many lines as it takes.
pub fn wrap_paragraph(text: &str, style: Style, screen: Rect) -> Vec<Pieces> {
    let room = usize::from(screen.width.saturating_sub(6));
    wrap_text(text, room).into_iter().map(|line| vec![(line, style)]).collect()
}

/// Arrows have names where they cannot be drawn.
pub fn key_names(keys: &str, theme: &Theme) -> String {
    if theme.glyphs.braille {
        return keys.to_owned();
    }
    keys.replace('↑', "Up").replace('↓', "Down").replace('←', "Left").replace('→', "Right")
}
