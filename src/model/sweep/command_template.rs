//! A command as a template: text for a shell, or the words of a program.

use serde::{Deserialize, Serialize};

/// A command as written in the sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CommandTemplate {
    /// Text that `bash` runs as a script.
    Shell(String),
    /// A program and its arguments, run without a shell.
    Arguments(Vec<String>),
}

impl CommandTemplate {
    /// Returns all templates of the command.
    pub fn texts(&self) -> &[String] {
        match self {
            Self::Shell(text) => std::slice::from_ref(text),
            Self::Arguments(arguments) => arguments,
        }
    }

    /// The templates in one line for people.
    pub fn to_line(&self) -> String {
        match self {
            Self::Shell(text) => text.lines().map(str::trim).collect::<Vec<_>>().join("; "),
            Self::Arguments(arguments) => arguments.join(" "),
        }
    }
}
