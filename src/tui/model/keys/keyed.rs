//! A command of the user's own with its key.

use ratatui::crossterm::event::KeyEvent;

use super::key::Key;
use crate::model::sweep::own_command::OwnCommand;

/// A command and the key it has; one without a key is in the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedCommand {
    /// The command as the user wrote it.
    pub command: OwnCommand,
    /// Key that runs it, if it has one.
    pub key: Option<Key>,
    /// Author of the command, the user or that of the sweep.
    pub origin: CommandOrigin,
}

/// The author of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOrigin {
    /// The user, in the settings.
    Settings,
    /// The author of the sweep.
    Sweep,
}

impl KeyedCommand {
    /// Whether this key runs it.
    pub fn has_key(&self, event: KeyEvent) -> bool {
        self.key.is_some() && self.key == Key::from_event(event)
    }
}
