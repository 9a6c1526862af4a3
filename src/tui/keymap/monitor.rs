//! The keys of the monitor.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::search::{PaletteEntry, entry_title};
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::key::{Key, char, control, key};
use crate::tui::model::monitor::MonitorView;

/// The effect of a key on the monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonitorAction {
    /// Show this view of the monitor.
    Show(MonitorView),
    /// So many views further.
    Turn(i8),
    /// So many lines down, up where negative.
    Step(i8),
    /// Move one page up.
    PageUp,
    /// Move one page down.
    PageDown,
    /// To the first line.
    First,
    /// To the last line.
    Last,
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

/// An action, what the user's configuration calls it, its usual keys, its word in the footer, its sentence in the help.
pub struct MonitorBinding {
    /// Name of the action in the user's configuration.
    pub name: &'static str,
    /// Keys it has unless the user chose others.
    pub keys: &'static [Key],
    /// Action that the keys trigger.
    pub action: MonitorAction,
    /// The word of the footer; none for keys that everybody tries anyway.
    pub word: Option<&'static str>,
    /// The sentence of the help.
    pub help: &'static str,
}

impl MonitorBinding {
    /// Its keys, the first of them for the footer.
    pub fn keys<'a>(&'a self, keymap: &'a Keymap) -> &'a [Key] {
        keymap.keys_for(self.name, self.keys)
    }
}

const fn bind(
    name: &'static str,
    keys: &'static [Key],
    action: MonitorAction,
    word: Option<&'static str>,
    help: &'static str,
) -> MonitorBinding {
    MonitorBinding { name, keys, action, word, help }
}

use MonitorAction as A;
use MonitorView as V;

/// All bindings; the footer keeps this order.
pub const BINDINGS: &[MonitorBinding] = &[
    bind("overview", &[char('1')], A::Show(V::Overview), None, "Overview: GPUs, their processes, the host"),
    bind("host", &[char('2')], A::Show(V::Host), None, "Host: each core, memory, load"),
    bind("courses", &[char('3')], A::Show(V::Charts), None, "Charts: all since this screen was opened"),
    bind("cards", &[char('4')], A::Show(V::Gpus), None, "GPUs: each card in full"),
    bind("next-view", &[key(KeyCode::Tab), char(']')], A::Turn(1), Some("next view"), "the next view"),
    bind("previous-view", &[key(KeyCode::BackTab), char('[')], A::Turn(-1), None, "the view before"),
    bind("up", &[key(KeyCode::Up), char('k')], A::Step(-1), None, "up"),
    bind("down", &[key(KeyCode::Down), char('j')], A::Step(1), Some("scroll"), "down"),
    bind("page-up", &[key(KeyCode::PageUp), control('u')], A::PageUp, None, "a page up"),
    bind("page-down", &[key(KeyCode::PageDown), control('d')], A::PageDown, None, "a page down"),
    bind("first", &[key(KeyCode::Home), char('g')], A::First, None, "to the first line"),
    bind("last", &[key(KeyCode::End), char('G')], A::Last, None, "to the last line"),
    bind("theme", &[char('t')], A::Theme, Some("theme"), "choose a theme; the screen shows it at once"),
    bind(
        "palette",
        &[char(':'), control('p')],
        A::Palette,
        Some("actions"),
        "find an action by a few letters; Enter does it",
    ),
    bind("mouse", &[char('m')], A::Mouse, None, "use the mouse here, or leave it to the terminal"),
    bind("back", &[key(KeyCode::Esc)], A::Back, None, "close the help; back to the overview"),
    bind("redraw", &[control('l')], A::Redraw, None, "draw everything anew"),
    bind("suspend", &[control('z')], A::Suspend, None, "put this screen to sleep"),
    bind("help", &[char('?')], A::Help, Some("help"), "this help, and what the screen costs the line"),
    bind("detach", &[char('q'), control('c')], A::Leave, Some("leave"), "leave"),
];

/// All that can be done, for the palette.
pub fn palette_entries(keymap: &Keymap) -> Vec<PaletteEntry<MonitorAction>> {
    let offered = BINDINGS.iter().filter(|binding| binding.action != A::Palette);
    let entry = |binding: &MonitorBinding| PaletteEntry {
        keys: keymap.key_text(binding.name, binding.keys),
        text: entry_title(binding.word, binding.help),
        action: binding.action,
    };
    offered.map(entry).collect()
}

/// Returns the action that a key triggers on the monitor.
pub fn find_action(event: KeyEvent, keymap: &Keymap) -> Option<MonitorAction> {
    let pressed = Key::from_event(event)?;
    let bound = BINDINGS.iter().find(|binding| binding.keys(keymap).contains(&pressed))?;
    Some(bound.action)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ratatui::crossterm::event::KeyModifiers;

    use super::*;

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
