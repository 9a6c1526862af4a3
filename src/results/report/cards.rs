//! The GPUs of the run as a table: which they are, and how they were used.

use std::collections::BTreeSet;

use minijinja::Value;

use super::template::{render_template, values};
use crate::model::machine::sample::GpuInventory;
use crate::results::measured::gpu_place::{GpuInventories, GpuPlace};
use crate::results::measured::measures::{GpuMeasures, RunMeasures};
use crate::results::measured::tally::ReadingStats;
use crate::results::scale::{format_bytes, format_percent, format_short};

/// The table; empty if no GPU was read.
pub fn render_gpu_table(measured: &RunMeasures, inventories: &GpuInventories) -> String {
    if measured.gpus.is_empty() {
        return String::new();
    }
    let drivers: BTreeSet<&str> = inventories.iter().filter_map(GpuInventory::driver).collect();
    let driver = (!drivers.is_empty()).then(|| Vec::from_iter(drivers).join(", "));
    let row = |(place, gpu): (&GpuPlace, &GpuMeasures)| {
        let model = inventories.find_card(place).map(|card| &card.name);
        values! { index => place.to_string(), model, cells => measured_cells(gpu) }
    };
    render_template(
        "cards",
        values! { driver, rows => measured.gpus.iter().map(row).collect::<Vec<Value>>() },
    )
}

/// What was measured of a GPU, in the order of the columns.
fn measured_cells(gpu: &GpuMeasures) -> [Option<String>; 6] {
    let whole = |number: f64| format!("{number:.0}");
    let of = |limit: Option<String>| limit.map(|limit| format!(" of {limit}")).unwrap_or_default();
    let (total, cap) = (of(gpu.vram_total.peak().map(format_bytes)), of(gpu.power_cap.peak().map(whole)));
    [
        mean_and_peak(&gpu.vram.whole, format_bytes).map(|both| both + &total),
        mean_and_peak(&gpu.power.whole, whole).map(|both| format!("{both}{cap} W")),
        mean_and_peak(&gpu.temperature.whole, whole).map(|both| both + " °C"),
        mean_and_peak(&gpu.utilization.whole, whole).map(|both| both + " %"),
        gpu.throttled.whole.mean().map(|share| format_percent(share / 100.0)),
        gpu.energy_j.map(|joules| format!("{} Wh", format_short(joules / 3600.0))),
    ]
}

/// `4.2 GiB | 9.8 GiB`: the mean and the most.
fn mean_and_peak(tally: &ReadingStats, shown: impl Fn(f64) -> String) -> Option<String> {
    Some(format!("{} | {}", shown(tally.mean()?), shown(tally.peak()?)))
}
