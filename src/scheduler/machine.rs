//! What the machine has and who uses it, as the supervisor last read it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::claims::claim::Tenancy;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::shortage::Stranger;
use crate::model::units::Bytes;

/// The machine at one moment. What could not be read is unknown, and what is unknown holds nothing up.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineState {
    /// When the host was read; each card has a moment of its own.
    pub at: Timestamp,
    /// The GPUs that the driver lists.
    pub cards: Vec<GpuState>,
    /// Cores that may be used.
    pub cores: Option<u32>,
    /// Main memory, of the machine or of the control group that bounds this run.
    pub ram: Option<Ram>,
    /// Memory that this run's attempts use.
    pub attempts: BTreeMap<AttemptKey, AttemptUse>,
    /// Processes of other users on the GPUs, as far as they live here.
    pub visitors: Vec<Visitor>,
}

/// A process of another user on a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visitor {
    /// Index of the GPU it came to.
    pub gpu: GpuIndex,
    /// Process id of the visitor.
    pub pid: u32,
    /// Start time in ticks since the boot: with the pid it distinguishes the process from later ones.
    pub start_ticks: u64,
    /// When it was started.
    pub started: Timestamp,
    /// The user's name, or number.
    pub user: String,
    /// The name of its program, where it can be read.
    pub name: Option<String>,
}

/// Main memory of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ram {
    /// Installed memory that the system can use.
    pub total: Bytes,
    /// Memory that could still be given out: the page cache gives way.
    pub free: Bytes,
}

/// Reading of one GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuState {
    /// Index of the GPU.
    pub gpu: GpuIndex,
    /// When the reading of its last answer began, if there ever was one.
    pub at: Option<Timestamp>,
    /// All of its memory.
    pub total: Option<Bytes>,
    /// Memory in use, by any process.
    pub used: Option<Bytes>,
    /// True if the driver reports which processes use it and how much each; inside containers it often does not.
    pub tells_processes: bool,
    /// The largest process on it that no run of this user has started.
    pub stranger: Option<Stranger>,
    /// Memory that such processes hold together, as far as they live here; `None` if the driver does not
    /// report it.
    pub strangers: Option<Bytes>,
    /// Memory that such processes hold according to the lists, also where the lists do not explain all that is in use.
    pub listed_strangers: Bytes,
    /// Fault with which it answers, if any.
    pub fault: Option<String>,
    /// The fault is not one that passes: it is of no use until it is reset or the machine restarted.
    pub is_lost: bool,
}

/// Memory that the processes of one attempt use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttemptUse {
    /// VRAM on each GPU on which it has a process; unknown where the driver does not report it.
    pub vram: Vec<(GpuIndex, Option<Bytes>)>,
    /// Resident main memory of its processes.
    pub rss: Option<Bytes>,
}

/// Promise to an attempt of another run, and what it uses already.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherClaim {
    /// Owner of the attempt, as part of a sentence: `the run h100_eval-…`.
    pub holder: String,
    /// GPUs that the attempt was given.
    pub gpus: Vec<OtherGpu>,
    /// Rule for what else may run on the same GPUs.
    pub tenancy: Tenancy,
    /// Number of cores that it was promised.
    pub cpus: Option<u32>,
    /// The cores it is pinned to.
    pub cores: Vec<u32>,
    /// Main memory that it was promised.
    pub ram: Option<Bytes>,
    /// Main memory that it uses.
    pub rss: Option<Bytes>,
}

/// A GPU that an attempt of another run uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtherGpu {
    /// Index of the GPU.
    pub gpu: GpuIndex,
    /// Memory that the attempt was promised.
    pub claim: Option<Bytes>,
    /// Memory that it uses, where the driver reports it.
    pub used: Option<Bytes>,
}

impl MachineState {
    /// Returns the card with that index, if it was read.
    pub fn card(&self, gpu: GpuIndex) -> Option<&GpuState> {
        self.cards.iter().find(|card| card.gpu == gpu)
    }

    /// The moment after which the host and these GPUs were read as a whole. One with a fault is read no more.
    pub fn read_since(&self, is_meant: impl Fn(GpuIndex) -> bool) -> Timestamp {
        let cards = self.cards.iter().filter(|card| card.fault.is_none() && is_meant(card.gpu));
        cards.filter_map(|card| card.at).fold(self.at, Timestamp::min)
    }

    /// Returns the VRAM that the attempt uses on that GPU; `None` if the driver does not report it, or the
    /// attempt is younger than the reading.
    pub fn vram_of(&self, key: &AttemptKey, gpu: GpuIndex) -> Option<Bytes> {
        let attempt = self.attempts.get(key)?;
        match attempt.vram.iter().find(|(on, _)| *on == gpu) {
            Some((_, vram)) => *vram,
            None => self.card(gpu)?.tells_processes.then_some(Bytes(0)),
        }
    }
}
