//! What is known of the machine in addition to the journal: the last reading, other runs, and what was learned of
//! memory.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::units::Bytes;
use crate::scheduler::learning::footprint::Footprints;
use crate::scheduler::learning::lessons::Lessons;
use crate::scheduler::learning::pack_families::PackFamilies;
use crate::scheduler::machine::{MachineState, OtherClaim};
use crate::scheduler::visitors::Visitors;

/// Knowledge of the machine, of other runs and of needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Knowledge {
    /// The machine as it was last read.
    pub machine: Option<MachineState>,
    /// When that reading came in.
    pub heard: Option<Timestamp>,
    /// Promises that other runs were given.
    pub others: Vec<OtherClaim>,
    /// When another run was last seen to hold a promise on a GPU.
    pub others_seen_on: BTreeMap<GpuIndex, Timestamp>,
    /// VRAM in use on each GPU when no attempt was on it.
    pub idle_use: BTreeMap<GpuIndex, Bytes>,
    /// Other users' processes and when they came.
    pub visitors: Visitors,
    /// VRAM that shards really take.
    pub footprints: Footprints,
    /// Lessons that failures taught about their needs.
    pub lessons: Lessons,
    /// How many values of a pack fit.
    pub pack_families: PackFamilies,
}

impl Knowledge {
    /// Takes in what other runs were promised at that moment; it replaces what was known of them.
    pub fn replace_others(&mut self, others: &[OtherClaim], now: Timestamp) {
        for gpu in others.iter().flat_map(|other| &other.gpus) {
            self.others_seen_on.insert(gpu.gpu, now);
        }
        others.clone_into(&mut self.others);
    }
}
