//! Contents of GPU readings, and the trait that hides NVML.

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_health::{GpuFaultKind, GpuHealth};
use crate::model::machine::sample::{GpuCard, GpuProcess, GpuSample};

/// A driver that answers: NVML, or a script in tests.
pub trait GpuSource: Send + 'static {
    /// Reader that asks about one GPU.
    type Reader: GpuReader;

    /// Returns the version of the driver.
    fn driver_version(&self) -> String;

    /// A reader for each GPU, in PCI-bus order, or why there is none. It asks no GPU anything.
    fn create_readers(&self) -> Result<Vec<Self::Reader>, String>;
}

/// Asks about one GPU, on a thread of its own: a call may block for as long as the driver likes.
pub trait GpuReader: Send + 'static {
    /// Returns what does not change about the GPU.
    fn read_card(&mut self) -> GpuCard;

    /// Reads the GPU's figures, processes and faults now.
    fn take_reading(&mut self, at: Timestamp) -> GpuReading;
}

/// State of one GPU at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuReading {
    /// Its figures; unknown where it did not answer.
    pub sample: GpuSample,
    /// The processes that the driver shows.
    pub processes: Vec<GpuProcess>,
    /// Faults, both those that last and those that happened since the reading before.
    pub faults: Vec<GpuFaultKind>,
}

/// All GPUs at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GpuReadings {
    /// The newest figures of each GPU that answers, each with its own time.
    pub samples: Vec<GpuSample>,
    /// The processes that the driver shows; what they hold is unknown on a GPU that does not answer.
    pub processes: Vec<GpuProcess>,
    /// Faults, with an entry for each GPU.
    pub health: Vec<GpuHealth>,
}

impl GpuReadings {
    /// Returns the readings of these cards alone.
    pub fn for_cards(&self, cards: &[GpuCard]) -> Self {
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
