//! The failed end of a shard of which it is not known yet whose fault it was.

use jiff::Timestamp;

use crate::model::ids::AttemptKey;
use crate::model::outcome::Outcome;

/// The failed end of a shard whose services were alive when it came.
#[derive(Debug, Clone, PartialEq)]
pub struct DoubtfulEnd {
    /// Attempt of the shard that ended.
    pub key: AttemptKey,
    /// The judgement, were it the shard's own fault.
    pub outcome: Outcome,
    /// Until then its services may turn out to have ended.
    pub until: Timestamp,
}
