//! What may lie on top of the panes, and the question before something is lost.

use super::form::Form;
use super::own_commands::OwnRun;
use super::palette::Palette;
use super::theme_chooser::ThemeChooser;
use crate::model::command::Command;

/// What has the keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Overlay {
    /// The panes themselves.
    #[default]
    None,
    /// The filter is being typed; `before` comes back with Esc.
    Filter {
        /// The list that is narrowed.
        list: Listed,
        /// The text before the typing.
        before: String,
    },
    /// What is looked for in the log is being typed; `before` comes back with Esc.
    Search {
        /// The text before the typing.
        before: String,
    },
    /// Actions to choose from.
    Palette(Palette),
    /// The columns of the table: which are shown, and which sorts the rows.
    Columns {
        /// The one that the keys are about, counted through all that the run has.
        chosen: usize,
    },
    /// The themes to choose from; the whole screen shows the chosen one.
    Themes(ThemeChooser),
    /// A question.
    Confirm(Question),
    /// Whether a command of the user's own shall run.
    OwnCommand(OwnRun),
    /// Values to be typed.
    Form(Form),
    /// All about the shard under the cursor.
    Details {
        /// Lines hidden on top.
        scrolled: usize,
    },
    /// All keys.
    Help {
        /// Lines hidden on top.
        scrolled: usize,
    },
}

/// A list that can be narrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// The shards, in every view that shows them.
    Shards,
    /// The events.
    Events,
}

/// Asked before something is lost; the answer without a thought is No.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What is asked.
    pub title: String,
    /// What is lost, one line each.
    pub losses: Vec<String>,
    /// What a yes does.
    pub command: Command,
    /// How it must be answered.
    pub answer: Answer,
}

/// How a question must be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// By `y`.
    Yes,
    /// By typing the number of shards: they are too many for one key.
    Number {
        /// The right one.
        wanted: usize,
        /// What was typed.
        typed: String,
    },
    /// By typing the name of the sweep: it is about all of it.
    Name {
        /// The right one.
        wanted: String,
        /// What was typed.
        typed: String,
    },
}

/// One line about what was just done or went wrong, in place of the footer for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The line.
    pub text: String,
    /// It reports a failure.
    pub bad: bool,
    /// Ticks it stays.
    pub ticks: u8,
}

impl Notice {
    /// Something worked.
    pub fn good(text: impl Into<String>) -> Self {
        Self { text: text.into(), bad: false, ticks: 5 }
    }

    /// Something did not.
    pub fn bad(text: impl Into<String>) -> Self {
        Self { text: text.into(), bad: true, ticks: 10 }
    }
}
