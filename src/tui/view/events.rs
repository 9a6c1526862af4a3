//! What happened, newest at the bottom.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::pane;
use super::text::Writer;
use crate::tui::format;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it with its frame.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let events = &model.events;
    let note = if events.scrolled > 0 {
        let back = format!("{} up", format::plural(events.scrolled, "line"));
        vec![Span::styled(back, theme.style(Role::Warning))]
    } else {
        Vec::new()
    };
    let focused = model.focus == Pane::Events;
    let inner = pane::draw(Pane::Events.title(), note, focused, theme, area, buffer);
    let end = events.lines.len().saturating_sub(events.scrolled);
    let begin = end.saturating_sub(usize::from(inner.height));
    for (line, event) in events.lines.iter().skip(begin).take(end - begin).enumerate() {
        let mut writer = Writer::new(buffer, inner, line as u16);
        writer.put(&format::clock(event.at, &model.zone), theme.style(Role::Dim)).skip(1);
        let room = writer.room();
        writer.field(&event.text, room, theme.style(event.role), theme.glyphs.ellipsis);
    }
}
