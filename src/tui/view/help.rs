//! All keys, made from the table that also binds them, and what the screen costs the line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay::{self, Pieces};
use crate::model::units::Bytes;
use crate::tui::format;
use crate::tui::keymap::binding::Group;
use crate::tui::keymap::lookup;
use crate::tui::model::screen::Model;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it.
pub fn draw(model: &Model, scrolled: usize, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let (key, text, dim) = (theme.style(Role::Key), theme.style(Role::Text), theme.style(Role::Dim));
    let sent = format::or_unknown(model.bytes_per_second, |bytes| format!("{bytes} bytes"));
    let mut lines: Vec<Pieces> = vec![
        vec![(
            format!(
                "Sent to this terminal in the last second: {sent}, in all {}. Theme: {}.",
                Bytes(model.bytes_sent),
                theme.name
            ),
            dim,
        )],
        Vec::new(),
    ];
    for group in Group::ALL {
        let bindings: Vec<_> =
            lookup::bindings(model.access).filter(|binding| binding.group == group).collect();
        if bindings.is_empty() {
            continue;
        }
        lines.push(vec![(group.title().to_owned(), theme.style(Role::Title))]);
        for binding in bindings {
            lines.push(vec![
                (format!("  {:<12}", overlay::key_names(&model.keymap.shown(binding), theme)), key),
                (binding.help.to_owned(), text),
            ]);
        }
        lines.push(Vec::new());
    }
    lines.push(vec![("VRAM and RAM of ended shards are their peaks, shown dim.".to_owned(), dim)]);
    lines.push(vec![("If the terminal is ever left in disorder: `reset`.".to_owned(), dim)]);
    overlay::draw("Keys", &lines, scrolled, theme, screen, buffer);
}
