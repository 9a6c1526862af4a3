//! A box in the middle of the screen, over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

use super::pane;
use super::text::{Writer, width};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// A line of a box: pieces of text with their styles.
pub type Pieces = Vec<(String, Style)>;

/// Draws a box as large as its lines, or as the screen allows; `scrolled` lines are hidden on top.
pub fn draw(
    title: &str,
    lines: &[Pieces],
    scrolled: usize,
    theme: &Theme,
    screen: Rect,
    buffer: &mut Buffer,
) {
    let widest =
        lines.iter().map(|line| line.iter().map(|(text, _)| width(text)).fold(0, u16::saturating_add)).max();
    let wanted = widest.unwrap_or(0).max(width(title)).saturating_add(4);
    let columns = wanted.min(screen.width.saturating_sub(2)).max(4).min(screen.width);
    let rows = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(screen.height.saturating_sub(1));
    let x = screen.x + (screen.width - columns) / 2;
    let y = screen.y + (screen.height.saturating_sub(rows)) / 2;
    let area = Rect { x, y, width: columns, height: rows }.intersection(screen);
    Clear.render(area, buffer);
    buffer.set_style(area, theme.style(Role::Text));
    let inner = pane::draw(title, Vec::new(), true, theme, area, buffer);
    let page = usize::from(inner.height);
    let from = scrolled.min(lines.len().saturating_sub(page));
    for (row, line) in lines.iter().skip(from).take(page).enumerate() {
        let mut writer = Writer::new(buffer, inner, row as u16);
        for (text, style) in line {
            writer.put(text, *style);
        }
    }
}

/// Arrows have names where they cannot be drawn.
pub fn key_names(keys: &str, theme: &Theme) -> String {
    if theme.glyphs.braille {
        return keys.to_owned();
    }
    keys.replace('↑', "Up").replace('↓', "Down").replace('←', "Left").replace('→', "Right")
}
