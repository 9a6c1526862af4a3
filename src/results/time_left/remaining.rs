//! What an active shard still needs, and how long it has worked.

use std::time::Duration;

use jiff::Timestamp;

use super::estimate::Estimate;
use crate::model::state::phase::Phase;
use crate::model::state::shard_state::ShardState;

/// The work that an active shard still has to do.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Remaining {
    /// Time left, if one that is stuck goes on now.
    pub left: Option<Estimate>,
    /// For so long it has been stuck: that time is no measure of its work.
    pub stuck: Duration,
    /// The share of its work that is done, 0 to 1: so much its own steps say of its length.
    pub share: f64,
}

/// How long a shard that runs has worked without pauses, by the attempts too whose work it continues.
pub fn worked(shard: &ShardState, now: Timestamp) -> Option<Duration> {
    let before = shard.attempt.map(|attempt| shard.worked_before(attempt)).unwrap_or_default();
    Some(unpaused(&shard.phase, now)? + before)
}

/// How long the attempt of a phase has run without its pauses; none where it does not run.
pub fn unpaused(phase: &Phase, now: Timestamp) -> Option<Duration> {
    let starting = matches!(phase, Phase::Starting { .. }).then_some(Duration::ZERO);
    phase.live().map(|live| live.unpaused_time(now, phase.paused_since())).or(starting)
}
