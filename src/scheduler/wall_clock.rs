//! The wall clock as an input: people mean start times by it, and it may be set at any moment.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The wall clock in relation to the clock of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WallClock {
    /// How far it is ahead of the clock of the run.
    pub ahead: SignedDuration,
    /// Time zone of the machine.
    pub zone: TimeZone,
}

impl WallClock {
    /// Returns what it shows at that moment of the run.
    pub fn wall_time(&self, now: Timestamp) -> Timestamp {
        now.checked_add(self.ahead).unwrap_or(now)
    }

    /// Returns when the run has that moment of the wall clock, as long as it is not set in between.
    pub fn run_time(&self, wall: Timestamp) -> Timestamp {
        wall.checked_sub(self.ahead).unwrap_or(wall)
    }
}
