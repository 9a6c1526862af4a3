//! Lines to type into, and below them what would come of it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::overlay::{self, Pieces};
use crate::tui::model::overlays::form::{FieldKind, Form, FormField, Purpose};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::{cut_text, text_width, wrap_text};

/// The box keeps its width while something is typed.
const WIDTH: usize = 84;

/// Draws the fields of a form with the keys that work in it.
pub fn draw_form(form: &Form, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let room = WIDTH.min(usize::from(screen.width.saturating_sub(6)));
    let names =
        form.fields.iter().map(|field| usize::from(text_width(&field_name(&field.kind)))).max().unwrap_or(0);
    let names = names.min(room / 2);
    let mut lines: Vec<Pieces> = Vec::new();
    for (number, field) in form.fields.iter().enumerate() {
        lines.push(field_line(field, number == form.at, names, room, theme));
    }
    let (dim, text) = (theme.style(Role::Dim), theme.style(Role::Text));
    lines.push(vec![(" ".repeat(room), dim)]);
    let outlook = &form.outlook;
    let mut told = |name: &str, text: &str, style: Style| {
        for (number, piece) in
            text.lines().flat_map(|line| wrap_text(line, room.saturating_sub(9))).enumerate()
        {
            let name = if number == 0 { name } else { "" };
            lines.push(vec![(format!("{name:<9}"), dim), (piece, style)]);
        }
    };
    if let Some(known) = &outlook.known {
        told("has", known, dim);
    }
    for change in &outlook.changes {
        told("change", change, theme.style(Role::Warning));
    }
    if let Some(command) = &outlook.command {
        told("runs", command, text);
    }
    if let Some(error) = &outlook.error {
        told("but", error, theme.style(Role::Failed));
    }
    let title = match &form.purpose {
        Purpose::Reserve => "VRAM reserve".to_owned(),
        Purpose::Save => "Save the log".to_owned(),
        Purpose::Add => "Add values: `a, b`, or `3..9` for numbers".to_owned(),
        Purpose::Edit { shard } => format!("Requeue {shard} with these values"),
    };
    // On a small screen the line with the cursor stays in sight.
    let page = usize::from(screen.height.saturating_sub(4));
    overlay::draw_overlay(&title, &lines, (form.at + 1).saturating_sub(page), theme, screen, buffer);
}

fn field_line(field: &FormField, is_chosen: bool, names: usize, room: usize, theme: &Theme) -> Pieces {
    let name_style = theme.style(if is_chosen { Role::Key } else { Role::Dim });
    let style = theme.style(if field.is_changed() { Role::Warning } else { Role::Text });
    let mark = if is_chosen { ">" } else { " " };
    let name = cut_text(&field_name(&field.kind), names, theme.glyphs.ellipsis);
    let filled = " ".repeat(names.saturating_sub(usize::from(text_width(&name))));
    let mut pieces = vec![(format!("{mark} {name}{filled}  "), name_style)];
    let least = room.saturating_sub(names + 5);
    if !is_chosen {
        pieces.push((cut_text(&field.text, least, theme.glyphs.ellipsis), style));
        return pieces;
    }
    let characters: Vec<char> = field.text.chars().collect();
    // A long value is shown around the cursor.
    let from = field.cursor.saturating_sub(least.saturating_sub(1));
    let before: String = characters[from..field.cursor].iter().collect();
    let under: String = characters.get(field.cursor).map_or_else(|| " ".to_owned(), char::to_string);
    let after: String = characters.iter().skip(field.cursor + 1).collect();
    pieces.push((before, style));
    pieces.push((under, style.add_modifier(Modifier::REVERSED)));
    pieces.push((after, style));
    pieces
}

fn field_name(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Setting(name) => (*name).to_owned(),
        FieldKind::Variable(name) | FieldKind::Axis(name) => name.clone(),
        FieldKind::Environment(name) => format!("${name}"),
        FieldKind::More => "more: NAME=VALUE".to_owned(),
    }
}
