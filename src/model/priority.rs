//! The place of a queued shard before or after the others, by a user's wish.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Shards with a higher one start first; those with the same one in the order of the sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Priority(pub i32);

impl Priority {
    /// The place that the sweep gives it.
    pub const USUAL: Self = Self(0);

    /// Reports whether nobody gave it a place.
    pub fn is_usual(&self) -> bool {
        *self == Self::USUAL
    }
    /// No priority is higher; three places are enough for its number on a screen.
    pub const MOST: i32 = 99;

    /// Returns the priority moved up or down by `by`, within the allowed range.
    pub fn moved_by(self, by: i32) -> Self {
        Self(self.0.saturating_add(by).clamp(-Self::MOST, Self::MOST))
    }

    /// Reports whether a user may ask for this priority.
    pub fn is_allowed(self) -> bool {
        self.0.unsigned_abs() <= Self::MOST.unsigned_abs()
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.pad("0"),
            number => f.pad(&format!("{number:+}")),
        }
    }
}
