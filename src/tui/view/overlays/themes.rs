//! The list of themes, over a screen that is drawn with the chosen one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay::{self, Pieces};
use crate::tui::model::overlays::theme_chooser::{ThemeChooser, ThemeLine};
use crate::tui::theme::file::{Theme, ThemeGround};
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::{cut_text, wrap_text};

/// The box keeps its size, so that nothing jumps under the eye; narrow enough to leave the preview its sides.
const WIDTH: usize = 50;

/// Lines for what is wrong with a theme.
const REMARK: usize = 2;

/// Draws the list of themes around the chosen one.
pub fn draw_themes(chooser: &ThemeChooser, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let room = WIDTH.min(usize::from(screen.width.saturating_sub(6)));
    // The frame, the blank line, the remark and the keys.
    let page = usize::from(screen.height).saturating_sub(6 + REMARK).clamp(1, chooser.lines.len().max(1));
    let from = chooser.chosen.saturating_sub(page / 2).min(chooser.lines.len().saturating_sub(page));
    let rows = chooser.lines.iter().enumerate().skip(from).take(page);
    let mut lines: Vec<Pieces> =
        rows.map(|(position, line)| theme_row(line, position == chooser.chosen, room, theme)).collect();
    lines.push(Vec::new());
    let wrong = chooser.chosen_line().and_then(|line| line.kind.as_ref().err());
    let mut remark = wrong.map_or_else(Vec::new, |wrong| wrap_text(wrong, room));
    remark.resize(REMARK, String::new());
    lines.extend(remark.into_iter().map(|line| vec![(line, theme.style(Role::Warning))]));
    lines.push(key_hints(theme));
    overlay::draw_overlay("Themes", &lines, 0, theme, screen, buffer);
}

fn theme_row(line: &ThemeLine, is_chosen: bool, room: usize, theme: &Theme) -> Pieces {
    let style = |role| {
        let style = theme.style(role);
        if is_chosen { style.patch(theme.style(Role::Cursor)) } else { style }
    };
    let mark = if is_chosen { ">" } else { " " };
    let name = cut_text(&line.name, 18, theme.glyphs.ellipsis);
    let (ground, about, role) = match &line.kind {
        Ok(kind) => {
            let ground = match kind.ground {
                ThemeGround::Dark => "dark",
                ThemeGround::Light => "light",
            };
            let pair = kind.pair.as_ref().map(|pair| format!("pair {pair}"));
            let own = line.is_own.then(|| "yours".to_owned());
            let about: Vec<String> = own.into_iter().chain(pair).collect();
            (ground, about.join(", "), Role::Dim)
        }
        Err(_) => ("", "yours, has a mistake".to_owned(), Role::Warning),
    };
    let about = cut_text(&about, room.saturating_sub(28), theme.glyphs.ellipsis);
    vec![
        (format!("{mark} {name:<18} "), style(Role::Name)),
        (format!("{ground:<6} "), style(Role::Text)),
        (format!("{about:<width$}", width = room.saturating_sub(28)), style(role)),
    ]
}

fn key_hints(theme: &Theme) -> Pieces {
    let pairs = [("Enter", "keep"), ("Tab", "dark, light"), ("Esc", "as before")];
    let pieces = pairs.into_iter().flat_map(|(key, word)| {
        [(format!("{key} "), theme.style(Role::Key)), (format!("{word}  "), theme.style(Role::Dim))]
    });
    pieces.collect()
}
