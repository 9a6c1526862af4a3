//! The fold over the rows of the telemetry files: one pass, and memory that does not grow with their length.

use std::collections::{BTreeMap, HashMap};

use super::grid::Grid;
use super::measures::{AttemptMeasures, GpuMeasures, RunMeasures};
use crate::model::ids::{AttemptNumber, GpuIndex, ShardId};
use crate::model::machine::sample::{GpuSample, HostSample, ShardSample};
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;
use crate::results::measured::attempts::{Attempt, on_gpus};
use crate::results::measured::occupancy::Occupancy;

/// Takes rows in the order of each file, and gives what they come to.
#[derive(Debug)]
pub struct Fold {
    measured: RunMeasures,
    /// Attempts by the shard and the number that rows have.
    named: HashMap<ShardId, Vec<(AttemptNumber, usize)>>,
    on_gpu: BTreeMap<GpuIndex, Occupancy>,
    on_host: Occupancy,
    /// The newest count of energy of each GPU.
    energy: BTreeMap<GpuIndex, f64>,
}

impl Fold {
    /// Before the first row.
    pub fn new(grid: Grid, plan: &Plan, attempts: &[Attempt<'_>]) -> Self {
        let mut named: HashMap<ShardId, Vec<(AttemptNumber, usize)>> = HashMap::new();
        for (position, attempt) in attempts.iter().enumerate() {
            let id = plan.shards[attempt.shard].id.clone();
            named.entry(id).or_default().push((attempt.number, position));
        }
        let spans =
            || attempts.iter().enumerate().map(|(position, attempt)| (position, attempt.from, attempt.to));
        Self {
            measured: RunMeasures::nothing(grid, attempts.len()),
            named,
            on_gpu: on_gpus(attempts),
            on_host: Occupancy::of(spans()),
            energy: BTreeMap::new(),
        }
    }

    /// Takes a row of `gpu_metrics.csv`.
    pub fn gpu(&mut self, row: &GpuSample) {
        let grid = self.measured.grid;
        let gpu = self.measured.gpus.entry(row.gpu).or_insert_with(|| GpuMeasures::nothing(grid));
        let at = row.timestamp;
        gpu.vram.take(at, bytes(row.vram_used_bytes));
        gpu.vram_total.take(bytes(row.vram_total_bytes));
        gpu.power.take(at, row.power_w);
        gpu.power_cap.take(row.power_cap_w);
        gpu.temperature.take(at, row.temperature_c);
        gpu.utilization.take(at, row.utilization_percent);
        gpu.memory_utilization.take(row.memory_utilization_percent);
        gpu.throttled.take(at, row.throttled_percent);
        if let Some(count) = row.energy_j {
            let before = self.energy.insert(row.gpu, count);
            // The driver counts from 0 again when it is loaded again.
            let drawn = before.map_or(0.0, |before| if count >= before { count - before } else { count });
            gpu.energy_j = Some(gpu.energy_j.unwrap_or(0.0) + drawn);
        }
        for position in self.on_gpu.get(&row.gpu).map_or(&[][..], |occupancy| occupancy.at(at)) {
            let attempt = &mut self.measured.attempts[*position];
            attempt.power.take(row.power_w);
            attempt.temperature.take(row.temperature_c);
            attempt.utilization.take(row.utilization_percent);
        }
    }

    /// Takes a row of `host_metrics.csv`.
    pub fn host(&mut self, row: &HostSample) {
        let host = &mut self.measured.host;
        host.cpu.take(row.timestamp, row.cpu_percent);
        host.ram.take(row.timestamp, bytes(row.ram_used_bytes));
        host.ram_total.take(bytes(row.ram_total_bytes));
        host.cores.take(Some(f64::from(row.cores)));
        let moved = [
            row.disk_read_bytes_per_s,
            row.disk_written_bytes_per_s,
            row.net_received_bytes_per_s,
            row.net_sent_bytes_per_s,
        ];
        host.moved.iter_mut().zip(moved).for_each(|(tally, rate)| tally.take(rate));
        host.swap.take(bytes(row.swap_used_bytes));
        host.cpu_temperature.take(row.cpu_temperature_c);
        for position in self.on_host.at(row.timestamp) {
            let attempt = &mut self.measured.attempts[*position];
            attempt.host_cpu.take(row.cpu_percent);
            attempt.host_ram.take(bytes(row.ram_used_bytes));
        }
    }

    /// Takes a row of `shard_metrics.csv`.
    pub fn shard(&mut self, row: &ShardSample) {
        let column = self.measured.grid.column(row.timestamp);
        let Some(attempts) = self.named.get(&row.shard) else { return };
        let Some((_, position)) = attempts.iter().find(|(number, _)| *number == row.attempt) else { return };
        let attempt = &mut self.measured.attempts[*position];
        attempt.cpu.take(row.cpu_percent);
        attempt.rss.take(bytes(row.rss_bytes));
        attempt.vram.take(bytes(row.vram_bytes));
        attempt.energy_j = row.energy_j.or(attempt.energy_j);
        if let (Some(read), Some(throttled)) =
            (row.gpu_read_s.filter(|read| *read > 0.0), row.gpu_throttled_s)
        {
            attempt.throttled_percent = Some(100.0 * throttled / read);
        }
        if let (Some(vram), Some(column)) = (bytes(row.vram_bytes), column) {
            note(attempt, column, vram);
        }
    }

    /// Returns what all rows come to.
    pub fn finish(self) -> RunMeasures {
        self.measured
    }
}

fn note(attempt: &mut AttemptMeasures, column: usize, vram: f64) {
    match attempt.vram_course.last_mut() {
        Some((last, most)) if *last == column => *most = most.max(vram),
        Some(_) | None => attempt.vram_course.push((column, vram)),
    }
}

fn bytes(bytes: Option<Bytes>) -> Option<f64> {
    bytes.map(|bytes| bytes.0 as f64)
}
