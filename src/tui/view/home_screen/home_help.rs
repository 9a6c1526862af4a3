//! The keys of the home screen, made from the table that also binds them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::keymap::home::page_bindings;
use crate::tui::model::home_screen::home::HomeModel;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::overlays::overlay::{self, Pieces};

/// Cells of the keys on the left.
const KEYS: usize = 15;

/// Draws it over the page whose keys it lists.
pub(in crate::tui::view) fn draw_help(
    home: &HomeModel,
    scrolled: usize,
    theme: &Theme,
    screen: Rect,
    buffer: &mut Buffer,
) {
    let (key, text, dim) = (theme.style(Role::Key), theme.style(Role::Text), theme.style(Role::Dim));
    let mut lines: Vec<Pieces> = page_bindings(&home.page, home.access)
        .flat_map(|binding| {
            let names = overlay::key_names(&binding.key_text(&home.keymap), theme);
            overlay::binding_lines(&names, KEYS, binding.help, screen, (key, text))
        })
        .collect();
    lines.push(Vec::new());
    let shell = "The same from the shell: sweepdeck ls, check, run, attach, demo.";
    lines.extend(overlay::wrap_paragraph(shell, dim, screen));
    overlay::draw_overlay("Keys", &lines, scrolled, theme, screen, buffer);
}
