//! What was measured of a run, of its GPUs and of each attempt, in sum.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::gpu_place::GpuPlace;
use super::grid::Grid;
use super::series::Series;
use super::tally::ReadingStats;
use crate::model::sweep::node_spec::NodeId;

/// All that was measured of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunMeasures {
    /// The time that is shown.
    pub grid: Grid,
    /// Each GPU that was read.
    pub gpus: BTreeMap<GpuPlace, GpuMeasures>,
    /// The machine as a whole; of nodes all of their readings together.
    pub host: HostMeasures,
    /// For how long each node was at work, in seconds.
    pub node_seconds: BTreeMap<NodeId, f64>,
    /// Each attempt, in the order in which they were asked about.
    pub attempts: Vec<AttemptMeasures>,
}

/// Readings of one GPU over the time of the run, whichever processes used it.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuMeasures {
    /// Memory in use, in bytes.
    pub vram: Series,
    /// All of its memory, in bytes.
    pub vram_total: ReadingStats,
    /// Power that it draws, in W.
    pub power: Series,
    /// The cap on it, in W.
    pub power_cap: ReadingStats,
    /// Temperature of the GPU, in °C.
    pub temperature: Series,
    /// Utilisation of the GPU, in %.
    pub utilization: Series,
    /// Utilisation of its memory, in %.
    pub memory_utilization: ReadingStats,
    /// For how much of the time its clocks were held back, in %.
    pub throttled: Series,
    /// Energy drawn, in J; `None` if the driver does not count it.
    pub energy_j: Option<f64>,
}

/// Readings of the machine over the time of the run, whichever processes used it.
#[derive(Debug, Clone, PartialEq)]
pub struct HostMeasures {
    /// All cores together, in %.
    pub cpu: Series,
    /// Memory in use, in bytes.
    pub ram: Series,
    /// All memory, in bytes.
    pub ram_total: ReadingStats,
    /// Number of cores that the machine has.
    pub cores: ReadingStats,
    /// Read from disks, written to them, received from networks and sent to them, in bytes a second.
    pub moved: [ReadingStats; 4],
    /// Swapped out, in bytes.
    pub swap: ReadingStats,
    /// Temperature of the warmest sensor of a processor, in °C.
    pub cpu_temperature: ReadingStats,
}

/// Readings of an attempt: its own processes, and the GPUs and the machine while it ran.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttemptMeasures {
    /// Processor use, in % of one core.
    pub cpu: ReadingStats,
    /// Resident memory, in bytes.
    pub rss: ReadingStats,
    /// VRAM over all GPUs, in bytes.
    pub vram: ReadingStats,
    /// VRAM in each column of the grid that has a reading: the most, in bytes.
    pub vram_course: Vec<(usize, f64)>,
    /// Power of its GPUs, in W, whichever processes used them.
    pub power: ReadingStats,
    /// Temperature of its GPUs, in °C.
    pub temperature: ReadingStats,
    /// Utilisation of its GPUs, in %, whichever processes used them.
    pub utilization: ReadingStats,
    /// For how much of the time the clocks of its GPUs were held back, in %.
    pub throttled_percent: Option<f64>,
    /// CPU of the machine, in %.
    pub host_cpu: ReadingStats,
    /// Memory in use on the machine, in bytes.
    pub host_ram: ReadingStats,
    /// Its part of the energy of its GPUs so far, in J.
    pub energy_j: Option<f64>,
}

impl RunMeasures {
    /// Returns the measures of a run without telemetry.
    pub fn without_readings(grid: Grid, attempts: usize) -> Self {
        let host = HostMeasures {
            cpu: Series::new(grid),
            ram: Series::new(grid),
            ram_total: ReadingStats::default(),
            cores: ReadingStats::default(),
            moved: [ReadingStats::default(); 4],
            swap: ReadingStats::default(),
            cpu_temperature: ReadingStats::default(),
        };
        let attempts = vec![AttemptMeasures::default(); attempts];
        Self { grid, gpus: BTreeMap::new(), host, node_seconds: BTreeMap::new(), attempts }
    }

    /// Returns the energy drawn by all GPUs, in J; `None` if one of them does not report it.
    pub fn energy_j(&self) -> Option<f64> {
        let sum: Option<f64> = self.gpus.values().map(|gpu| gpu.energy_j).sum();
        sum.filter(|_| !self.gpus.is_empty())
    }

    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        let gpus = self.gpus.iter().map(|(place, gpu)| gpu.to_json(place));
        json!({
            "gpus": gpus.collect::<Vec<_>>(),
            "host": {
                "cores": self.host.cores.peak(),
                "cpu_percent": peak_and_mean(&self.host.cpu.whole),
                "ram_total_bytes": self.host.ram_total.peak(),
                "ram_used_bytes": peak_and_mean(&self.host.ram.whole),
                "swap_used_bytes": peak_and_mean(&self.host.swap),
                "cpu_temperature_c": peak_and_mean(&self.host.cpu_temperature),
                "disk_read_bytes_per_s": peak_and_mean(&self.host.moved[0]),
                "disk_written_bytes_per_s": peak_and_mean(&self.host.moved[1]),
                "net_received_bytes_per_s": peak_and_mean(&self.host.moved[2]),
                "net_sent_bytes_per_s": peak_and_mean(&self.host.moved[3]),
            },
            "energy_j": self.energy_j(),
        })
    }
}

impl GpuMeasures {
    /// Returns the measures of a GPU without readings.
    pub fn without_readings(grid: Grid) -> Self {
        let series = || Series::new(grid);
        Self {
            vram: series(),
            vram_total: ReadingStats::default(),
            power: series(),
            power_cap: ReadingStats::default(),
            temperature: series(),
            utilization: series(),
            memory_utilization: ReadingStats::default(),
            throttled: series(),
            energy_j: None,
        }
    }

    fn to_json(&self, place: &GpuPlace) -> Value {
        let mut json = json!({
            "index": place.index,
            "vram_total_bytes": self.vram_total.peak(),
            "vram_used_bytes": peak_and_mean(&self.vram.whole),
            "power_cap_w": self.power_cap.peak(),
            "power_w": peak_and_mean(&self.power.whole),
            "temperature_c": peak_and_mean(&self.temperature.whole),
            "utilization_percent": peak_and_mean(&self.utilization.whole),
            "memory_utilization_percent": peak_and_mean(&self.memory_utilization),
            "throttled_percent": self.throttled.whole.mean(),
            "energy_j": self.energy_j,
        });
        if let Some(node) = &place.node {
            json["node"] = json!(node);
        }
        json
    }
}

impl AttemptMeasures {
    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        json!({
            "vram_bytes": peak_and_mean(&self.vram),
            "cpu_percent": peak_and_mean(&self.cpu),
            "rss_bytes": peak_and_mean(&self.rss),
            "power_w": peak_and_mean(&self.power),
            "temperature_c": peak_and_mean(&self.temperature),
            "utilization_percent": peak_and_mean(&self.utilization),
            "throttled_percent": self.throttled_percent,
            "host_cpu_percent": peak_and_mean(&self.host_cpu),
            "host_ram_used_bytes": peak_and_mean(&self.host_ram),
            "energy_j": self.energy_j,
        })
    }
}

fn peak_and_mean(tally: &ReadingStats) -> Value {
    json!({"peak": tally.peak(), "mean": tally.mean()})
}
