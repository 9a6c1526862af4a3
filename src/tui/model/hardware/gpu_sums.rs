//! Figures of many GPUs together.

use super::machine::MachineHistory;
use crate::model::machine::sample::GpuSample;
use crate::model::units::Bytes;

/// The newest readings of many GPUs in sum. Of a sum with an unknown part nothing is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GpuSums {
    /// How many GPUs there are.
    pub count: usize,
    /// The least and the most utilisation of those that report it, in percent.
    pub utilization: Option<(f64, f64)>,
    /// Memory in use.
    pub vram_used: Option<Bytes>,
    /// All of their memory.
    pub vram_total: Option<Bytes>,
    /// Power that they draw, in W.
    pub power_w: Option<f64>,
    /// Temperature of the hottest one that reports it, in °C.
    pub hottest_c: Option<f64>,
}

impl GpuSums {
    /// Adds up the GPUs of these machines.
    pub fn from_machines<'a>(machines: impl IntoIterator<Item = &'a MachineHistory>) -> Self {
        let newest = |machine: &'a MachineHistory| {
            machine.cards().iter().map(|card| machine.gpus.get(&card.index)?.back()).collect::<Vec<_>>()
        };
        let samples: Vec<Option<&GpuSample>> = machines.into_iter().flat_map(newest).collect();
        let known =
            |value: fn(&GpuSample) -> Option<f64>| samples.iter().flatten().filter_map(move |s| value(s));
        let busy = |sample: &GpuSample| sample.utilization_percent;
        let bytes = |part: fn(&GpuSample) -> Option<Bytes>| {
            let sum = samples.iter().map(|sample| Some(part((*sample)?)?.0)).sum::<Option<u64>>();
            sum.filter(|_| !samples.is_empty()).map(Bytes)
        };
        let power = samples.iter().map(|sample| (*sample)?.power_w).sum::<Option<f64>>();
        Self {
            count: samples.len(),
            utilization: known(busy).reduce(f64::min).zip(known(busy).reduce(f64::max)),
            vram_used: bytes(|sample| sample.vram_used_bytes),
            vram_total: bytes(|sample| sample.vram_total_bytes),
            power_w: power.filter(|_| !samples.is_empty()),
            hottest_c: known(|sample| sample.temperature_c).reduce(f64::max),
        }
    }
}
