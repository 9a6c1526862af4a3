//! At which hours the shards of a sweep may start, and what becomes of those that run when the hours are over.

use serde::{Deserialize, Serialize};

use super::opening_hours::OpeningHours;

/// The hours in which shards may start, by the wall clock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartHours {
    /// The windows; at all hours where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<OpeningHours>,
    /// What the end of a window does to shards that run.
    #[serde(default)]
    pub on_close: OnClose,
}

impl StartHours {
    /// Shards may start at all hours.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What the end of a window does to shards that run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnClose {
    /// They run to their end.
    #[default]
    Finish,
    /// They are paused until the next window opens.
    Pause,
}
