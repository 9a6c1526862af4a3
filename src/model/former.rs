//! What a shard was before a user put it back into the queue, kept until its new attempt begins.

use jiff::Timestamp;

use super::demand::Demand;
use super::edit::Edit;
use super::ids::AttemptNumber;
use super::phase::Phase;

/// All that a requeue changes of a shard, beside the end that it puts among the earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Former {
    /// Where it stood; a final phase.
    pub phase: Phase,
    /// See [`ShardState::retries`](super::shard_state::ShardState::retries).
    pub retries: u32,
    /// See [`ShardState::losses`](super::shard_state::ShardState::losses).
    pub losses: u32,
    /// See [`ShardState::ooms`](super::shard_state::ShardState::ooms).
    pub ooms: u32,
    /// See [`ShardState::asked`](super::shard_state::ShardState::asked).
    pub asked: Option<Timestamp>,
    /// See [`ShardState::failed_before`](super::shard_state::ShardState::failed_before).
    pub failed_before: Option<AttemptNumber>,
    /// See [`ShardState::demand`](super::shard_state::ShardState::demand).
    pub demand: Demand,
    /// See [`ShardState::edit`](super::shard_state::ShardState::edit).
    pub edit: Edit,
    /// See [`ShardState::steps`](super::shard_state::ShardState::steps).
    pub steps: Vec<u32>,
    /// See [`ShardState::continues`](super::shard_state::ShardState::continues).
    pub continues: Option<AttemptNumber>,
}
