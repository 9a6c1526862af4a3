//! The fold over the rows of the telemetry files: one pass, and memory that does not grow with their length.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::gpu_place::GpuPlace;
use super::grid::Grid;
use super::measures::{AttemptMeasures, GpuMeasures, RunMeasures};
use crate::model::ids::{AttemptNumber, ShardId};
use crate::model::machine::sample::{GpuSample, HostSample, ShardSample};
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;
use crate::results::measured::attempts::{Attempt, on_gpus, on_hosts};
use crate::results::measured::occupancy::Occupancy;

/// Readings further apart than this, in seconds, are of two stretches of work: the node was away between them.
const MOST_APART: f64 = 60.0;

/// Takes rows in the order of each file, and gives what they come to.
#[derive(Debug)]
pub struct Fold {
    measured: RunMeasures,
    /// Attempts by the shard and the number that rows have.
    named: HashMap<ShardId, Vec<(AttemptNumber, usize)>>,
    on_gpu: BTreeMap<GpuPlace, Occupancy>,
    on_host: BTreeMap<Option<NodeId>, Occupancy>,
    /// The newest count of energy of each GPU.
    energy: BTreeMap<GpuPlace, f64>,
    /// The node whose rows come; none for the machine of the run.
    node: Option<NodeId>,
    /// When the host of that node was read last.
    host_read: Option<Timestamp>,
}

impl Fold {
    /// Before the first row.
    pub fn new(grid: Grid, plan: &Plan, attempts: &[Attempt<'_>]) -> Self {
        let mut named: HashMap<ShardId, Vec<(AttemptNumber, usize)>> = HashMap::new();
        for (position, attempt) in attempts.iter().enumerate() {
            let id = plan.shards[attempt.shard].id.clone();
            named.entry(id).or_default().push((attempt.number, position));
        }
        Self {
            measured: RunMeasures::without_readings(grid, attempts.len()),
            named,
            on_gpu: on_gpus(attempts),
            on_host: on_hosts(attempts),
            energy: BTreeMap::new(),
            node: None,
            host_read: None,
        }
    }

    /// The rows that follow are those of a node.
    pub fn turn_to_node(&mut self, node: &NodeId) {
        (self.node, self.host_read) = (Some(node.clone()), None);
    }

    /// Takes a row of `gpu_metrics.csv`.
    pub fn add_gpu_sample(&mut self, row: &GpuSample) {
        let grid = self.measured.grid;
        let place = GpuPlace { node: self.node.clone(), index: row.gpu };
        let gpu =
            self.measured.gpus.entry(place.clone()).or_insert_with(|| GpuMeasures::without_readings(grid));
        let at = row.timestamp;
        gpu.vram.add_reading(at, bytes_as_f64(row.vram_used_bytes));
        gpu.vram_total.add_reading(bytes_as_f64(row.vram_total_bytes));
        gpu.power.add_reading(at, row.power_w);
        gpu.power_cap.add_reading(row.power_cap_w);
        gpu.temperature.add_reading(at, row.temperature_c);
        gpu.utilization.add_reading(at, row.utilization_percent);
        gpu.memory_utilization.add_reading(row.memory_utilization_percent);
        gpu.throttled.add_reading(at, row.throttled_percent);
        if let Some(count) = row.energy_j {
            let before = self.energy.insert(place.clone(), count);
            // The driver counts from 0 again when it is loaded again.
            let drawn = before.map_or(0.0, |before| if count >= before { count - before } else { count });
            gpu.energy_j = Some(gpu.energy_j.unwrap_or(0.0) + drawn);
        }
        for position in self.on_gpu.get(&place).map_or(&[][..], |occupancy| occupancy.active_at(at)) {
            let attempt = &mut self.measured.attempts[*position];
            attempt.power.add_reading(row.power_w);
            attempt.temperature.add_reading(row.temperature_c);
            attempt.utilization.add_reading(row.utilization_percent);
        }
    }

    /// Takes a row of `host_metrics.csv`.
    pub fn add_host_sample(&mut self, row: &HostSample) {
        self.note_host_read(row.timestamp);
        let host = &mut self.measured.host;
        host.cpu.add_reading(row.timestamp, row.cpu_percent);
        host.ram.add_reading(row.timestamp, bytes_as_f64(row.ram_used_bytes));
        host.ram_total.add_reading(bytes_as_f64(row.ram_total_bytes));
        host.cores.add_reading(Some(f64::from(row.cores)));
        let moved = [
            row.disk_read_bytes_per_s,
            row.disk_written_bytes_per_s,
            row.net_received_bytes_per_s,
            row.net_sent_bytes_per_s,
        ];
        host.moved.iter_mut().zip(moved).for_each(|(tally, rate)| tally.add_reading(rate));
        host.swap.add_reading(bytes_as_f64(row.swap_used_bytes));
        host.cpu_temperature.add_reading(row.cpu_temperature_c);
        let on_host = self.on_host.get(&self.node);
        for position in on_host.map_or(&[][..], |occupancy| occupancy.active_at(row.timestamp)) {
            let attempt = &mut self.measured.attempts[*position];
            attempt.host_cpu.add_reading(row.cpu_percent);
            attempt.host_ram.add_reading(bytes_as_f64(row.ram_used_bytes));
        }
    }

    /// Adds up for how long a node was at work: it is read once a second then.
    fn note_host_read(&mut self, at: Timestamp) {
        let Some(node) = &self.node else { return };
        let seconds = self.measured.node_seconds.entry(node.clone()).or_insert(0.0);
        if let Some(before) = self.host_read.replace(at) {
            let apart = at.duration_since(before).as_secs_f64();
            *seconds += if (0.0..=MOST_APART).contains(&apart) { apart } else { 0.0 };
        }
    }

    /// Takes a row of `shard_metrics.csv`.
    pub fn add_shard_sample(&mut self, row: &ShardSample) {
        let column = self.measured.grid.column_at(row.timestamp);
        let Some(attempts) = self.named.get(&row.shard) else { return };
        let Some((_, position)) = attempts.iter().find(|(number, _)| *number == row.attempt) else { return };
        let attempt = &mut self.measured.attempts[*position];
        attempt.cpu.add_reading(row.cpu_percent);
        attempt.rss.add_reading(bytes_as_f64(row.rss_bytes));
        attempt.vram.add_reading(bytes_as_f64(row.vram_bytes));
        attempt.energy_j = row.energy_j.or(attempt.energy_j);
        if let (Some(read), Some(throttled)) =
            (row.gpu_read_s.filter(|read| *read > 0.0), row.gpu_throttled_s)
        {
            attempt.throttled_percent = Some(100.0 * throttled / read);
        }
        if let (Some(vram), Some(column)) = (bytes_as_f64(row.vram_bytes), column) {
            record_vram(attempt, column, vram);
        }
    }

    /// Returns what all rows come to.
    pub fn finish(self) -> RunMeasures {
        self.measured
    }
}

fn record_vram(attempt: &mut AttemptMeasures, column: usize, vram: f64) {
    match attempt.vram_course.last_mut() {
        Some((last, most)) if *last == column => *most = most.max(vram),
        Some(_) | None => attempt.vram_course.push((column, vram)),
    }
}

fn bytes_as_f64(bytes: Option<Bytes>) -> Option<f64> {
    bytes.map(|bytes| bytes.0 as f64)
}
