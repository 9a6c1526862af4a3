//! Where trials run: what `autotune` asks of a real run, and what it sees of it.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::{GpuIndex, ShardId};
use crate::model::logs::mark::Mark;
use crate::model::machine::sample::{GpuSample, HostSample, ShardSample};
use crate::model::outcome::Outcome;
use crate::model::sweep::plan::Plan;

/// Runs trials, one at a time. Dropping it ends what it has started.
pub trait Bench {
    /// Why it could not.
    type Error;

    /// Starts a trial as a run.
    fn start_trial(&mut self, trial: &Plan) -> Result<(), Self::Error>;

    /// Waits that long, and returns what was written since the last look. An error ends the tuning, also one
    /// that reports that the user wants no more.
    fn poll_trial(&mut self, after: Duration) -> Result<TrialRecords, Self::Error>;

    /// Ends the trial politely and waits for its end.
    fn stop_trial(&mut self) -> Result<(), Self::Error>;
}

/// Records written of a trial since the look before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrialRecords {
    /// Shards whose programs run now, with their GPUs and the moment of their start.
    pub started: Vec<(ShardId, Vec<GpuIndex>, Timestamp)>,
    /// Shards that have ended.
    pub ended: Vec<(ShardId, Outcome)>,
    /// Marks that were read from their logs.
    pub marks: Vec<(ShardId, Mark)>,
    /// Samples of what their processes use.
    pub shards: Vec<ShardSample>,
    /// Samples of the GPUs since the look before.
    pub gpus: Vec<GpuSample>,
    /// Samples of the host since the look before.
    pub host: Vec<HostSample>,
    /// Reason that a shard has not started, in one line.
    pub waiting: Option<String>,
}
