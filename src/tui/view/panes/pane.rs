//! The frame of a pane: its title on the left, what it shows on the right.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget};

use super::text::cut_text;
use crate::model::logs::printable::to_printable;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws a frame and gives the room inside.
pub fn draw_pane(
    title: &str,
    note: Vec<Span<'_>>,
    focused: bool,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let (border, name) = if focused {
        (theme.style(Role::BorderFocused), theme.style(Role::TitleFocused))
    } else {
        (theme.style(Role::Border), theme.style(Role::Title))
    };
    let mut block = Block::bordered().border_set(theme.glyphs.border).border_style(border);
    let inner = block.inner(area);
    let clean = |text: &str, style| Span::styled(to_printable(text).into_owned(), style);
    let note: Vec<_> = note.iter().map(|span| clean(&span.content, span.style)).collect();
    let room = usize::from(area.width.saturating_sub(6));
    let title = cut_text(title, room, theme.glyphs.ellipsis);
    let mut left = vec![Span::raw(" "), clean(&title, name), Span::raw(" ")];
    let wanted = note.iter().map(Span::width).sum::<usize>() + left[1].width();
    if !note.is_empty() && wanted <= room {
        left.extend(note);
        left.push(Span::raw(" "));
    }
    block = block.title(Line::from(left));
    block.render(area, buffer);
    pad_area(inner)
}

/// The room that a frame will leave inside.
pub fn inner_area(area: Rect) -> Rect {
    pad_area(Block::bordered().inner(area))
}

/// Leaves one blank column on both sides, so that nothing touches the frame.
fn pad_area(inner: Rect) -> Rect {
    if inner.width > 2 { Rect { x: inner.x + 1, width: inner.width - 2, ..inner } } else { inner }
}
