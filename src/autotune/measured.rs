//! What a trial has shown.

use serde::Serialize;

use super::work_rates::WorkRate;
use crate::model::ids::ShardId;
use crate::model::units::Bytes;

/// One trial: so many shards side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// So many.
    pub count: u32,
    /// Who.
    pub shards: Vec<ShardId>,
    /// What their logs count, done in a second by all of them together.
    pub done_per_s: Option<f64>,
    /// What that is, in the plural, where the log says it.
    pub counted: Option<String>,
    /// Steps in a second by all of them together, where their logs say it.
    pub steps_per_s: Option<f64>,
    /// All rates that the logs tell, by all of them together, the best to compare by first.
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
    /// Of one core, by one of them, in the mean.
    pub cpu_percent: Option<f64>,
    /// Of the GPUs that they were on, in the mean.
    pub gpu_percent: Option<f64>,
    /// Of the whole host, in the mean.
    pub host_cpu_percent: Option<f64>,
    /// How it ended.
    pub end: End,
}

/// VRAM, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Vram {
    /// How much.
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
pub enum End {
    /// Everything was measured, and it was ended.
    Settled,
    /// Its shards were done before.
    Done,
    /// The time was up, and it was ended.
    TimeUp,
    /// A shard failed.
    Failed {
        /// Which.
        shard: ShardId,
        /// Why.
        message: String,
    },
    /// Not all of them could be started.
    NotStarted {
        /// What the rest waited for.
        waiting: String,
    },
}

impl End {
    /// Its figures are those of so many shards side by side.
    pub fn is_sound(&self) -> bool {
        match self {
            Self::Settled | Self::Done | Self::TimeUp => true,
            Self::Failed { .. } | Self::NotStarted { .. } => false,
        }
    }
}

impl Measured {
    /// What trials are compared by: what the log counts, or the steps that it tells.
    pub fn throughput(&self) -> Option<f64> {
        self.done_per_s.or(self.steps_per_s)
    }

    /// The word for the unit of [`Self::throughput`].
    pub fn unit(&self) -> &str {
        match self.done_per_s {
            Some(_) => self.counted.as_deref().unwrap_or("done"),
            None => "steps",
        }
    }
}
