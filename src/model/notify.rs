//! What a screen may do with its terminal besides drawing on it.

/// Choices of the user about the terminal's title and alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notify {
    /// Whether the terminal's title shows the state of the run.
    pub title: bool,
    /// How the end of the run and its first failure are announced.
    pub alarm: NotifyMethod,
}

impl Default for Notify {
    fn default() -> Self {
        Self { title: true, alarm: NotifyMethod::Auto }
    }
}

/// How an event is announced to a user who is looking elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotifyMethod {
    /// By a notification where the terminal is known to understand it, else by the bell.
    Auto,
    /// By a notification (OSC 9).
    Osc9,
    /// By ringing the terminal's bell.
    Bell,
    /// No announcement at all.
    Off,
}
