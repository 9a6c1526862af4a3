//! Remarks on a GPU in addition to its figures: that it is silent, at fault, held back, or used from elsewhere.

use jiff::Timestamp;

use super::machine::{Freshness, MachineHistory};
use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_health::{GpuFault, GpuFaultKind};
use crate::model::machine::gpu_permit::NOT_CHOSEN;
use crate::model::machine::sample::GpuSample;
use crate::model::machine::throttle::{Throttle, ThrottleReason};
use crate::model::units::duration_between;
use crate::tui::format;
use crate::tui::theme::role::Role;

/// Number of the newest readings, about a minute, over which the remark that a GPU was held back is averaged.
const RECENT: usize = 60;

/// Number of the newest readings, some seconds, that say whether a GPU is at its power cap now.
const PRESENT: usize = 10;

/// A part of the time too small to be worth a remark, in percent.
const NEGLIGIBLE: f64 = 1.0;

/// A few words, the gravest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuRemark {
    /// Role that colours the remark by its gravity.
    pub role: Role,
    /// The remark in a few words.
    pub text: String,
}

/// All remarks on a GPU.
pub fn collect_remarks(machine: &MachineHistory, gpu: GpuIndex, now: Timestamp) -> Vec<GpuRemark> {
    if let Some(reason) = withheld_reason(machine, gpu) {
        let text = if reason == NOT_CHOSEN { "not chosen".to_owned() } else { format!("not ours: {reason}") };
        return vec![GpuRemark { role: Role::Dim, text }];
    }
    let faults = machine.health.get(&gpu).map_or(&[][..], Vec::as_slice);
    let silence = silence_remark(machine, gpu, faults, now);
    // Old readings are not current, and when all are old the whole pane shows it.
    let is_fresh = machine.gpu_freshness_of(gpu, now) == Freshness::Fresh;
    let newest = machine.gpus.get(&gpu).filter(|_| is_fresh).into_iter().flatten().rev();
    let newest: Vec<&GpuSample> = newest.take(RECENT).collect();
    let lasting = faults.iter().filter(|fault| fault.kind != GpuFaultKind::Silent);
    let mut remarks: Vec<GpuRemark> = silence.into_iter().collect();
    remarks.extend(lasting.map(|fault| of_fault(fault, now)));
    remarks.extend(held_back(&newest));
    remarks.extend(outside_remark(newest.first().copied()));
    let gravity = [Role::Failed, Role::Warning, Role::Dim];
    remarks.sort_by_key(|remark| gravity.iter().position(|role| *role == remark.role));
    remarks
}

/// Reports whether the GPU is held back by its power cap and by nothing else, which is usual under load.
pub fn is_at_power_cap(machine: &MachineHistory, gpu: GpuIndex, now: Timestamp) -> bool {
    let is_fresh = machine.gpu_freshness_of(gpu, now) == Freshness::Fresh;
    let newest = machine.gpus.get(&gpu).filter(|_| is_fresh).into_iter().flatten().rev();
    let newest: Vec<&GpuSample> = newest.take(PRESENT).collect();
    held_back(&newest).is_some() && is_power_alone(&newest)
}

fn is_power_alone(samples: &[&GpuSample]) -> bool {
    samples.iter().filter_map(|sample| sample.throttle).fold(Throttle::default(), Throttle::union)
        == Throttle::from_iter([ThrottleReason::PowerCap])
}

/// Why no shard gets it.
fn withheld_reason(machine: &MachineHistory, gpu: GpuIndex) -> Option<&str> {
    let card = machine.inventory.as_ref()?.cards().iter().find(|card| card.index == gpu)?;
    card.withheld.as_deref()
}

fn silence_remark(
    machine: &MachineHistory,
    gpu: GpuIndex,
    faults: &[GpuFault],
    now: Timestamp,
) -> Option<GpuRemark> {
    let told = faults.iter().find(|fault| fault.kind == GpuFaultKind::Silent);
    let others_answer = machine.gpu_freshness(now) == Freshness::Fresh;
    let since = match (machine.gpu_freshness_of(gpu, now), told) {
        (Freshness::Stale(age), told) if others_answer || told.is_some() => age,
        (Freshness::Stale(_) | Freshness::Fresh | Freshness::Never, told) => {
            duration_between(told?.since, now)
        }
    };
    Some(GpuRemark { role: Role::Failed, text: format!("no answer for {}", format::duration_text(since)) })
}

fn of_fault(fault: &GpuFault, now: Timestamp) -> GpuRemark {
    let role = if fault.kind.makes_unusable() { Role::Failed } else { Role::Warning };
    let mut text = fault.kind.brief_text();
    if fault.count > 1 {
        text.push_str(&format!(" x {}", fault.count));
    }
    if fault.kind.is_event() {
        text.push_str(&format!(", {} ago", format::duration_text(duration_between(fault.last, now))));
    }
    GpuRemark { role, text }
}

/// The newest come first.
fn held_back(samples: &[&GpuSample]) -> Option<GpuRemark> {
    let shares: Vec<f64> = samples.iter().filter_map(|sample| sample.throttled_percent).collect();
    let share = Some(shares.iter().sum::<f64>() / shares.len() as f64);
    // Without readings the share is not a number, and nothing is reported.
    let share = share.filter(|share| *share >= NEGLIGIBLE)?;
    let reasons =
        samples.iter().filter_map(|sample| sample.throttle).fold(Throttle::default(), Throttle::union);
    let reasons: Vec<&str> = reasons.reasons().map(|reason| reason.as_text()).collect();
    let because = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", ")) };
    let role = if is_power_alone(samples) { Role::Dim } else { Role::Warning };
    Some(GpuRemark { role, text: format!("held back {}{because}", format::format_percent(share)) })
}

fn outside_remark(newest: Option<&GpuSample>) -> Option<GpuRemark> {
    let count = newest?.outside_processes.filter(|count| *count > 0)? as usize;
    let processes = if count == 1 { "1 process".to_owned() } else { format!("{count} processes") };
    Some(GpuRemark { role: Role::Dim, text: format!("{processes} outside this container") })
}
