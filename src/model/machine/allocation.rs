//! The part of a cluster that Slurm gives to a run for a while.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::units::duration_between;

/// Ends that differ by less are the same: `squeue` counts in seconds, and is not asked in an instant.
const SAME_END: Duration = Duration::from_secs(60);

/// The Slurm job in which a run lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocation {
    /// Number of the job.
    pub job: String,
    /// When the job ends, by the run's clock; `None` where it has no end, or Slurm has not said so yet.
    #[serde(default)]
    pub ends: Option<Timestamp>,
}

impl Allocation {
    /// Reports whether both are the same job with about the same end.
    pub fn is_about(&self, other: &Self) -> bool {
        let ends_alike = match (self.ends, other.ends) {
            (Some(one), Some(two)) => duration_between(one.min(two), one.max(two)) < SAME_END,
            (one, two) => one == two,
        };
        self.job == other.job && ends_alike
    }
}
