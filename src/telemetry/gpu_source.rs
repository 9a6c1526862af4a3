//! What readings of GPUs are made of, and the seam behind which NVML stands.

use jiff::Timestamp;

use crate::model::gpu_health::{GpuFaultKind, GpuHealth};
use crate::model::ids::GpuIndex;
use crate::model::sample::{GpuCard, GpuProcess, GpuSample};

/// A driver that answers: NVML, or a script in tests.
pub trait GpuSource: Send + 'static {
    /// What asks about one GPU.
    type Reader: GpuReader;

    /// The driver's version.
    fn driver(&self) -> String;

    /// A reader for each GPU, in PCI-bus order, or why there is none. It asks no GPU anything.
    fn readers(&self) -> Result<Vec<Self::Reader>, String>;
}

/// Asks about one GPU, on a thread of its own: a call may block for as long as the driver likes.
pub trait GpuReader: Send + 'static {
    /// What does not change about it.
    fn card(&mut self) -> GpuCard;

    /// How it stands.
    fn read(&mut self, at: Timestamp) -> GpuReading;
}

/// One GPU at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuReading {
    /// Its figures; unknown where it did not answer.
    pub sample: GpuSample,
    /// The processes that the driver shows.
    pub processes: Vec<GpuProcess>,
    /// What is wrong with it, both what lasts and what happened since the reading before.
    pub faults: Vec<GpuFaultKind>,
}

/// All GPUs at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GpuReadings {
    /// The newest figures of each GPU that answers, each with its own time.
    pub samples: Vec<GpuSample>,
    /// The processes that the driver shows; what they hold is unknown on a GPU that does not answer.
    pub processes: Vec<GpuProcess>,
    /// What is wrong, one for each GPU.
    pub health: Vec<GpuHealth>,
}

impl GpuReadings {
    /// Those of these cards alone.
    pub fn of(&self, cards: &[GpuCard]) -> Self {
        let is_of = |gpu: GpuIndex| cards.iter().any(|card| card.index == gpu);
        Self {
            samples: self.samples.iter().filter(|sample| is_of(sample.gpu)).cloned().collect(),
            processes: self.processes.iter().filter(|process| is_of(process.gpu)).cloned().collect(),
            health: self.health.iter().filter(|health| is_of(health.gpu)).cloned().collect(),
        }
    }
}

impl GpuReading {
    /// A reading of which nothing is known.
    pub fn unknown(gpu: GpuIndex, at: Timestamp) -> Self {
        Self { sample: GpuSample::unknown(gpu, at), processes: Vec::new(), faults: Vec::new() }
    }
}
