//! The events and actions of a run, each with its author, newest at the bottom.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::panes::pane;
use super::panes::text::{TextWriter, text_width};
use super::shards::table_title::filter_note;
use crate::tui::format;
use crate::tui::model::events::EventLine;
use crate::tui::model::overlays::overlay::{FilterTarget, Overlay};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::views::View;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// From this width on there is room for the day.
const WIDE: u16 = 70;

/// Draws it with its frame.
pub fn draw_events(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let events = &model.events;
    let height = events.count_shown();
    let note = title_note(model, height, theme);
    let is_view = model.views.shown == View::Events && model.focus == Pane::Shards;
    let focused = model.focus == Pane::Events || is_view;
    let inner = pane::draw_pane(Pane::Events.title(), note, focused, theme, area, buffer);
    let end = height.saturating_sub(events.scrolled);
    let begin = end.saturating_sub(usize::from(inner.height));
    if height == 0 && !events.filter.is_empty() {
        TextWriter::new(buffer, inner, 0).put("no event passes the filter", theme.style(Role::Dim));
    }
    for (line, event) in events.shown_lines().skip(begin).take(end - begin).enumerate() {
        draw_event(model, theme, event, TextWriter::new(buffer, inner, line as u16));
    }
}

/// How many there are, which of them are seen, and what narrows them.
fn title_note(model: &Model, height: usize, theme: &Theme) -> Vec<Span<'static>> {
    let events = &model.events;
    let mut note = if events.scrolled > 0 {
        let back = format!("{} up", format::plural(events.scrolled, "line"));
        vec![Span::styled(back, theme.style(Role::Warning))]
    } else if events.filter.is_empty() {
        vec![Span::styled(height.to_string(), theme.style(Role::Dim))]
    } else {
        vec![Span::styled(format!("{height} of {}", events.lines.len()), theme.style(Role::Strong))]
    };
    let is_typed = matches!(model.overlay, Overlay::Filter { list: FilterTarget::Events, .. });
    note.extend(filter_note(&events.filter, is_typed, theme));
    note
}

/// Draws the time, what happened right after it, and who did it. The day is added where there is room and it is not
/// today.
fn draw_event(model: &Model, theme: &Theme, event: &EventLine, mut writer: TextWriter<'_>) {
    let dim = theme.style(Role::Dim);
    let is_today =
        format::format_day(model.info.created, &model.zone) == format::format_day(model.now, &model.zone);
    if writer.room() >= WIDE && !is_today {
        writer.put(&format::format_day(event.at, &model.zone), dim).skip(1);
    }
    writer.put(&format::format_time(event.at, &model.zone), dim).skip(1);
    let by = event.by.map(|uid| format!(" by {}", user_name(model, uid))).unwrap_or_default();
    let by = if event.changes > 1 { format!("{by} x{}", event.changes) } else { by };
    let room = writer.room().saturating_sub(text_width(&by)).min(text_width(&event.text));
    writer.put_field(&event.text, room, theme.style(event.role), theme.glyphs.ellipsis);
    writer.put(&by, theme.style(Role::Key));
}

fn user_name(model: &Model, uid: u32) -> String {
    model.users.get(&uid).cloned().unwrap_or_else(|| format!("user {uid}"))
}
