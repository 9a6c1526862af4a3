//! What readings of GPUs are made of, and the seam behind which NVML stands.

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::sample::{GpuInventory, GpuProcess, GpuSample};

/// Where readings come from: NVML, or a script in tests. A call may block for as long as the driver likes.
pub trait GpuSource {
    /// What the machine has; asked once.
    fn inventory(&mut self) -> GpuInventory;

    /// One reading of every GPU.
    fn read(&mut self, at: Timestamp) -> GpuReadings;
}

/// One round over all GPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuReadings {
    /// When the round began; an old time means that the driver hangs.
    pub at: Timestamp,
    /// One per GPU.
    pub samples: Vec<GpuSample>,
    /// The processes that the driver shows.
    pub processes: Vec<GpuProcess>,
    /// GPUs that answer with a fault.
    pub faults: Vec<GpuFault>,
}

/// A GPU that did not answer as a healthy one does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuFault {
    /// Which.
    pub gpu: GpuIndex,
    /// One line for people.
    pub message: String,
}

impl GpuReadings {
    /// A round that has read nothing yet.
    pub fn empty(at: Timestamp) -> Self {
        Self { at, samples: Vec::new(), processes: Vec::new(), faults: Vec::new() }
    }
}
