//! A key: how it is told from key events, and what it is called.

use std::fmt;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key without the noise of key events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    control: bool,
}

/// A key such as Enter.
pub(super) const fn key(code: KeyCode) -> Key {
    Key { code, control: false }
}

/// A letter, a digit, a sign; capitals are letters of their own.
pub(super) const fn char(c: char) -> Key {
    key(KeyCode::Char(c))
}

/// A letter with Ctrl.
pub(super) const fn control(c: char) -> Key {
    Key { code: KeyCode::Char(c), control: true }
}

impl Key {
    /// The key of an event. None with Alt: over a slow line Esc and the next key arrive as one, and nothing may act on
    /// that.
    pub fn pressed(event: KeyEvent) -> Option<Self> {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        (!event.modifiers.contains(KeyModifiers::ALT)).then_some(Self { code: event.code, control })
    }
}

/// Keys with names, as footer and help show them.
const NAMES: &[(KeyCode, &str)] = &[
    (KeyCode::Char(' '), "Space"),
    (KeyCode::Enter, "Enter"),
    (KeyCode::Esc, "Esc"),
    (KeyCode::Tab, "Tab"),
    (KeyCode::BackTab, "Shift-Tab"),
    (KeyCode::Backspace, "Backspace"),
    (KeyCode::Delete, "Delete"),
    (KeyCode::Insert, "Insert"),
    (KeyCode::Up, "↑"),
    (KeyCode::Down, "↓"),
    (KeyCode::Left, "←"),
    (KeyCode::Right, "→"),
    (KeyCode::PageUp, "PgUp"),
    (KeyCode::PageDown, "PgDn"),
    (KeyCode::Home, "Home"),
    (KeyCode::End, "End"),
];

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, name)) = NAMES.iter().find(|(code, _)| *code == self.code) {
            return f.write_str(name);
        }
        match (self.code, self.control) {
            (KeyCode::Char(c), true) => write!(f, "Ctrl-{}", c.to_ascii_uppercase()),
            (KeyCode::Char(c), false) => write!(f, "{c}"),
            (code, _) => write!(f, "{code}"),
        }
    }
}
