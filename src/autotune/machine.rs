//! The machine as advice needs it: what is free now, because what others hold is not there to be promised.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{GpuCard, GpuInventory, HostSample};
use crate::model::units::Bytes;
use crate::telemetry::gpu_source::GpuReadings;
use crate::telemetry::host::HostMonitor;

/// Resources of the machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineResources {
    /// Cores that may be used.
    pub cores: u32,
    /// Main memory; `None` if it cannot be read.
    pub ram: Option<MemoryRoom>,
    /// GPUs that were looked at.
    pub gpus: Vec<Gpu>,
    /// Why there are none.
    pub no_gpu: Option<String>,
}

/// Memory of the host or of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MemoryRoom {
    /// Size of the whole memory.
    #[serde(rename = "total_bytes")]
    pub total: Bytes,
    /// Memory that no process uses now.
    #[serde(rename = "free_bytes")]
    pub free: Bytes,
}

/// GPU of the machine, with its memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gpu {
    /// Index of the GPU, from 0 on.
    pub index: GpuIndex,
    /// E.g. `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// Its memory; `None` if the driver does not report it.
    pub memory: Option<MemoryRoom>,
}

impl MachineResources {
    /// Describes this machine with the GPUs that were looked at.
    pub fn with_gpus(inventory: &GpuInventory, readings: &GpuReadings) -> Self {
        Self::from_readings(inventory, readings, &HostMonitor::new().read_sample(Timestamp::now()))
    }

    /// The names of its GPUs.
    pub fn gpu_names(&self) -> Vec<String> {
        self.gpus.iter().map(|gpu| gpu.name.clone()).collect()
    }

    /// Builds the description from readings.
    pub fn from_readings(inventory: &GpuInventory, readings: &GpuReadings, host: &HostSample) -> Self {
        let gpu = |card: &GpuCard| {
            let sample = readings.samples.iter().find(|sample| sample.gpu == card.index);
            let total = sample.and_then(|sample| sample.vram_total_bytes).or(card.vram_total);
            let used = sample.and_then(|sample| sample.vram_used_bytes);
            Gpu { index: card.index, name: card.name.clone(), memory: MemoryRoom::from_usage(total, used) }
        };
        Self {
            cores: host.cores,
            ram: MemoryRoom::from_usage(host.ram_total_bytes, host.ram_used_bytes),
            gpus: inventory.cards().iter().map(gpu).collect(),
            no_gpu: match inventory {
                GpuInventory::Present { .. } => None,
                GpuInventory::Absent { reason } => Some(reason.clone()),
            },
        }
    }
}

impl MemoryRoom {
    fn from_usage(total: Option<Bytes>, used: Option<Bytes>) -> Option<Self> {
        let (total, used) = total.zip(used)?;
        Some(Self { total, free: Bytes(total.0.saturating_sub(used.0)) })
    }
}
