//! All keys, made from the table that also binds them, and what the screen costs the line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::overlay::{self, Pieces};
use crate::model::units::{Bytes, or_unknown};
use crate::tui::keymap::binding::HelpGroup;
use crate::tui::keymap::lookup;
use crate::tui::model::keys::keyed::CommandOrigin;
use crate::tui::model::screen::Model;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Cells of the keys on the left.
const KEYS: usize = 14;

/// Draws the help: all keys that work here, by group.
pub fn draw_help(model: &Model, scrolled: usize, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let (key, text, dim) = (theme.style(Role::Key), theme.style(Role::Text), theme.style(Role::Dim));
    let mut lines: Vec<Pieces> = Vec::new();
    for group in HelpGroup::ALL {
        // Actions without a key are listed in the palette only.
        let bindings: Vec<_> = lookup::available_bindings(model.access)
            .filter(|binding| binding.group == group && !binding.keys(&model.keymap).is_empty())
            .filter(|binding| lookup::is_of_run(binding.action, model.available_views()))
            .collect();
        if bindings.is_empty() {
            continue;
        }
        lines.push(vec![(group.title().to_owned(), theme.style(Role::Title))]);
        for binding in bindings {
            let keys = overlay::key_names(&binding.key_text(&model.keymap), theme);
            lines.extend(overlay::binding_lines(
                &format!("  {keys}"),
                KEYS,
                binding.help,
                screen,
                (key, text),
            ));
        }
        lines.push(Vec::new());
    }
    own_commands(model, (key, text), theme, screen, &mut lines);
    let sent = or_unknown(model.bytes_per_second, |bytes| format!("{bytes} bytes"));
    let all = Bytes(model.bytes_sent);
    let cost =
        format!("Sent to this terminal in the last second: {sent}, in all {all}. Theme: {}.", theme.name);
    for text in [
        "VRAM and RAM of ended shards are their peaks, shown dim.",
        "If the terminal is ever left in disorder: `reset`.",
        &cost,
    ] {
        lines.extend(overlay::wrap_paragraph(text, dim, screen));
    }
    overlay::draw_overlay("Keys", &lines, scrolled, theme, screen, buffer);
}

/// The commands of the user's own, each with what it runs.
fn own_commands(model: &Model, styles: (Style, Style), theme: &Theme, screen: Rect, lines: &mut Vec<Pieces>) {
    if model.own.list.is_empty() {
        return;
    }
    lines.push(vec![("Your own commands on the selected shard".to_owned(), theme.style(Role::Title))]);
    for own in &model.own.list {
        let keys = own.key.map_or_else(|| ":".to_owned(), |key| key.to_string());
        let by = match own.origin {
            CommandOrigin::Settings => "",
            CommandOrigin::Sweep => " (of the sweep)",
        };
        let words = format!("{}{by}: {}", own.command.name, own.command.command.to_line());
        let keys = overlay::key_names(&keys, theme);
        lines.extend(overlay::binding_lines(&format!("  {keys}"), KEYS, &words, screen, styles));
    }
    lines.push(Vec::new());
}
