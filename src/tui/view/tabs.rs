//! The line with the names of the views and the keys that show them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::text::Writer;
use crate::tui::model::screen::Model;
use crate::tui::model::views::View;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it. The view that is shown stands in brackets, so that it is told apart without colour.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, area, 0);
    for (number, view) in View::ALL.into_iter().enumerate() {
        let is_shown = view == model.views.shown;
        let (left, right, style) = if is_shown {
            ("[", "]", theme.style(Role::TitleFocused))
        } else {
            (" ", " ", theme.style(Role::Dim))
        };
        writer.put(left, style).put(&(number + 1).to_string(), theme.style(Role::Key)).skip(1);
        writer.put(view.title(), style).put(right, style).skip(1);
    }
}
