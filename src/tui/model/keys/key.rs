//! A key: how it is recognised in key events, and what it is called.

use std::fmt;
use std::str::FromStr;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::config::document::problem::{did_you_mean, join_quoted};

/// A key without the noise of key events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    control: bool,
}

/// A key such as Enter.
pub(in crate::tui) const fn key(code: KeyCode) -> Key {
    Key { code, control: false }
}

/// A letter, a digit, a sign; capitals are letters of their own.
pub(in crate::tui) const fn char(c: char) -> Key {
    key(KeyCode::Char(c))
}

/// A letter with Ctrl.
pub(in crate::tui) const fn control(c: char) -> Key {
    Key { code: KeyCode::Char(c), control: true }
}

impl Key {
    /// The key of an event. None with Alt: over a slow line Esc and the next key arrive as one, and nothing may act on
    /// that.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        (!event.modifiers.contains(KeyModifiers::ALT)).then_some(Self { code: event.code, control })
    }
}

/// Why a word names no key that can be used, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidKey {
    /// Description of what is wrong with it.
    pub message: String,
    /// Advice on what to write instead.
    pub hint: String,
}

/// Other ways to write a named key.
const ALIASES: &[(&str, KeyCode)] = &[
    ("escape", KeyCode::Esc),
    ("return", KeyCode::Enter),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("page-up", KeyCode::PageUp),
    ("page-down", KeyCode::PageDown),
];

/// Every name of a key that is more than one sign, but for those with Ctrl.
const KNOWN: &[&str] = &[
    "space", "enter", "esc", "tab", "shift-tab", "backspace", "delete", "insert", "up", "down", "left",
    "right", "page-up", "page-down", "home", "end", "f1",
];

impl FromStr for Key {
    type Err = InvalidKey;

    /// Reads `R`, `space`, `ctrl-d`, `f5`, or what the help shows.
    fn from_str(written: &str) -> Result<Self, InvalidKey> {
        let mut chars = written.chars();
        if let (Some(only), None) = (chars.next(), chars.next()) {
            return parse_key_name(written).map_or_else(|| character_key(only), |code| Ok(key(code)));
        }
        let lower = written.to_lowercase();
        if let Some(rest) = lower.strip_prefix("ctrl-") {
            return with_control(written, rest);
        }
        let number = lower.strip_prefix('f').and_then(|number| number.parse().ok());
        let code = number.filter(|number| (1..=12).contains(number)).map(KeyCode::F);
        code.or_else(|| parse_key_name(&lower)).map(key).ok_or_else(|| unknown_key(written, &lower))
    }
}

fn parse_key_name(written: &str) -> Option<KeyCode> {
    let shown = NAMES.iter().find(|(_, name)| name.to_lowercase() == written).map(|(code, _)| *code);
    shown.or_else(|| ALIASES.iter().find(|(name, _)| *name == written).map(|(_, code)| *code))
}

fn character_key(c: char) -> Result<Key, InvalidKey> {
    if c.is_control() {
        return Err(InvalidKey {
            message: "this sign has no key".to_owned(),
            hint: "write its name, such as `enter`".to_owned(),
        });
    }
    Ok(char(c))
}

/// Terminals send some letters with Ctrl as the bytes of other keys; one of them must always lead out.
fn with_control(written: &str, rest: &str) -> Result<Key, InvalidKey> {
    let refused = |hint: &str| {
        Err(InvalidKey { message: format!("`{written}` cannot be chosen"), hint: hint.to_owned() })
    };
    match rest.as_bytes() {
        b"c" => refused("it always leaves, whatever else is chosen"),
        b"i" => refused("terminals send it as Tab: write `tab`"),
        b"m" => refused("terminals send it as Enter: write `enter`"),
        [letter] if letter.is_ascii_lowercase() => Ok(control(char::from(*letter))),
        _ => refused("only letters can be told apart with Ctrl, such as `ctrl-d`"),
    }
}

fn unknown_key(written: &str, lower: &str) -> InvalidKey {
    let hint = match lower.strip_prefix("shift-") {
        Some(rest) if rest.chars().count() == 1 => format!("write `{}`", rest.to_uppercase()),
        _ if lower.starts_with("alt-") => {
            "keys with Alt cannot be told from Esc and a key over a slow line; take another".to_owned()
        }
        Some(_) | None => match did_you_mean(lower, KNOWN.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!(
                "write a single sign, `ctrl-` and a letter, `f1` to `f12`, or one of {}",
                join_quoted(KNOWN.iter().copied().filter(|name| *name != "f1"))
            ),
        },
    };
    InvalidKey { message: format!("there is no key `{written}`"), hint }
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
