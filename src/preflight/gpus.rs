//! The GPUs: are there enough, have they the memory, do they work, and who is on them already?

use super::finding::{Finding, FindingSeverity};
use super::surroundings::MachineTelemetry;
use super::{gpu_faults, gpu_tenants};
use crate::model::machine::gpu_permit::GpuPermit;
use crate::model::machine::sample::{GpuCard, GpuInventory};
use crate::model::needs::resources::GpuNeed;
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;

/// Compares what the sweep wants with what there is.
pub(super) fn inspect(plan: &Plan, readings: MachineTelemetry<'_>) -> Vec<Finding> {
    let count = most_gpus(plan);
    if plan.needs_no_gpu() {
        return Vec::new();
    }
    let permit = plan.resources.inherited.build_permit(readings.inventory.cards());
    let mut findings: Vec<Finding> = permit
        .warnings
        .iter()
        .map(|warning| Finding::new(FindingSeverity::Warning, "gpu", warning.as_str()))
        .collect();
    if let (GpuInventory::Present { .. }, Err(message)) =
        (readings.inventory, permit.choose_cards(&plan.resources.devices))
    {
        let hint = "correct `devices` in `[resources]`, or `--gpus`";
        findings.push(Finding::new(FindingSeverity::Refuse, "gpu", message).with_hint(hint));
        return findings;
    }
    let inventory = permit.limit_inventory(readings.inventory, &plan.resources.devices);
    findings.extend(note_restriction(plan, &permit, readings.inventory.cards().len(), inventory.cards()));
    let gpus = readings.gpus.for_cards(inventory.cards());
    findings.extend(of_cards(plan, count, MachineTelemetry { inventory: &inventory, gpus: &gpus }));
    findings
}

/// Returns a note on which GPUs are in force, and why.
fn note_restriction(plan: &Plan, permit: &GpuPermit, all: usize, used: &[GpuCard]) -> Option<Finding> {
    let reasons = permit.restriction_reasons(&plan.resources.devices);
    let numbers: Vec<String> = used.iter().map(|card| card.index.to_string()).collect();
    if numbers.is_empty() || (reasons.is_empty() && numbers.len() == all) {
        return None;
    }
    let (gpus, are) = if numbers.len() == 1 { ("GPU", "is") } else { ("GPUs", "are") };
    let mut message = format!("{gpus} {} of {all} {are} used", numbers.join(", "));
    if !reasons.is_empty() {
        message.push_str(&format!(" ({})", reasons.join("; ")));
    }
    Some(Finding::new(FindingSeverity::Note, "gpu", message))
}

fn of_cards(plan: &Plan, count: Option<u32>, readings: MachineTelemetry<'_>) -> Vec<Finding> {
    match readings.inventory {
        GpuInventory::Absent { reason } => report_absent(plan, count, reason).into_iter().collect(),
        GpuInventory::Present { cards, .. } => {
            let mut findings: Vec<Finding> = too_few(count, cards).into_iter().collect();
            if count != Some(0) {
                findings.extend(too_small(plan, cards));
                // Without a word a shard gets one GPU where there is any.
                let needed = count.unwrap_or(1).min(u32::try_from(cards.len()).unwrap_or(u32::MAX));
                findings.extend(gpu_faults::inspect(needed as usize, cards.len(), readings));
                findings.extend(gpu_tenants::inspect(cards, readings));
            }
            findings
        }
    }
}

/// The GPUs of the shard that has the most; `None` where the sweep leaves it to the machine.
fn most_gpus(plan: &Plan) -> Option<u32> {
    plan.all_resources().iter().map(|resources| resources.gpus.as_ref().map(GpuNeed::gpu_count)).max()?
}

/// The most VRAM that any one GPU of a shard must have, where the largest card has that much.
fn wanted_vram(plan: &Plan, largest: Bytes) -> Option<Bytes> {
    let all = plan.all_resources();
    let slots = all.iter().flat_map(|resources| resources.gpu_slots(1)).flatten();
    slots.filter_map(|slot| slot.bytes_on_card(Some(largest))).max()
}

fn report_absent(plan: &Plan, count: Option<u32>, reason: &str) -> Option<Finding> {
    match count {
        Some(0) => None,
        Some(count) => {
            let message = format!("a shard needs {count} GPU(s), and there is none: {reason}");
            let hint = "run it on a machine with a GPU, or set `gpus = 0` in `[resources]`";
            Some(Finding::new(FindingSeverity::Refuse, "gpu", message).with_hint(hint))
        }
        None if plan.all_resources().iter().any(|needs| needs.vram.is_some()) => {
            let message = format!("the sweep declares VRAM, and there is no GPU: {reason}");
            Some(
                Finding::new(FindingSeverity::Warning, "gpu", message)
                    .with_hint("the shards run without one"),
            )
        }
        None => Some(Finding::new(FindingSeverity::Note, "gpu", format!("no GPU: {reason}"))),
    }
}

fn too_few(count: Option<u32>, cards: &[GpuCard]) -> Option<Finding> {
    let count = count.filter(|count| *count as usize > cards.len())?;
    let message = format!("a shard needs {count} GPUs, and there are {}", cards.len());
    Some(Finding::new(FindingSeverity::Refuse, "gpu", message).with_hint("lower `gpus` in `[resources]`"))
}

fn too_small(plan: &Plan, cards: &[GpuCard]) -> Option<Finding> {
    // One card of unknown size may be large enough.
    let largest = cards.iter().map(|card| card.vram_total).collect::<Option<Vec<_>>>()?.into_iter().max()?;
    let wanted = wanted_vram(plan, largest)?;
    let reserve = plan.schedule.reserve_vram;
    let usable = Bytes(largest.0.saturating_sub(reserve.0));
    if wanted <= usable {
        return None;
    }
    let less = if reserve == Bytes(0) { String::new() } else { format!(" less the reserve of {reserve}") };
    let message = format!("a shard needs {wanted} on a GPU, and the largest has {largest}{less}");
    Some(Finding::new(FindingSeverity::Refuse, "vram", message).with_hint("lower `vram` or `reserve_vram`"))
}
