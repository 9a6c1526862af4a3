//! Commands of the user's own: those there are, and one with all its values.

use std::path::PathBuf;

use crate::model::ids::ShardId;
use crate::model::sweep::own_command::CommandMode;
use crate::tui::model::keys::keyed::KeyedCommand;

/// The commands of this screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnCommands {
    /// All of them, the user's first.
    pub list: Vec<KeyedCommand>,
    /// The folder of the run; `None` if there are no commands.
    pub run: Option<PathBuf>,
    /// The processes of the run are those of this machine: elsewhere their numbers mean others.
    pub sees_processes: bool,
}

/// A command with all its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRun {
    /// The name of the command.
    pub name: String,
    /// The shard it is about; `None` if it was chosen without one.
    pub shard: Option<ShardId>,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Whether it runs in the terminal or in the background.
    pub mode: CommandMode,
    /// Its folder; that of this program where there is none.
    pub folder: Option<PathBuf>,
}

impl OwnRun {
    /// Returns the command in one line for people.
    pub fn command_line(&self) -> String {
        match self.argv.as_slice() {
            [bash, flag, line] if bash == "bash" && flag == "-c" => line.clone(),
            words => words.join(" "),
        }
    }

    /// The command and what it is about.
    pub fn title(&self) -> String {
        self.shard.as_ref().map_or_else(|| self.name.clone(), |shard| format!("{} on {shard}", self.name))
    }
}
