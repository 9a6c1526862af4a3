//! How a run treats other users of the machine.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::units::maybe_seconds;

/// How a run treats other users of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbours {
    /// How long nothing starts on a GPU after a process of another user has appeared on it.
    #[serde(with = "maybe_seconds", default, skip_serializing_if = "Option::is_none")]
    pub yield_for: Option<Duration>,
    /// Other users may read what the run claims of the machine.
    #[serde(default)]
    pub announce: bool,
}

impl Neighbours {
    /// Reports whether the sweep sets nothing about other users.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
