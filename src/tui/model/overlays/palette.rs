//! The palette: what was typed to find an action, and which of those that fit is chosen.

/// A palette that is open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Palette {
    /// What was typed.
    pub typed: String,
    /// Which of those that fit is chosen, from 0.
    pub chosen: usize,
}
