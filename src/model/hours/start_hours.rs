//! At which hours the shards of a sweep may start, and what becomes of those that run when the hours are over.

use serde::{Deserialize, Serialize};

use super::opening_hours::OpeningHours;

/// The hours in which shards may start, by the wall clock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartHours {
    /// The windows; at all hours where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<OpeningHours>,
    /// The fate of running shards when a window ends.
    #[serde(default)]
    pub on_close: OnClose,
}

impl StartHours {
    /// Reports whether shards may start at all hours.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Fate of running shards when a window ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnClose {
    /// Running shards go on to their end.
    #[default]
    Finish,
    /// Running shards are paused until the next window opens.
    Pause,
}
