//! Tags for what holds a GPU back or is wrong with it: a word or two that are printed next to its figures, never in
//! their place.

use jiff::Timestamp;

use super::machine::{Freshness, MachineHistory};
use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_health::GpuFaultKind;
use crate::model::machine::sample::GpuSample;
use crate::model::machine::throttle::{Throttle, ThrottleReason};
use crate::tui::format;
use crate::tui::theme::role::Role;

/// Over so many readings, about a minute, is counted how much a GPU was throttled.
const RECENT: usize = 60;

/// A part of the time too small to be worth a tag, in percent.
const NEGLIGIBLE: f64 = 1.0;

/// A word about a GPU, such as `PWR`, with its amount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuTag {
    /// Role that colours the tag by its gravity.
    pub role: Role,
    /// The word alone: `PWR`.
    pub word: String,
    /// With its amount, where there is one: `PWR 98%`.
    pub full: String,
}

/// The tags of a GPU, the gravest first.
pub fn collect_tags(machine: &MachineHistory, gpu: GpuIndex, now: Timestamp) -> Vec<GpuTag> {
    let mut tags = fault_tags(machine, gpu, now);
    // Old readings are not current.
    if machine.gpu_freshness_of(gpu, now) == Freshness::Fresh {
        tags.extend(
            machine.gpus.get(&gpu).and_then(|history| throttle_tag(history.iter().rev().take(RECENT))),
        );
    }
    let newest = machine.gpus.get(&gpu).and_then(|history| history.back());
    let outside = newest.and_then(|sample| sample.outside_processes).filter(|count| *count > 0);
    tags.extend(outside.map(|count| make_tag(Role::Dim, &format!("+{count} outside"), None)));
    let cards = machine.inventory.as_ref().map_or(&[][..], |inventory| inventory.cards());
    if cards.iter().any(|card| card.index == gpu && card.withheld.is_some()) {
        tags.push(make_tag(Role::Dim, "not used", None));
    }
    tags.sort_by_key(|tag| {
        [Role::Failed, Role::Warning].iter().position(|role| *role == tag.role).unwrap_or(2)
    });
    tags
}

fn make_tag(role: Role, word: &str, amount: Option<String>) -> GpuTag {
    let full = amount.map_or_else(|| word.to_owned(), |amount| format!("{word} {amount}"));
    GpuTag { role, word: word.to_owned(), full }
}

fn fault_tags(machine: &MachineHistory, gpu: GpuIndex, now: Timestamp) -> Vec<GpuTag> {
    let faults = machine.health.get(&gpu).map_or(&[][..], Vec::as_slice);
    let mut tags: Vec<GpuTag> = faults
        .iter()
        .map(|fault| {
            let role = if fault.kind.makes_unusable() { Role::Failed } else { Role::Warning };
            let count = (fault.count > 1).then(|| format!("×{}", fault.count));
            match &fault.kind {
                GpuFaultKind::Silent => make_tag(role, "SILENT", stale_age(machine, gpu, now)),
                GpuFaultKind::Lost => make_tag(role, "LOST", None),
                GpuFaultKind::NeedsReset => make_tag(role, "RESET", None),
                GpuFaultKind::Refused => make_tag(role, "DENIED", None),
                GpuFaultKind::Mig => make_tag(role, "MIG", None),
                GpuFaultKind::Xid { code } => make_tag(role, &format!("XID {code}"), count),
                GpuFaultKind::Ecc { errors } => make_tag(role, "ECC", Some(errors.to_string())),
                GpuFaultKind::Sick { .. } => make_tag(role, "ERROR", None),
            }
        })
        .collect();
    // One that is silent while others answer, before the supervisor reports it. Where all are, the pane does.
    let is_known = faults.iter().any(|fault| fault.kind == GpuFaultKind::Silent);
    if !is_known && machine.gpu_freshness(now) == Freshness::Fresh {
        tags.extend(stale_age(machine, gpu, now).map(|age| make_tag(Role::Failed, "SILENT", Some(age))));
    }
    tags
}

/// How old the newest reading is, where it is old.
fn stale_age(machine: &MachineHistory, gpu: GpuIndex, now: Timestamp) -> Option<String> {
    match machine.gpu_freshness_of(gpu, now) {
        Freshness::Stale(age) => Some(format::duration_text(age)),
        Freshness::Fresh | Freshness::Never => None,
    }
}

/// The gravest reason of these readings, and for how much of their time clocks were held back.
fn throttle_tag<'a>(samples: impl Iterator<Item = &'a GpuSample>) -> Option<GpuTag> {
    let (mut sum, mut count, mut reasons) = (0.0, 0_u32, Throttle::default());
    for sample in samples {
        if let Some(percent) = sample.throttled_percent {
            sum += percent;
            count += 1;
        }
        reasons = reasons.union(sample.throttle.unwrap_or_default());
    }
    // Of no reading there is no share.
    let share = (count > 0).then(|| sum / f64::from(count)).filter(|share| *share >= NEGLIGIBLE)?;
    let (role, word) = reasons.reasons().next().map_or((Role::Warning, "SLOW"), of_reason);
    Some(make_tag(role, word, Some(format::format_percent(share))))
}

/// A power cap is the routine of a busy GPU; heat and the power supply are not.
fn of_reason(reason: ThrottleReason) -> (Role, &'static str) {
    match reason {
        ThrottleReason::PowerCap => (Role::Warning, "PWR"),
        ThrottleReason::ThermalSlowdown => (Role::Failed, "HOT"),
        ThrottleReason::HardwareThermal => (Role::Failed, "HOT"),
        ThrottleReason::PowerBrake => (Role::Failed, "BRAKE"),
        ThrottleReason::HardwareSlowdown => (Role::Failed, "SLOW"),
        ThrottleReason::SyncBoost => (Role::Warning, "SYNC"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machine::gpu_health::GpuFault;
    use crate::model::machine::gpu_health::GpuHealth;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn machine(reasons: &[ThrottleReason], percent: Option<f64>) -> MachineHistory {
        let mut machine = MachineHistory::default();
        machine.take_gpus(vec![GpuSample {
            throttle: Some(reasons.iter().copied().collect()),
            throttled_percent: percent,
            ..GpuSample::unknown(GpuIndex(3), at(100))
        }]);
        machine
    }

    fn full(machine: &MachineHistory, now: i64) -> Vec<(Role, String)> {
        collect_tags(machine, GpuIndex(3), at(now)).into_iter().map(|tag| (tag.role, tag.full)).collect()
    }

    #[test]
    fn the_gravest_reason_names_the_tag_and_the_share_follows() {
        let both = [ThrottleReason::PowerCap, ThrottleReason::ThermalSlowdown];
        assert_eq!(full(&machine(&both, Some(34.2)), 101), [(Role::Failed, "HOT 34%".to_owned())]);
        assert_eq!(full(&machine(&both[..1], Some(98.0)), 101), [(Role::Warning, "PWR 98%".to_owned())]);
        assert_eq!(full(&machine(&both[..1], Some(0.4)), 101), []);
        assert_eq!(full(&machine(&both, None), 101), [], "an unknown share is no share");
    }

    #[test]
    fn a_fault_comes_before_a_cap_and_old_readings_throttle_nothing() {
        let mut machine = machine(&[ThrottleReason::PowerCap], Some(98.0));
        let kind = GpuFaultKind::Xid { code: 79 };
        let fault = GpuFault { kind, since: at(90), last: at(95), count: 3 };
        machine.take_health(vec![GpuHealth { gpu: GpuIndex(3), faults: vec![fault] }]);
        assert_eq!(full(&machine, 101)[0], (Role::Failed, "XID 79 ×3".to_owned()));
        assert_eq!(full(&machine, 101).len(), 2);
        assert_eq!(full(&machine, 200).len(), 1, "all are silent: the pane says so");
    }
}
