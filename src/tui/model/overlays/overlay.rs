//! What may lie on top of the panes, and the question before something is lost.

use super::form::Form;
use super::own_commands::OwnRun;
use super::palette::Palette;
use super::theme_chooser::ThemeChooser;
use crate::model::command::Command;

/// An overlay on the panes, which then has the keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Overlay {
    /// No overlay: the panes themselves have the keys.
    #[default]
    None,
    /// The filter is being typed; `before` comes back with Esc.
    Filter {
        /// The list that is narrowed.
        list: FilterTarget,
        /// The text before the typing.
        before: String,
    },
    /// The text to look for in the log is being typed; `before` comes back with Esc.
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
    /// A question to answer before a command is sent.
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
    /// The help, which lists all keys.
    Help {
        /// Lines hidden on top.
        scrolled: usize,
    },
}

/// A list that can be narrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterTarget {
    /// The shards, in every view that shows them.
    Shards,
    /// The list of events of the run.
    Events,
}

/// Asked before something is lost; the answer without a thought is No.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The question itself, as a title.
    pub title: String,
    /// The things that are lost, one line each.
    pub losses: Vec<String>,
    /// The command that a yes sends.
    pub command: Command,
    /// How it must be answered.
    pub answer: Confirmation,
}

/// How a question must be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// By pressing the `y` key.
    Yes,
    /// By typing the number of shards: they are too many for one key.
    Number {
        /// Number of shards that must be typed.
        wanted: usize,
        /// The digits typed so far.
        typed: String,
    },
    /// By typing the name of the sweep: it is about all of it.
    Name {
        /// The name that must be typed.
        wanted: String,
        /// The text typed so far.
        typed: String,
    },
}

/// A line about what was just done or went wrong, in place of the footer for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The line as it is shown.
    pub text: String,
    /// The line reports a failure.
    pub bad: bool,
    /// Number of ticks for which it stays.
    pub ticks: u8,
}

impl Notice {
    /// Returns a notice of something that worked.
    pub fn good(text: impl Into<String>) -> Self {
        Self { text: text.into(), bad: false, ticks: 5 }
    }

    /// Returns a notice of a failure, which stays longer.
    pub fn bad(text: impl Into<String>) -> Self {
        Self { text: text.into(), bad: true, ticks: 10 }
    }
}
