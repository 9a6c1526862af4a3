//! The palette: what was typed to find an action, and which of those that fit is chosen.

/// A palette that is open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Palette {
    /// The text typed to narrow the actions.
    pub typed: String,
    /// Index of the chosen action among those that fit, from 0.
    pub chosen: usize,
}
