//! Commands of the user's own on a row of the dashboard: what they run and how.

use serde::{Deserialize, Serialize};

use super::command_template::CommandTemplate;

/// A command as written in the settings or in a sweep, checked but for its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCommand {
    /// Name of the command.
    pub name: String,
    /// The name of its key; without one only the palette has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The command line to run, as templates.
    pub command: CommandTemplate,
    /// Mode in which the command runs: in the terminal or in the background.
    #[serde(default)]
    pub mode: CommandMode,
    /// Whether the dashboard asks for confirmation before it runs the command.
    #[serde(default)]
    pub confirm: bool,
}

/// Mode of a user's own command: whether it takes the terminal or runs in the background.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandMode {
    /// In the terminal, which the command has until it ends; the dashboard comes back at once if it succeeded.
    #[default]
    Foreground,
    /// In the terminal, and what the command printed stays until the user presses Enter.
    Wait,
    /// In the background, while the dashboard goes on; the dashboard reports when the command has ended.
    Background,
}
