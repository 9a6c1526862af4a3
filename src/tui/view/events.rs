//! What happened and what was done, by whom, newest at the bottom.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::pane;
use super::table::filter_note;
use super::text::Writer;
use crate::tui::format;
use crate::tui::model::events::EventLine;
use crate::tui::model::overlay::{Listed, Overlay};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::views::View;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// From this width on who did it has a column of its own.
const WIDE: u16 = 70;

/// Cells for a name.
const NAMES: u16 = 12;

/// Draws it with its frame.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let events = &model.events;
    let height = events.height();
    let note = note(model, height, theme);
    let is_view = model.views.shown == View::Events && model.focus == Pane::Shards;
    let focused = model.focus == Pane::Events || is_view;
    let inner = pane::draw(Pane::Events.title(), note, focused, theme, area, buffer);
    let end = height.saturating_sub(events.scrolled);
    let begin = end.saturating_sub(usize::from(inner.height));
    if height == 0 && !events.filter.is_empty() {
        Writer::new(buffer, inner, 0).put("no event passes the filter", theme.style(Role::Dim));
    }
    for (line, event) in events.shown().skip(begin).take(end - begin).enumerate() {
        one(model, theme, event, Writer::new(buffer, inner, line as u16));
    }
}

/// How many there are, which of them are seen, and what narrows them.
fn note(model: &Model, height: usize, theme: &Theme) -> Vec<Span<'static>> {
    let events = &model.events;
    let mut note = if events.scrolled > 0 {
        let back = format!("{} up", format::plural(events.scrolled, "line"));
        vec![Span::styled(back, theme.style(Role::Warning))]
    } else if events.filter.is_empty() {
        vec![Span::styled(height.to_string(), theme.style(Role::Dim))]
    } else {
        vec![Span::styled(format!("{height} of {}", events.lines.len()), theme.style(Role::Strong))]
    };
    let is_typed = matches!(model.overlay, Overlay::Filter { list: Listed::Events, .. });
    note.extend(filter_note(&events.filter, is_typed, theme));
    note
}

fn one(model: &Model, theme: &Theme, event: &EventLine, mut writer: Writer<'_>) {
    let (dim, ellipsis) = (theme.style(Role::Dim), theme.glyphs.ellipsis);
    let who = event.by.map(|uid| name(model, uid));
    let style = theme.style(event.role);
    if writer.room() < WIDE {
        writer.put(&format::clock(event.at, &model.zone), dim).skip(1);
        let text = who.map_or_else(|| event.text.clone(), |who| format!("{} by {who}", event.text));
        let room = writer.room();
        writer.field(&text, room, style, ellipsis);
        return;
    }
    writer.put(&format::day(event.at, &model.zone), dim).skip(1);
    writer.put(&format::clock(event.at, &model.zone), dim).skip(2);
    writer.field(who.as_deref().unwrap_or_default(), NAMES, theme.style(Role::Key), ellipsis).skip(1);
    let room = writer.room();
    writer.field(&event.text, room, style, ellipsis);
}

fn name(model: &Model, uid: u32) -> String {
    model.users.get(&uid).cloned().unwrap_or_else(|| format!("user {uid}"))
}
