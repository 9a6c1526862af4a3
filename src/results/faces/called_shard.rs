//! The shard that a call of a hook is about.

use serde::Serialize;

use crate::model::ids::{AttemptNumber, ShardId};
use crate::model::outcome::FailureReason;

/// A shard that something has happened to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalledShard {
    /// Id of the shard.
    pub id: ShardId,
    /// Number of its newest attempt.
    pub attempt: AttemptNumber,
    /// Why it has failed; null while it lives.
    pub reason: Option<FailureReason>,
    /// The sentence that explains it; null while it lives.
    pub message: Option<String>,
}
