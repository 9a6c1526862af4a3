//! How a run behaves beside other users of the machine.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::units::optional_seconds;

/// How a run behaves beside other users of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbours {
    /// Nothing starts on a GPU for so long after a process of another user has come to it.
    #[serde(with = "optional_seconds", default, skip_serializing_if = "Option::is_none")]
    pub yield_for: Option<Duration>,
    /// Other users may read what the run claims of the machine.
    #[serde(default)]
    pub announce: bool,
}

impl Neighbours {
    /// Nothing is said of them.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
