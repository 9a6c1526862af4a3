//! What a queued shard is short of: `waiting.json`, from which its reason is worded.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ids::{GpuIndex, ShardId};
use super::resources::VramSlot;
use super::units::Bytes;

/// The version of the file's format; a reader that does not know it shows no reason.
pub const WAITING_VERSION: u32 = 1;

/// `waiting.json`: what the machine has too little of, at the last decision of the supervisor. Shards that wait for
/// a slot, or for a moment, are not in it: the journal says that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    /// See [`WAITING_VERSION`].
    pub version: u32,
    /// When it was written; what it says holds until it is written again.
    pub at: Timestamp,
    /// What is short, and for whom.
    pub shortages: Vec<WaitingGroup>,
}

/// Shards that wait for the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaitingGroup {
    /// Their positions in the plan, rising.
    pub shards: Vec<usize>,
    /// What they wait for.
    pub short_of: Shortage,
}

/// What a shard is short of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Shortage {
    /// Too few GPUs have the memory that is needed.
    Vram {
        /// On each GPU of the shard, the largest first.
        needs: Vec<VramSlot>,
        /// What every usable GPU has.
        gpus: Vec<GpuRoom>,
    },
    /// It must be alone on its GPUs, and others are there.
    Alone {
        /// So many GPUs without others.
        gpus: usize,
        /// Nobody else may be there because its memory is to be measured.
        measuring: bool,
    },
    /// Its memory is not known before this one's is.
    Measured {
        /// Who is being measured.
        first: ShardId,
    },
    /// Nobody knows yet how many values of a pack fit.
    PackSize {
        /// The pack that tries it.
        first: ShardId,
        /// With so many.
        values: usize,
    },
    /// Fewer GPUs can be used than it needs.
    Gpus {
        /// So many.
        needs: usize,
        /// So many can be used.
        usable: usize,
        /// Those that cannot, with the reason.
        shut: Vec<ShutGpu>,
    },
    /// Too few cores are free.
    Cores {
        /// So many.
        needs: u32,
        /// So many of them are promised to others.
        promised: u32,
        /// So many there are.
        cores: u32,
        /// Of these promises, the largest part that another run holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<PromiseElsewhere>,
    },
    /// Too little main memory is free.
    Ram {
        /// So much.
        needs: Bytes,
        /// Free now.
        free: Bytes,
        /// Of that, promised to attempts that do not use it yet.
        promised: Bytes,
        /// Of these promises, the largest part that another run holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<PromiseElsewhere>,
    },
    /// The machine could not start the last one that was tried.
    Start {
        /// For lack of this.
        lack: StartShortage,
    },
    /// A service that it uses cannot be used yet.
    Service {
        /// The service, or the instance where one is known.
        service: String,
        /// Why.
        why: ServiceWait,
    },
    /// Room is kept for a shard that comes before it and needs more.
    Turn {
        /// Who comes first.
        first: ShardId,
    },
}

/// Why a shard cannot use a service yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "kebab-case")]
pub enum ServiceWait {
    /// It was started and is not ready.
    Starting,
    /// It serves as many shards as it may.
    Full {
        /// So many.
        serves: u32,
    },
    /// It failed, and is started again at that moment.
    Again {
        /// When.
        at: Timestamp,
    },
    /// It failed for good.
    Failed {
        /// Why.
        message: String,
    },
    /// It is being ended, or is paused.
    Ending,
    /// The machine has no room for it.
    Room {
        /// What is short.
        short_of: Box<Shortage>,
    },
}

/// What the machine had too little of to start an attempt; it passes, and says nothing about the shard.
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
    /// One line for people.
    pub fn words(self) -> &'static str {
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
    /// Which.
    pub gpu: GpuIndex,
    /// Free by the driver's word.
    pub free: Bytes,
    /// Of that, promised to attempts that do not use it yet.
    pub promised: Bytes,
    /// Left free in any case.
    pub reserve: Bytes,
    /// No other shard may join the one that is there.
    pub taken: bool,
    /// The largest of the processes that are none of this program's.
    pub stranger: Option<Stranger>,
    /// Of what is promised, the largest part that another run holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<PromiseElsewhere>,
}

/// What another run was promised and does not use yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromiseElsewhere {
    /// Whose promise it is, as part of a sentence: `the run h100_eval-…`.
    pub holder: String,
    /// How much: bytes, or cores.
    pub amount: u64,
}

impl GpuRoom {
    /// What could be given to one more shard.
    pub fn room(&self) -> Bytes {
        Bytes(self.free.0.saturating_sub(self.promised.0).saturating_sub(self.reserve.0))
    }
}

/// A process on a GPU that no run of this user has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stranger {
    /// Its pid.
    pub pid: u32,
    /// The name of its program, where it can be read.
    pub name: Option<String>,
    /// The memory it holds.
    pub vram: Bytes,
}

/// A GPU that gets no shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutGpu {
    /// Which.
    pub gpu: GpuIndex,
    /// Why.
    pub reason: String,
}
