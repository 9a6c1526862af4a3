//! The answer to a key that does nothing: a key that is never answered reads as a program that hangs.

use ratatui::crossterm::event::KeyEvent;

use crate::tui::keymap::action::Action;
use crate::tui::keymap::binding::HelpGroup;
use crate::tui::keymap::lookup;
use crate::tui::layout::{ScreenShape, layout_areas};
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::key::Key;
use crate::tui::model::overlays::overlay::Notice;
use crate::tui::model::screen::{Model, ScreenAccess};

/// Why the key does nothing on the dashboard. None where the answer could not be seen, and for Esc and a key in one
/// packet.
pub fn unbound_notice(model: &Model, event: KeyEvent) -> Option<Notice> {
    let key = Key::from_event(event)?;
    if layout_areas(model).shape == ScreenShape::Line {
        return None;
    }
    let forbidden = lookup::find_forbidden(event, model.access, &model.keymap);
    let Some(binding) = forbidden else { return Some(meaningless_key(key, &model.keymap)) };
    let name = binding.short.unwrap_or(binding.name);
    let why = match (binding.group, model.access) {
        (HelpGroup::Replay, _) => "only a replay has it",
        (_, ScreenAccess::Replaying) => "the run of a replay is over",
        (_, ScreenAccess::Acting | ScreenAccess::ReadOnly) => "this screen is read-only",
    };
    Some(brief_notice(format!("{key} ({name}) does nothing: {why}")))
}

/// Returns the notice for a key without any meaning.
pub fn meaningless_key(key: Key, keymap: &Keymap) -> Notice {
    let help = lookup::key_of(Action::Help, keymap);
    brief_notice(format!("{key} does nothing here; {help} lists the keys"))
}

/// The keys of the footer come back soon: one of them was looked for.
pub fn brief_notice(text: String) -> Notice {
    Notice { text, bad: true, ticks: 4 }
}
