//! What the sweep declares that some of its shards, or the instances of a service, need.

use std::time::Duration;

use crate::model::claim::Tenancy;
use crate::model::resources::{Resources, VramSlot};
use crate::model::units::Bytes;

/// What the sweep declares for some of its shards.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// What each GPU of a shard is needed for; empty where the machine has none.
    pub slots: Vec<Option<VramSlot>>,
    /// Who else may be on them.
    pub tenancy: Tenancy,
    /// Cores.
    pub cpus: Option<u32>,
    /// Main memory.
    pub ram: Option<Bytes>,
    /// After this much unpaused time an attempt is stopped.
    pub timeout: Option<Duration>,
}

impl Kind {
    /// By the resources on a machine with so many GPUs.
    pub fn of(resources: &Resources, timeout: Option<Duration>, gpus: usize) -> Self {
        Self {
            slots: if gpus == 0 { Vec::new() } else { resources.slots(gpus) },
            tenancy: if resources.exclusive { Tenancy::Alone } else { Tenancy::Shared },
            cpus: resources.cpus,
            ram: resources.ram,
            timeout,
        }
    }

    /// The VRAM of some slot is found by measuring.
    pub fn measures(&self) -> bool {
        self.slots.iter().flatten().any(|slot| slot.measured)
    }
}
