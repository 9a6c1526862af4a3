//! A row of the keymap: an action, its usual keys, and its words in footer and help.

use super::action::Action;
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

/// A row of the table of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// Name of the action in the user's configuration.
    pub name: &'static str,
    /// Keys that do it where the user has not chosen others.
    pub keys: &'static [Key],
    /// Action that the keys trigger.
    pub action: Action,
    /// The word of the footer; none for keys that everybody tries anyway.
    pub short: Option<&'static str>,
    /// The sentence of the help.
    pub help: &'static str,
    /// The heading it is listed under; keys of [`HelpGroup::Act`] do not exist for readers.
    pub group: HelpGroup,
}
