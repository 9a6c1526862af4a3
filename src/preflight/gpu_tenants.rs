//! Who is on the GPUs already: their memory is not ours.

use super::finding::{Finding, FindingSeverity};
use super::surroundings::MachineTelemetry;
use crate::model::machine::sample::{GpuCard, GpuProcess};
use crate::model::units::Bytes;

/// Memory in use that no listed process has: contexts of the driver. Anything above it belongs to an unlisted process.
const UNLISTED: u64 = 1 << 30;

/// A remark for each card that is in use.
pub(super) fn inspect(cards: &[GpuCard], readings: MachineTelemetry<'_>) -> Vec<Finding> {
    cards.iter().filter_map(|card| inspect_card(card, readings)).collect()
}

fn inspect_card(card: &GpuCard, readings: MachineTelemetry<'_>) -> Option<Finding> {
    let processes: Vec<&GpuProcess> =
        readings.gpus.processes.iter().filter(|process| process.gpu == card.index).collect();
    let sample = readings.gpus.samples.iter().find(|sample| sample.gpu == card.index);
    let used = sample.and_then(|sample| sample.vram_used_bytes);
    let known: Vec<u64> = processes.iter().filter_map(|process| Some(process.vram?.0)).collect();
    let unlisted = used.map(|used| used.0.saturating_sub(known.iter().sum())).filter(|rest| *rest > UNLISTED);
    let (held, by) = if processes.is_empty() {
        (Bytes(unlisted?).to_string(), "processes that the driver does not list here".to_owned())
    } else {
        let held = match (known.len() == processes.len(), known.is_empty()) {
            // What is in use is then the best that is known.
            (_, true) => used.map_or_else(|| "VRAM that is not told".to_owned(), |used| used.to_string()),
            (true, false) => Bytes(known.iter().sum()).to_string(),
            (false, false) => format!("at least {}", Bytes(known.iter().sum())),
        };
        (held, describe_processes(&processes, sample.and_then(|sample| sample.outside_processes)))
    };
    let of = card.vram_total.map_or(String::new(), |total| format!(" of {total}"));
    let message = format!("GPU {} is in use already: {held}{of}, by {by}", card.index);
    Some(Finding::new(FindingSeverity::Note, "gpu", message))
}

fn describe_processes(processes: &[&GpuProcess], outside: Option<u32>) -> String {
    let outside = outside.unwrap_or(0) as usize;
    if outside == processes.len() {
        let plural = if outside == 1 { "a process" } else { "processes" };
        return format!("{plural} outside this container");
    }
    let pids: Vec<String> = processes.iter().map(|process| process.pid.to_string()).collect();
    let some =
        if outside > 0 { format!(" ({outside} of them outside this container)") } else { String::new() };
    format!("process {}{some}", pids.join(", "))
}
