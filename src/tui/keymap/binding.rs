//! A row of a table of keys: an action, its usual keys, and its words in footer and help.

use ratatui::crossterm::event::KeyEvent;

use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::key::Key;

/// A heading of the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpGroup {
    /// Actions that move the cursor or the focus.
    Move,
    /// Choosing what is shown.
    Look,
    /// Reading the log of the selected shard.
    Log,
    /// Actions that change the run.
    Act,
    /// Moving in the time of a run that is over.
    Replay,
    /// Actions that concern the program itself.
    Screen,
}

impl HelpGroup {
    /// All groups, in the order of the help.
    pub const ALL: [Self; 6] = [Self::Replay, Self::Move, Self::Look, Self::Log, Self::Act, Self::Screen];

    /// Returns the group's heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Look => "Look",
            Self::Log => "The log of the selected shard",
            Self::Act => "Act on the marked shards, else on the selected one",
            Self::Replay => "Replay",
            Self::Screen => "Screen",
        }
    }
}

/// A row of a table of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding<A, G> {
    /// Part of the screen, or heading of the help, that the row belongs to.
    pub group: G,
    /// Name of the action in the user's configuration.
    pub name: &'static str,
    /// Keys that do it where the user has not chosen others.
    pub keys: &'static [Key],
    /// Action that the keys trigger.
    pub action: A,
    /// The word of the footer; none for keys that everybody tries anyway.
    pub short: Option<&'static str>,
    /// The sentence of the help.
    pub help: &'static str,
}

impl<A: Copy, G> Binding<A, G> {
    /// Its keys, the first of them for the footer.
    pub fn keys<'a>(&'a self, keymap: &'a Keymap) -> &'a [Key] {
        keymap.keys_for(self.name, self.keys)
    }

    /// Its keys as the help shows them.
    pub fn key_text(&self, keymap: &Keymap) -> String {
        self.keys(keymap).iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }

    /// Its first key as texts name it; `None` where the user took all keys from it.
    pub fn first_key(&self, keymap: &Keymap) -> Option<String> {
        self.keys(keymap).first().map(Key::to_string)
    }
}

/// Finds the row that a pressed key belongs to.
pub fn find_binding<'a, A: Copy, G>(
    mut rows: impl Iterator<Item = &'a Binding<A, G>>,
    event: KeyEvent,
    keymap: &Keymap,
) -> Option<&'a Binding<A, G>> {
    let pressed = Key::from_event(event)?;
    rows.find(|row| row.keys(keymap).contains(&pressed))
}

/// Table of keys, a row for each action: group, name, keys, action, word of the footer, sentence of the help.
macro_rules! key_table {
    ($($group:expr, $name:literal, [$($key:expr),*], $action:expr, $short:expr, $help:literal;)*) => {
        &[$($crate::tui::keymap::binding::Binding {
            group: $group,
            name: $name,
            keys: &[$($key),*],
            action: $action,
            short: $short,
            help: $help,
        }),*]
    };
}
pub(super) use key_table;
