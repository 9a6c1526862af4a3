//! The palette: what was typed, and the actions that fit it with their keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay::{self, Pieces};
use crate::model::logs::printable::pad_to_width;
use crate::tui::keymap::search::{PaletteEntry, filter_entries};
use crate::tui::model::overlays::palette::Palette;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::cut_text;

/// The box keeps its size while the list gets shorter, so that nothing jumps under the eye.
const WIDTH: usize = 86;
const ROWS: u16 = 16;

/// Cells for the keys: `Delete Backspace`.
const KEYS: usize = 16;

/// Draws it with those of the entries that fit.
pub fn draw_palette<A>(
    palette: &Palette,
    entries: Vec<PaletteEntry<A>>,
    theme: &Theme,
    screen: Rect,
    buffer: &mut Buffer,
) {
    let (key, text, dim) = (theme.style(Role::Key), theme.style(Role::Text), theme.style(Role::Dim));
    let wide = WIDTH.min(usize::from(screen.width).saturating_sub(6)).max(KEYS + 8);
    let fitting = filter_entries(&palette.typed, entries);
    let mut lines: Vec<Pieces> = vec![vec![
        (": ".to_owned(), key),
        (palette.typed.clone(), text),
        ("_".to_owned(), dim),
        (" ".repeat(wide), text),
    ]];
    let page = usize::from(ROWS.min(screen.height.saturating_sub(4)));
    // The line that is chosen stays in the middle as long as there are more on both sides.
    let from = palette.chosen.saturating_sub(page / 2).min(fitting.len().saturating_sub(page));
    for (position, entry) in fitting.iter().enumerate().skip(from).take(page) {
        let is_chosen = position == palette.chosen;
        let style = |role| {
            let style = theme.style(role);
            if is_chosen { style.patch(theme.style(Role::Cursor)) } else { style }
        };
        let mark = if is_chosen { ">" } else { " " };
        let keys = overlay::key_names(&entry.keys, theme);
        lines.push(vec![
            (format!("{mark} {} ", pad_to_width(&keys, KEYS)), style(Role::Key)),
            (
                pad_to_width(&cut_text(&entry.text, wide - KEYS - 3, theme.glyphs.ellipsis), wide - KEYS - 3),
                style(Role::Text),
            ),
        ]);
    }
    if fitting.is_empty() {
        lines.push(vec![("  nothing fits; Backspace".to_owned(), dim)]);
    }
    lines.resize_with(page + 1, Vec::new);
    overlay::draw_overlay("Actions", &lines, 0, theme, screen, buffer);
}
