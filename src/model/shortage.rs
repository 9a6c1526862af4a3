//! What a queued shard is short of: `waiting.json`, from which its reason is worded.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ids::{GpuIndex, ShardId};
use super::needs::resources::VramSlot;
use super::units::{Bytes, maybe_seconds};

/// The version of the file's format; a reader that does not know it shows no reason.
pub const WAITING_VERSION: u32 = 1;

/// `waiting.json`: what the machine has too little of, at the last decision of the supervisor. Shards that wait for
/// a slot, or for a moment, are not in it: the journal has that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShortageReport {
    /// Version of the format, [`WAITING_VERSION`] when written by this program.
    pub version: u32,
    /// Moment of writing; the content holds until it is written again.
    pub at: Timestamp,
    /// Shortages, each with the shards that wait because of it.
    pub shortages: Vec<WaitingGroup>,
}

/// Shards that wait for the same reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaitingGroup {
    /// Their positions in the plan, rising.
    pub shards: Vec<usize>,
    /// The shortage that they have in common.
    pub short_of: Shortage,
}

/// Reason why a queued shard cannot start: what there is too little of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Shortage {
    /// Too few GPUs have the memory that is needed.
    Vram {
        /// On each GPU of the shard, the largest first.
        needs: Vec<VramSlot>,
        /// Room on each GPU that can be used.
        gpus: Vec<GpuRoom>,
    },
    /// The shard must be alone on its GPUs, and others are there.
    Alone {
        /// Number of GPUs that the shard needs for itself.
        gpus: usize,
        /// The shard must be alone because its memory is to be measured.
        measuring: bool,
    },
    /// Its memory is not known before this one's is.
    Measured {
        /// The shard that is being measured.
        first: ShardId,
    },
    /// The number of values of a pack that fit is not known yet.
    PackSize {
        /// The pack that tries it.
        first: ShardId,
        /// Number of values that this pack tries.
        values: usize,
    },
    /// Fewer GPUs can be used than it needs.
    Gpus {
        /// Number of GPUs that the shard needs.
        needs: usize,
        /// Number of GPUs that can be used.
        usable: usize,
        /// The GPUs that cannot be used, with the reason.
        shut: Vec<ShutGpu>,
    },
    /// Too few cores are free.
    Cores {
        /// Number of cores that the shard needs.
        needs: u32,
        /// Number of cores promised to others.
        promised: u32,
        /// Number of cores in all.
        cores: u32,
        /// The largest part of these promises that another run holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<ReservationElsewhere>,
    },
    /// Too little main memory is free.
    Ram {
        /// Main memory that the shard needs.
        needs: Bytes,
        /// Main memory that is free now.
        free: Bytes,
        /// The part of the free memory that is promised to attempts that do not use it yet.
        promised: Bytes,
        /// The largest part of these promises that another run holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<ReservationElsewhere>,
    },
    /// The machine could not start the last one that was tried.
    Start {
        /// The resource that was lacking.
        lack: StartShortage,
    },
    /// The Slurm job ends too soon for it.
    Time {
        /// How long it is expected to take, where that is known.
        #[serde(
            with = "maybe_seconds",
            rename = "needs_s",
            default,
            skip_serializing_if = "Option::is_none"
        )]
        needs: Option<Duration>,
        /// Number of the job.
        job: String,
        /// End of the job, by the run's clock.
        ends: Timestamp,
    },
    /// A service that it uses cannot be used yet.
    Service {
        /// The service, or the instance where one is known.
        service: String,
        /// The reason why the service cannot be used.
        why: ServiceWait,
    },
    /// Room is kept for a shard that comes before it and needs more.
    Turn {
        /// The shard that comes first.
        first: ShardId,
    },
}

/// Why a shard cannot use a service yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "kebab-case")]
pub enum ServiceWait {
    /// The service was started and is not ready.
    Starting,
    /// The service has as many shards as it may serve.
    Full {
        /// Number of shards that it may serve.
        serves: u32,
    },
    /// The service failed, and will be started again.
    Again {
        /// When it is started again.
        at: Timestamp,
    },
    /// The service failed for good.
    Failed {
        /// Message of the last failure.
        message: String,
    },
    /// The service is being ended, or is paused.
    Ending,
    /// The machine has no room for it.
    Room {
        /// The shortage that keeps it from starting.
        short_of: Box<Shortage>,
    },
}

/// Resource that the machine had too little of to start an attempt; the lack passes, and is not the shard's
/// fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartShortage {
    /// The user's or the machine's processes are used up.
    Processes,
    /// All pseudo-terminals are in use.
    Terminals,
    /// The descriptors of the process or of the machine are used up.
    Files,
    /// The kernel had no memory for it.
    Memory,
}

impl StartShortage {
    /// Returns a line for people with what is lacking.
    pub fn as_text(self) -> &'static str {
        match self {
            Self::Processes => "no more processes allowed (ulimit -u)",
            Self::Terminals => "no free terminals",
            Self::Files => "too many open files (ulimit -n)",
            Self::Memory => "no memory to start a process",
        }
    }
}

/// How much room a GPU has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GpuRoom {
    /// Index of the GPU.
    pub gpu: GpuIndex,
    /// Free by the driver's word.
    pub free: Bytes,
    /// The part of the free memory that is promised to attempts that do not use it yet.
    pub promised: Bytes,
    /// Left free in any case.
    pub reserve: Bytes,
    /// No other shard may join the one that is there.
    pub taken: bool,
    /// The largest of the processes that are none of this program's.
    pub stranger: Option<Stranger>,
    /// The largest part of these promises that another run holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<ReservationElsewhere>,
}

/// Resources that another run was promised and does not use yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservationElsewhere {
    /// The holder of the promise, as part of a sentence: `the run h100_eval-…`.
    pub holder: String,
    /// How much: bytes, or cores.
    pub amount: u64,
}

impl GpuRoom {
    /// Returns the memory that can be given to one more shard.
    pub fn available_vram(&self) -> Bytes {
        Bytes(self.free.0.saturating_sub(self.promised.0).saturating_sub(self.reserve.0))
    }
}

/// A process on a GPU that no run of this user has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stranger {
    /// Process id of the stranger.
    pub pid: u32,
    /// The name of its program, where it can be read.
    pub name: Option<String>,
    /// The memory it holds.
    pub vram: Bytes,
}

/// A GPU that gets no shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutGpu {
    /// Index of the GPU.
    pub gpu: GpuIndex,
    /// The reason why it gets no shards.
    pub reason: String,
}
