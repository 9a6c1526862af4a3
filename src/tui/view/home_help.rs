//! The keys of the home screen, made from the table that also binds them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay::{self, Pieces};
use crate::tui::keymap::home::bindings;
use crate::tui::model::home::Home;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it over the page whose keys it lists.
pub(super) fn draw(home: &Home, scrolled: usize, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let (key, text, dim) = (theme.style(Role::Key), theme.style(Role::Text), theme.style(Role::Dim));
    let mut lines: Vec<Pieces> = bindings(&home.page, home.access)
        .map(|binding| {
            let names = overlay::key_names(&binding.shown(&home.keymap), theme);
            vec![(format!("{names:<15}"), key), (binding.help.to_owned(), text)]
        })
        .collect();
    lines.push(Vec::new());
    lines.push(vec![("The same from the shell: sweepdeck ls, check, run, attach, demo.".to_owned(), dim)]);
    overlay::draw("Keys", &lines, scrolled, theme, screen, buffer);
}
