//! The keymap of this screen: the usual keys, and those that the user has chosen in their place.

use std::collections::BTreeMap;

use super::key::Key;

/// The keys of each action; without a choice of the user, the usual ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keymap {
    /// Keys by the name of what they do.
    chosen: BTreeMap<String, Vec<Key>>,
}

impl Keymap {
    /// The usual keys with these in place of them, each by the name of what it does.
    pub(in crate::tui) fn new(chosen: BTreeMap<String, Vec<Key>>) -> Self {
        Self { chosen }
    }

    /// The keys of an action, the first of them for the footer.
    pub fn keys_for<'a>(&'a self, name: &str, usual: &'a [Key]) -> &'a [Key] {
        self.chosen.get(name).map_or(usual, Vec::as_slice)
    }
}
