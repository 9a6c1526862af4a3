//! What is shown on top of the phase of a shard.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Shown on top of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Condition {
    /// No output or progress for `stall_after`.
    Stalled,
    /// The shard waits for input at a prompt.
    NeedsInput,
    /// Silent, CPU busy, GPU idle.
    Compiling,
}

/// A condition and the moment since which it has been true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownCondition {
    /// The condition that is shown.
    pub condition: Condition,
    /// For those of silence the last sign of life.
    pub since: Timestamp,
}

impl Condition {
    /// The word used in JSON and on the screen.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
