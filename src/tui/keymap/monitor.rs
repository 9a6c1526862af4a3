//! The keys of the monitor.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::action::Distance;
use super::binding::{Binding, find_binding, key_table};
use super::search::PaletteEntry;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::key::{char, control, key};
use crate::tui::model::monitor::MonitorView;

/// The effect of a key on the monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonitorAction {
    /// Show this view of the monitor.
    Show(MonitorView),
    /// So many views further.
    Turn(i8),
    /// Scroll the list in view.
    Move(Distance),
    /// Show the help, or put it away.
    Help,
    /// Put the help away, or go to the first view.
    Back,
    /// All actions, to be found by name.
    Palette,
    /// Use the mouse, or leave it to the terminal.
    Mouse,
    /// Choose a theme from the list.
    Theme,
    /// Draw the whole screen from scratch.
    Redraw,
    /// Put the program to sleep.
    Suspend,
    /// Leave the monitor and the program.
    Leave,
}

/// A row of the table of the monitor.
pub type MonitorBinding = Binding<MonitorAction, ()>;

use Distance as D;
use MonitorAction as A;
use MonitorView as V;

/// All bindings; the footer keeps this order.
pub const BINDINGS: &[MonitorBinding] = key_table! {
    (), "overview", [char('1')], A::Show(V::Overview), None, "Overview: GPUs, their processes, the host";
    (), "host", [char('2')], A::Show(V::Host), None, "Host: each core, memory, load";
    (), "courses", [char('3')], A::Show(V::Charts), None, "Charts: all since this screen was opened";
    (), "cards", [char('4')], A::Show(V::Gpus), None, "GPUs: each card in full";
    (), "next-view", [key(KeyCode::Tab), char(']')], A::Turn(1), Some("next view"), "the next view";
    (), "previous-view", [key(KeyCode::BackTab), char('[')], A::Turn(-1), None, "the view before";
    (), "up", [key(KeyCode::Up), char('k')], A::Move(D::Lines(-1)), None, "up";
    (), "down", [key(KeyCode::Down), char('j')], A::Move(D::Lines(1)), Some("scroll"), "down";
    (), "page-up", [key(KeyCode::PageUp), control('u')], A::Move(D::Pages(-1)), None, "a page up";
    (), "page-down", [key(KeyCode::PageDown), control('d')], A::Move(D::Pages(1)), None, "a page down";
    (), "first", [key(KeyCode::Home), char('g')], A::Move(D::First), None, "to the first line";
    (), "last", [key(KeyCode::End), char('G')], A::Move(D::Last), None, "to the last line";
    (), "theme", [char('t')], A::Theme, Some("theme"), "choose a theme; the screen shows it at once";
    (), "palette", [char(':'), control('p')], A::Palette, Some("actions"),
        "find an action by a few letters; Enter does it";
    (), "mouse", [char('m')], A::Mouse, None, "use the mouse here, or leave it to the terminal";
    (), "back", [key(KeyCode::Esc)], A::Back, None, "close the help; back to the overview";
    (), "redraw", [control('l')], A::Redraw, None, "draw everything anew";
    (), "suspend", [control('z')], A::Suspend, None, "put this screen to sleep";
    (), "help", [char('?')], A::Help, Some("help"), "this help, and what the screen costs the line";
    (), "detach", [char('q'), control('c')], A::Leave, Some("leave"), "leave";
};

/// All that can be done, for the palette.
pub fn palette_entries(keymap: &Keymap) -> Vec<PaletteEntry<MonitorAction>> {
    let offered = BINDINGS.iter().filter(|binding| binding.action != A::Palette);
    offered.map(|binding| PaletteEntry::of_binding(binding, keymap, binding.action)).collect()
}

/// Returns the action that a key triggers on the monitor.
pub fn find_action(event: KeyEvent, keymap: &Keymap) -> Option<MonitorAction> {
    find_binding(BINDINGS.iter(), event, keymap).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ratatui::crossterm::event::KeyModifiers;

    use super::*;
    use crate::tui::model::keys::key::Key;

    #[test]
    fn no_key_has_two_meanings_and_every_view_has_its_number() {
        let keys: Vec<Key> = BINDINGS.iter().flat_map(|binding| binding.keys).copied().collect();
        assert_eq!(keys.len(), keys.iter().collect::<HashSet<_>>().len());
        for (number, view) in ('1'..).zip(MonitorView::ALL) {
            let event = KeyEvent::new(KeyCode::Char(number), KeyModifiers::NONE);
            assert_eq!(find_action(event, &Keymap::default()), Some(MonitorAction::Show(view)));
        }
    }
}
