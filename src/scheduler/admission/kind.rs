//! What the sweep declares that some of its shards, or the instances of a service, need.

use std::time::Duration;

use crate::model::claims::claim::Tenancy;
use crate::model::needs::resources::{Resources, VramSlot};
use crate::model::units::Bytes;

/// Needs that the sweep declares for some of its shards.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredNeeds {
    /// Need of the shard on each of its GPUs; empty where the machine has none.
    pub slots: Vec<Option<VramSlot>>,
    /// Rule for what else may run on the same GPUs.
    pub tenancy: Tenancy,
    /// Number of cores that a shard needs, if declared.
    pub cpus: Option<u32>,
    /// Main memory that a shard needs, if declared.
    pub ram: Option<Bytes>,
    /// After this much unpaused time an attempt is stopped.
    pub timeout: Option<Duration>,
}

impl DeclaredNeeds {
    /// By the resources on a machine with so many GPUs.
    pub fn from_resources(resources: &Resources, timeout: Option<Duration>, gpus: usize) -> Self {
        Self {
            slots: if gpus == 0 { Vec::new() } else { resources.gpu_slots(gpus) },
            tenancy: if resources.exclusive { Tenancy::Alone } else { Tenancy::Shared },
            cpus: resources.cpus,
            ram: resources.ram,
            timeout,
        }
    }

    /// The VRAM of some slot is found by measuring.
    pub fn has_measured_slot(&self) -> bool {
        self.slots.iter().flatten().any(|slot| slot.measured)
    }
}
