//! The palette: what was typed, and the actions that fit it with their keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay::{self, Pieces};
use crate::tui::keymap::search::found;
use crate::tui::model::screen::Model;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// The box keeps its size while the list gets shorter, so that nothing jumps under the eye.
const WIDTH: usize = 86;
const ROWS: u16 = 16;

/// Draws it.
pub fn draw(model: &Model, typed: &str, chosen: usize, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let (key, text, dim) = (theme.style(Role::Key), theme.style(Role::Text), theme.style(Role::Dim));
    let fitting = found(typed, model.access, &model.keymap);
    let mut lines: Vec<Pieces> = vec![vec![
        (": ".to_owned(), key),
        (typed.to_owned(), text),
        ("_".to_owned(), dim),
        (" ".repeat(WIDTH), text),
    ]];
    let page = usize::from(ROWS.min(screen.height.saturating_sub(4)));
    // The line that is chosen stays in the middle as long as there are more on both sides.
    let from = chosen.saturating_sub(page / 2).min(fitting.len().saturating_sub(page));
    for (position, binding) in fitting.iter().enumerate().skip(from).take(page) {
        let style = |role| {
            let style = theme.style(role);
            if position == chosen { style.patch(theme.style(Role::Cursor)) } else { style }
        };
        let mark = if position == chosen { ">" } else { " " };
        let name = binding.short.map_or_else(String::new, |short| format!("{short}: "));
        lines.push(vec![
            (
                format!(
                    "{mark} {:<12}",
                    overlay::key_names(&model.keymap.shown(binding.name, binding.keys), theme)
                ),
                style(Role::Key),
            ),
            (format!("{:<width$}", format!("{name}{}", binding.help), width = WIDTH - 14), style(Role::Text)),
        ]);
    }
    if fitting.is_empty() {
        lines.push(vec![("  nothing fits; Backspace".to_owned(), dim)]);
    }
    lines.resize_with(page + 1, Vec::new);
    overlay::draw("Actions", &lines, 0, theme, screen, buffer);
}
