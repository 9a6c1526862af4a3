//! The line with the names of the views and the keys that show them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::text::TextWriter;
use crate::tui::model::screen::Model;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws the names of all views, the shown one marked.
pub fn draw_tabs(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let views = model.available_views().iter();
    let views: Vec<_> = views.map(|view| (view.title(), *view == model.views.shown)).collect();
    draw_tab_names(&views, theme, area, buffer);
}

/// Draws the names of views, each with whether it is shown: that one is written in brackets, so that it is distinct
/// without colour.
pub(in crate::tui::view) fn draw_tab_names(
    views: &[(&str, bool)],
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut writer = TextWriter::new(buffer, area, 0);
    for (number, (title, is_shown)) in views.iter().enumerate() {
        let (left, right, style) = if *is_shown {
            ("[", "]", theme.style(Role::TitleFocused))
        } else {
            (" ", " ", theme.style(Role::Dim))
        };
        writer.put(left, style).put(&(number + 1).to_string(), theme.style(Role::Key)).skip(1);
        writer.put(title, style).put(right, style).skip(1);
    }
}
