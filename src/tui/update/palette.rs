//! Keys in the palette of any screen: they narrow it, choose in it, or do what is chosen.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::keymap::search::{PaletteChoice, PaletteEntry, filter_entries, palette_entries};
use crate::tui::model::overlays::overlay::Overlay;
use crate::tui::model::overlays::palette::Palette;
use crate::tui::model::screen::{Model, ScreenAccess};
use crate::tui::model::shards::columns;

/// The effect of a key on the palette.
enum PaletteEffect {
    /// The palette stays open.
    Open,
    /// The palette closes without a choice.
    Closed,
    /// The palette closes with the entry of this number.
    Chosen(usize),
}

/// Takes a key on the dashboard; returns what was chosen. The palette is closed then.
pub fn handle_key(model: &mut Model, event: KeyEvent, access: ScreenAccess) -> Option<PaletteChoice> {
    let offered = (access, model.available_views());
    let entries = palette_entries(offered, &model.keymap, columns::all_columns(model), &model.own.list);
    let Overlay::Palette(palette) = &mut model.overlay else { return None };
    let mut open = Some(std::mem::take(palette));
    let choice = type_key(&mut open, event, entries);
    model.overlay = open.map_or(Overlay::None, Overlay::Palette);
    choice
}

/// Takes a key in a palette of these entries; returns what was chosen, and takes the palette away when it is closed.
pub fn type_key<A>(open: &mut Option<Palette>, event: KeyEvent, entries: Vec<PaletteEntry<A>>) -> Option<A> {
    let palette = open.as_mut()?;
    let fitting = filter_entries(&palette.typed, entries);
    match edit_palette(palette, event, fitting.len()) {
        PaletteEffect::Open => None,
        PaletteEffect::Closed => {
            *open = None;
            None
        }
        PaletteEffect::Chosen(number) => {
            *open = None;
            fitting.into_iter().nth(number).map(|entry| entry.action)
        }
    }
}

fn edit_palette(palette: &mut Palette, event: KeyEvent, fitting: usize) -> PaletteEffect {
    let Palette { typed, chosen } = palette;
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let last = fitting.saturating_sub(1);
    match event.code {
        KeyCode::Enter => return PaletteEffect::Chosen(*chosen),
        KeyCode::Esc => return PaletteEffect::Closed,
        KeyCode::Backspace if typed.is_empty() => return PaletteEffect::Closed,
        KeyCode::Backspace => {
            typed.pop();
            *chosen = 0;
        }
        KeyCode::Up => *chosen = chosen.saturating_sub(1),
        KeyCode::Down | KeyCode::Tab => *chosen = chosen.saturating_add(1).min(last),
        KeyCode::Char('p') if control => *chosen = chosen.saturating_sub(1),
        KeyCode::Char('n') if control => *chosen = chosen.saturating_add(1).min(last),
        KeyCode::Char('u') if control => {
            typed.clear();
            *chosen = 0;
        }
        KeyCode::Char(c) if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            typed.push(c);
            *chosen = 0;
        }
        _ => {}
    }
    PaletteEffect::Open
}
