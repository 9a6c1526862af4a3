//! Keys in the palette: they narrow it, choose in it, or do what is chosen.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::keymap::action::Action;
use crate::tui::keymap::search::found;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::screen::{Access, Model};

/// Takes a key; gives the action that was chosen. The palette is closed then.
pub fn press(model: &mut Model, event: KeyEvent, access: Access) -> Option<Action> {
    let Overlay::Palette { typed, chosen } = &mut model.overlay else { return None };
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let last = found(typed, access, &model.keymap).len().saturating_sub(1);
    match event.code {
        KeyCode::Enter => {
            let action = found(typed, access, &model.keymap).get(*chosen).map(|binding| binding.action);
            model.overlay = Overlay::None;
            return action;
        }
        KeyCode::Esc => model.overlay = Overlay::None,
        KeyCode::Backspace if typed.is_empty() => model.overlay = Overlay::None,
        KeyCode::Backspace => {
            typed.pop();
            *chosen = 0;
        }
        KeyCode::Up => *chosen = chosen.saturating_sub(1),
        KeyCode::Down => *chosen = chosen.saturating_add(1).min(last),
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
    None
}
