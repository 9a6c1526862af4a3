//! What a shard was before a user put it back into the queue, kept until its new attempt begins.

use jiff::Timestamp;

use super::phase::Phase;
use crate::model::ids::AttemptNumber;
use crate::model::needs::demand::Demand;
use crate::model::sweep::edit::Edit;

/// All that a requeue changes of a shard, besides the end that it puts among the earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Previous {
    /// Phase that the shard was in, a final one.
    pub phase: Phase,
    /// Tries used up, see [`ShardState::retries`](super::shard_state::ShardState::retries).
    pub retries: u32,
    /// Attempts that were lost, see [`ShardState::losses`](super::shard_state::ShardState::losses).
    pub losses: u32,
    /// Failures for lack of GPU memory, see [`ShardState::ooms`](super::shard_state::ShardState::ooms).
    pub ooms: u32,
    /// Moment of the last request, see [`ShardState::asked`](super::shard_state::ShardState::asked).
    pub asked: Option<Timestamp>,
    /// Attempt that had failed for good, see
    /// [`ShardState::failed_before`](super::shard_state::ShardState::failed_before).
    pub failed_before: Option<AttemptNumber>,
    /// Needs that were learned, see [`ShardState::demand`](super::shard_state::ShardState::demand).
    pub demand: Demand,
    /// Changes by a user, see [`ShardState::edit`](super::shard_state::ShardState::edit).
    pub edit: Edit,
    /// Steps of the ladder taken, see [`ShardState::steps`](super::shard_state::ShardState::steps).
    pub steps: Vec<u32>,
    /// Attempt to continue from, see [`ShardState::continues`](super::shard_state::ShardState::continues).
    pub continues: Option<AttemptNumber>,
}
