//! What a screen may do with its terminal beside drawing on it.

/// What the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notify {
    /// The terminal's title says how the run stands.
    pub title: bool,
    /// How the end of the run and its first failure are told.
    pub alarm: Alarm,
}

impl Default for Notify {
    fn default() -> Self {
        Self { title: true, alarm: Alarm::Auto }
    }
}

/// How something is told to somebody who looks elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alarm {
    /// By a notification where the terminal is known to understand it, else by the bell.
    Auto,
    /// By a notification (OSC 9).
    Osc9,
    /// By the bell.
    Bell,
    /// Not at all.
    Off,
}
