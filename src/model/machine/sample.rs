//! Readings of GPUs, host and shards at one moment; what could not be read is `None`, never 0.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::throttle::Throttle;
use super::vram_parts::VramParts;
use crate::model::ids::{AttemptKey, AttemptNumber, GpuIndex, ShardId};
use crate::model::outcome::Energy;
use crate::model::units::Bytes;

/// A reading older than this is not current: five rounds were missed.
pub const FRESH: Duration = Duration::from_secs(5);

/// No GPU at work is cooler than this: heat is measured from here on.
pub const COOL_C: f64 = 30.0;

/// Name and UUID of a card that did not report them.
const UNTOLD: &str = "unknown";

/// Everything that was read in one round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TelemetrySample {
    /// A reading for each GPU.
    pub gpus: Vec<GpuSample>,
    /// The host, once it was read.
    pub host: Option<HostSample>,
    /// A reading for each running shard.
    pub shards: Vec<ShardSample>,
}

/// `telemetry/gpus.json`: what the machine has, or why that is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "gpus", rename_all = "kebab-case")]
pub enum GpuInventory {
    /// NVML answers, and lists these cards.
    Present {
        /// The version of the driver.
        driver: String,
        /// The cards in PCI-bus order.
        cards: Vec<GpuCard>,
    },
    /// NVML does not answer.
    Absent {
        /// Reason why, as a line for people.
        reason: String,
    },
}

impl GpuInventory {
    /// The cards; none where NVML does not answer.
    pub fn cards(&self) -> &[GpuCard] {
        match self {
            Self::Present { cards, .. } => cards,
            Self::Absent { .. } => &[],
        }
    }

    /// The version of the driver that answers.
    pub fn driver(&self) -> Option<&str> {
        match self {
            Self::Present { driver, .. } => Some(driver),
            Self::Absent { .. } => None,
        }
    }

    /// Notes which cards no shard gets, and why.
    pub fn withhold_cards(&mut self, reason: impl Fn(GpuIndex) -> Option<String>) {
        match self {
            Self::Present { cards, .. } => {
                cards.iter_mut().for_each(|card| card.withheld = reason(card.index).or(card.withheld.take()));
            }
            Self::Absent { .. } => {}
        }
    }
}

/// Properties of a GPU that do not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuCard {
    /// Its number in PCI-bus order.
    pub index: GpuIndex,
    /// `GPU-…`, the name that survives reordering.
    pub uuid: String,
    /// E.g. `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// All of its memory.
    pub vram_total: Option<Bytes>,
    /// From this temperature on it slows itself down.
    #[serde(default)]
    pub slowdown_c: Option<u32>,
    /// Whether the card is divided into MIG instances.
    #[serde(default)]
    pub mig: Option<bool>,
    /// Why no shard gets it, where it is not for the run or the user to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
}

impl GpuCard {
    /// Returns a card that has not reported anything about itself yet.
    pub fn unknown(index: GpuIndex) -> Self {
        let unknown = || UNTOLD.to_owned();
        let (vram_total, slowdown_c, mig, withheld) = (None, None, None, None);
        Self { index, uuid: unknown(), name: unknown(), vram_total, slowdown_c, mig, withheld }
    }

    /// Returns the name by which programs can be given the card; `None` if it has reported none.
    pub fn cuda_name(&self) -> Option<&str> {
        Some(self.uuid.as_str()).filter(|uuid| *uuid != UNTOLD)
    }

    /// Returns the name by which a run remembers the card: its UUID, or its number where it has reported none.
    pub fn own_name(&self) -> String {
        self.cuda_name().map_or_else(|| self.index.to_string(), str::to_owned)
    }
}

/// A GPU at one moment: one row of `gpu_metrics.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GpuSample {
    /// The moment of the reading.
    pub timestamp: Timestamp,
    /// Index of the GPU that was read.
    pub gpu: GpuIndex,
    /// Memory in use, by any process.
    pub vram_used_bytes: Option<Bytes>,
    /// All of its memory.
    pub vram_total_bytes: Option<Bytes>,
    /// Share of the last second in which kernels ran, in percent.
    pub utilization_percent: Option<f64>,
    /// Power drawn by the card, in watts.
    pub power_w: Option<f64>,
    /// The cap that is enforced.
    pub power_cap_w: Option<f64>,
    /// Temperature of the core, in degrees Celsius.
    pub temperature_c: Option<f64>,
    /// Clock of the multiprocessors.
    pub clock_sm_mhz: Option<f64>,
    /// Clock of the memory.
    pub clock_memory_mhz: Option<f64>,
    /// Why its clocks are held back at this moment.
    #[serde(default)]
    pub throttle: Option<Throttle>,
    /// For how much of the time since the reading before its clocks were held back: by the driver's counters for power
    /// and heat, the larger of the two, and all of the time for a reason that has no counter and holds now.
    #[serde(default)]
    pub throttled_percent: Option<f64>,
    /// How much warmer it may become before it slows itself down.
    #[serde(default)]
    pub slowdown_margin_c: Option<f64>,
    /// Energy drawn since the driver was loaded.
    #[serde(default)]
    pub energy_j: Option<f64>,
    /// Memory errors that ECC could not correct, since the driver was loaded.
    #[serde(default)]
    pub ecc_uncorrected: Option<u64>,
    /// Processes on it whose numbers mean nothing here: they are outside this container.
    #[serde(default)]
    pub outside_processes: Option<u32>,
    /// Memory was read or written in this part of the last second.
    #[serde(default)]
    pub memory_utilization_percent: Option<f64>,
}

impl GpuSample {
    /// The part of the memory that is in use, 0 to 1.
    pub fn vram_part(&self, card: &GpuCard) -> Option<f64> {
        let total = self.vram_total_bytes.or(card.vram_total).filter(|total| total.0 > 0)?;
        Some(self.vram_used_bytes?.0 as f64 / total.0 as f64)
    }

    /// The part of the enforced power cap that is drawn; slightly above 1 for a moment.
    pub fn power_part(&self) -> Option<f64> {
        Some(self.power_w? / self.power_cap_w.filter(|cap| *cap > 0.0)?)
    }

    /// The part of the time in which kernels ran, 0 to 1.
    pub fn busy_part(&self) -> Option<f64> {
        Some(self.utilization_percent? / 100.0)
    }

    /// How near it is to the temperature at which it slows itself down, 0 to 1 from [`COOL_C`] on.
    pub fn heat_part(&self, card: &GpuCard) -> Option<f64> {
        let temperature = self.temperature_c?;
        let by_margin = self.slowdown_margin_c.map(|margin| temperature + margin);
        let slowdown = by_margin.or(card.slowdown_c.map(f64::from)).filter(|slowdown| *slowdown > COOL_C)?;
        Some(((temperature - COOL_C) / (slowdown - COOL_C)).max(0.0))
    }

    /// A moment of which nothing is known.
    pub fn unknown(gpu: GpuIndex, timestamp: Timestamp) -> Self {
        Self {
            timestamp,
            gpu,
            vram_used_bytes: None,
            vram_total_bytes: None,
            utilization_percent: None,
            power_w: None,
            power_cap_w: None,
            temperature_c: None,
            clock_sm_mhz: None,
            clock_memory_mhz: None,
            throttle: None,
            throttled_percent: None,
            slowdown_margin_c: None,
            energy_j: None,
            ecc_uncorrected: None,
            outside_processes: None,
            memory_utilization_percent: None,
        }
    }
}

/// A process on a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuProcess {
    /// Index of the GPU it is on.
    pub gpu: GpuIndex,
    /// Its pid, in the namespace of the driver.
    pub pid: u32,
    /// Memory it holds there.
    pub vram: Option<Bytes>,
}

/// The host at one moment: one row of `host_metrics.csv`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostSample {
    /// The moment of the reading.
    pub timestamp: Timestamp,
    /// All cores together, 0 to 100.
    pub cpu_percent: Option<f64>,
    /// Cores this process may use.
    pub cores: u32,
    /// Memory in use: total less available.
    pub ram_used_bytes: Option<Bytes>,
    /// All memory of the host.
    pub ram_total_bytes: Option<Bytes>,
    /// Load average over one minute.
    pub load_1m: Option<f64>,
    /// Read from its disks, in bytes a second.
    #[serde(default)]
    pub disk_read_bytes_per_s: Option<f64>,
    /// Written to its disks, in bytes a second.
    #[serde(default)]
    pub disk_written_bytes_per_s: Option<f64>,
    /// Received from networks, in bytes a second.
    #[serde(default)]
    pub net_received_bytes_per_s: Option<f64>,
    /// Sent to networks, in bytes a second.
    #[serde(default)]
    pub net_sent_bytes_per_s: Option<f64>,
    /// Memory that is swapped out; `None` if there is no swap.
    #[serde(default)]
    pub swap_used_bytes: Option<Bytes>,
    /// All swap space of the host.
    #[serde(default)]
    pub swap_total_bytes: Option<Bytes>,
    /// Temperature of the warmest sensor of a processor.
    #[serde(default)]
    pub cpu_temperature_c: Option<f64>,
}

impl HostSample {
    /// A moment of which nothing is known.
    pub fn unknown(timestamp: Timestamp) -> Self {
        Self { timestamp, ..Self::default() }
    }
}

/// Processes of one attempt at one moment: one row of `shard_metrics.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardSample {
    /// The moment of the reading.
    pub timestamp: Timestamp,
    /// Id of the shard that was read.
    pub shard: ShardId,
    /// Number of the attempt that was read.
    pub attempt: AttemptNumber,
    /// Percentage of one core: 250 is two and a half cores.
    pub cpu_percent: Option<f64>,
    /// Resident memory, added over its processes; shared pages count more than once.
    pub rss_bytes: Option<Bytes>,
    /// VRAM over all GPUs.
    pub vram_bytes: Option<Bytes>,
    /// Processes in its tree.
    pub processes: u32,
    /// Energy that its GPUs have drawn for it so far, in joules.
    #[serde(default)]
    pub energy_j: Option<f64>,
    /// Others were on its GPUs, or may have been, so that its energy is a part of what they all drew.
    #[serde(default)]
    pub energy_shared: Option<bool>,
    /// Seconds, added over its GPUs, for which it is known whether clocks were held back.
    #[serde(default)]
    pub gpu_read_s: Option<f64>,
    /// Seconds of these in which clocks were held back.
    #[serde(default)]
    pub gpu_throttled_s: Option<f64>,
    /// Its VRAM by GPU and component; only of shards with several GPUs or with components.
    #[serde(default)]
    pub vram_parts: Option<VramParts>,
}

impl ShardSample {
    /// The energy it had of its GPUs so far.
    pub fn energy(&self) -> Option<Energy> {
        Some(Energy { joules: self.energy_j?, shared: self.energy_shared.unwrap_or(true) })
    }

    /// A moment of which nothing is known; no process was found.
    pub fn unknown(key: &AttemptKey, timestamp: Timestamp) -> Self {
        Self {
            timestamp,
            shard: key.shard.clone(),
            attempt: key.attempt,
            cpu_percent: None,
            rss_bytes: None,
            vram_bytes: None,
            processes: 0,
            energy_j: None,
            energy_shared: None,
            gpu_read_s: None,
            gpu_throttled_s: None,
            vram_parts: None,
        }
    }
}
