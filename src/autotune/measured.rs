//! What a trial has shown.

use serde::Serialize;

use super::work_rates::WorkRate;
use crate::model::ids::ShardId;
use crate::model::units::Bytes;

/// Results of a trial of some shards side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialResult {
    /// Number of shards side by side.
    pub count: u32,
    /// Ids of the shards that were tried.
    pub shards: Vec<ShardId>,
    /// Units done in a second by all of them together, as their logs count.
    pub done_per_s: Option<f64>,
    /// Name of that unit in the plural, where the log gives it.
    pub counted: Option<String>,
    /// Steps in a second by all of them together, where their logs print it.
    pub steps_per_s: Option<f64>,
    /// All rates that the logs report, summed over the shards, the best to compare by first.
    pub rates: Vec<WorkRate>,
    /// The rate had settled.
    pub is_steady: bool,
    /// From the start to the first progress of the slowest.
    pub startup_s: Option<f64>,
    /// The most VRAM of one of them.
    pub vram: Option<Vram>,
    /// The most resident memory of one of them; shared pages count more than once.
    #[serde(rename = "rss_bytes")]
    pub rss: Option<Bytes>,
    /// Mean load of a shard, in percent of one core.
    pub cpu_percent: Option<f64>,
    /// Mean load of the GPUs that they were on.
    pub gpu_percent: Option<f64>,
    /// Mean processor load of the whole host.
    pub host_cpu_percent: Option<f64>,
    /// Reason that the trial ended.
    pub end: TrialEnd,
}

/// VRAM, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Vram {
    /// Amount of VRAM in bytes.
    pub bytes: Bytes,
    /// How it is known.
    pub by: VramBy,
}

/// How the VRAM of a shard is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VramBy {
    /// The driver lists its processes.
    Processes,
    /// The driver lists none: the GPU had so much more in use than before.
    Rise,
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "end")]
pub enum TrialEnd {
    /// Everything was measured, and it was ended.
    Settled,
    /// Its shards were done before.
    Done,
    /// The time was up, and it was ended.
    TimeUp,
    /// A shard failed before the end.
    Failed {
        /// Id of the shard that failed.
        shard: ShardId,
        /// Reason of the failure, in words.
        message: String,
    },
    /// Not all of them could be started.
    NotStarted {
        /// Reason that the rest were not started.
        waiting: String,
    },
}

impl TrialEnd {
    /// Its figures are those of so many shards side by side.
    pub fn is_sound(&self) -> bool {
        match self {
            Self::Settled | Self::Done | Self::TimeUp => true,
            Self::Failed { .. } | Self::NotStarted { .. } => false,
        }
    }
}

impl TrialResult {
    /// Returns the value that trials are compared by: what the log counts, or the steps that it reports.
    pub fn throughput(&self) -> Option<f64> {
        self.done_per_s.or(self.steps_per_s)
    }

    /// The word for the unit of [`Self::throughput`].
    pub fn throughput_unit(&self) -> &str {
        match self.done_per_s {
            Some(_) => self.counted.as_deref().unwrap_or("done"),
            None => "steps",
        }
    }
}
