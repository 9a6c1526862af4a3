//! For how long a shard has reported no work, where that is longer than usual for it: the same on every face.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::state::fact::{Condition, ShownCondition};
use crate::model::state::phase::PhaseKind;
use crate::model::state::shard_state::ShardState;
use crate::model::units::duration_between;
use crate::results::time_left::pace::Pace;

/// A shard whose log may be silent.
#[derive(Debug, Clone, Copy)]
pub struct Listened<'a> {
    /// Shard whose log is listened to.
    pub shard: &'a ShardState,
    /// How often the log of its present attempt reports anything; `None` before it was read.
    pub pace: Option<&'a Pace>,
    /// A supervisor reads its log, so that silence is its own.
    pub is_watched: bool,
    /// Current time of the reader.
    pub now: Timestamp,
}

impl Listened<'_> {
    /// How long a running attempt has reported nothing, where that is longer than usual for it, or longer
    /// than the sweep allows.
    pub fn stuck_for(&self) -> Option<Duration> {
        if !self.is_watched || self.shard.phase.kind() != PhaseKind::Running {
            return None;
        }
        match self.shard.shown {
            Some(ShownCondition { condition: Condition::Stalled, since }) => {
                Some(duration_between(since, self.now))
            }
            Some(ShownCondition { condition: Condition::NeedsInput | Condition::Compiling, .. }) => None,
            None => self.pace?.silence(self.now),
        }
    }

    /// For how long it has been stuck, also where it was paused since: that time is no measure of its work.
    pub fn lost_time(&self) -> Duration {
        let lost = match self.shard.phase.kind() {
            PhaseKind::Paused => self.pace.and_then(|pace| pace.silence(self.now)),
            PhaseKind::Queued
            | PhaseKind::Starting
            | PhaseKind::Running
            | PhaseKind::Stopping
            | PhaseKind::Succeeded
            | PhaseKind::Failed
            | PhaseKind::Cancelled => self.stuck_for(),
        };
        lost.unwrap_or_default()
    }
}
