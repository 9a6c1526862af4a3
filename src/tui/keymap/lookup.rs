//! The actions that each kind of access allows, and which of them a key triggers.

use ratatui::crossterm::event::KeyEvent;

use super::action::Action;
use super::binding::{HelpGroup, find_binding};
use super::table::{BINDINGS, RunBinding};
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::screen::ScreenAccess;
use crate::tui::model::views::View;

/// Returns the bindings that exist for a user with this access.
pub fn available_bindings(access: ScreenAccess) -> impl Iterator<Item = &'static RunBinding> {
    BINDINGS.iter().filter(move |binding| match binding.group {
        HelpGroup::Act => access == ScreenAccess::Acting,
        HelpGroup::Replay => access == ScreenAccess::Replaying,
        // In a replay nothing can be done to what is marked, and Space plays.
        HelpGroup::Look if matches!(binding.action, Action::Mark(_)) => access != ScreenAccess::Replaying,
        HelpGroup::Move | HelpGroup::Look | HelpGroup::Log | HelpGroup::Screen => true,
    })
}

/// Reports whether a run with these views has what an action is about.
pub fn is_of_run(action: Action, views: &[View]) -> bool {
    if let Action::Show(view) = action { views.contains(&view) } else { true }
}

/// Returns the action that a key triggers with this access.
pub fn find_action(event: KeyEvent, access: ScreenAccess, keymap: &Keymap) -> Option<Action> {
    find_binding(available_bindings(access), event, keymap).map(|binding| binding.action)
}

/// Returns the action of a key that a user with this access does not have.
pub fn find_forbidden(event: KeyEvent, access: ScreenAccess, keymap: &Keymap) -> Option<&'static RunBinding> {
    let is_given = |binding: &RunBinding| available_bindings(access).any(|given| given.name == binding.name);
    find_binding(BINDINGS.iter().filter(|binding| !is_given(binding)), event, keymap)
}

/// The first key of an action as texts name it; where the user left it none, its name.
pub fn key_of(action: Action, keymap: &Keymap) -> String {
    let binding = BINDINGS.iter().find(|binding| binding.action == action);
    binding.map_or_else(String::new, |binding| {
        binding.first_key(keymap).unwrap_or_else(|| binding.name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ratatui::crossterm::event::{KeyCode, KeyModifiers};

    use super::*;
    use crate::tui::model::keys::key::Key;

    #[test]
    fn no_key_has_two_meanings_and_no_action_two_lines() {
        let mut actions = HashSet::new();
        for access in [ScreenAccess::Acting, ScreenAccess::ReadOnly, ScreenAccess::Replaying] {
            let keys: Vec<Key> =
                available_bindings(access).flat_map(|binding| binding.keys).copied().collect();
            let once: HashSet<Key> = keys.iter().copied().collect();
            assert_eq!(keys.len(), once.len(), "a key is bound twice for {access:?}");
        }
        let mut names = HashSet::new();
        for binding in BINDINGS {
            assert!(actions.insert(binding.action), "{} has two lines", binding.help);
            assert!(names.insert(binding.name), "two lines are called {}", binding.name);
        }
    }

    #[test]
    fn readers_have_no_key_that_acts() {
        let keymap = Keymap::default();
        for c in ['p', 'S', 'x', 'r', 'R', 'E', 'u', 'K', 'J', 'v', 'D', 'X', 'C', 'e', '+', '-'] {
            let event = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
            assert!(find_action(event, ScreenAccess::Acting, &keymap).is_some(), "{c}");
            assert_eq!(find_action(event, ScreenAccess::ReadOnly, &keymap), None, "{c}");
        }
    }
}
