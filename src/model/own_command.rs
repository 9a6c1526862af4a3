//! Commands of the user's own on a row of the dashboard: what they run and how.

use serde::{Deserialize, Serialize};

use super::command_template::CommandTemplate;

/// A command as written in the settings or in a sweep, checked but for its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCommand {
    /// What it is called.
    pub name: String,
    /// The name of its key; without one only the palette has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What it runs, as templates.
    pub command: CommandTemplate,
    /// Where it runs.
    #[serde(default)]
    pub mode: CommandMode,
    /// It asks before it runs.
    #[serde(default)]
    pub confirm: bool,
}

/// Where a command of one's own runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandMode {
    /// It has the terminal until it ends; the dashboard comes back at once where it succeeded.
    #[default]
    Foreground,
    /// The same, and what it printed stays until Enter.
    Wait,
    /// Beside the dashboard, which tells its end.
    Background,
}
