//! The series of the machine: its GPUs and the host, as runs at work have read them last.

use super::definitions as family;
use super::exposition_text::Exposition;
use crate::model::machine::throttle::ThrottleReason;
use crate::results::status::document::{GpuStatus, HostStatus, Status};

/// Adds the series of the machine, from the runs that live on it. Several runs read the same GPUs: the newest reading
/// of each counts.
pub fn add_machine(exposition: &mut Exposition, statuses: &[Status]) {
    let here: Vec<&Status> = statuses.iter().filter(|status| status.run.place.is_none()).collect();
    let mut cards: Vec<&GpuStatus> =
        here.iter().flat_map(|status| &status.gpus).filter(|card| is_of_machine(card)).collect();
    cards.sort_by_key(|card| (card.index, std::cmp::Reverse(card.sampled)));
    cards.dedup_by_key(|card| card.index);
    cards.into_iter().for_each(|card| add_gpu(exposition, card));
    let hosts = here.iter().map(|status| &status.host).filter(|host| host.sampled.is_some());
    if let Some(host) = hosts.max_by_key(|host| host.sampled) {
        add_host(exposition, host);
    }
}

/// Those of nodes are elsewhere.
fn is_of_machine(card: &GpuStatus) -> bool {
    card.sampled.is_some() && card.node.is_none()
}

fn add_gpu(exposition: &mut Exposition, card: &GpuStatus) {
    let index = card.index.to_string();
    let gpu = [index.as_str()];
    exposition.add(&family::GPU_INFO, &[&index, &card.uuid, &card.name], 1.0);
    exposition.add(&family::GPU_MEMORY_USED, &gpu, card.vram_used_bytes.map(|bytes| bytes.0 as f64));
    exposition.add(&family::GPU_MEMORY_SIZE, &gpu, card.vram_total_bytes.map(|bytes| bytes.0 as f64));
    exposition.add(&family::GPU_POWER, &gpu, card.power_w);
    exposition.add(&family::GPU_POWER_LIMIT, &gpu, card.power_cap_w);
    exposition.add(&family::GPU_ENERGY, &gpu, card.energy_j);
    exposition.add(&family::GPU_TEMPERATURE, &gpu, card.temperature_c);
    exposition.add(&family::GPU_UTILIZATION, &gpu, card.utilization_percent.map(|percent| percent / 100.0));
    if let Some(throttle) = card.throttle {
        for reason in ThrottleReason::ALL {
            let held = if throttle.has(reason) { 1.0 } else { 0.0 };
            exposition.add(&family::GPU_THROTTLED, &[&index, reason.as_str()], held);
        }
    }
    exposition.add(&family::GPU_THROTTLED_RATIO, &gpu, card.throttled_percent.map(|percent| percent / 100.0));
    exposition.add(&family::GPU_FAULTS, &gpu, card.faults.len() as f64);
}

fn add_host(exposition: &mut Exposition, host: &HostStatus) {
    exposition.add(&family::HOST_CPU, &[], host.cpu_percent.map(|percent| percent / 100.0));
    exposition.add(&family::HOST_CORES, &[], host.cores.map(f64::from));
    exposition.add(&family::HOST_MEMORY_USED, &[], host.ram_used_bytes.map(|bytes| bytes.0 as f64));
    exposition.add(&family::HOST_MEMORY_SIZE, &[], host.ram_total_bytes.map(|bytes| bytes.0 as f64));
}
