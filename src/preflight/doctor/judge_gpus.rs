//! Judges driver and GPUs.

use super::check::Check;
use super::facts::GpuFacts;
use crate::model::machine::sample::{GpuCard, GpuInventory};

const DRIVER: &str = "driver";
const GPUS: &str = "gpus";

pub(super) fn judge(facts: &GpuFacts) -> Vec<Check> {
    match &facts.inventory {
        GpuInventory::Present { driver, cards } => {
            let cuda = facts.cuda.as_ref().map(|cuda| format!(", CUDA up to {cuda}")).unwrap_or_default();
            let mut checks = vec![Check::ok(DRIVER, format!("NVIDIA {driver}{cuda}"))];
            if facts.faults.is_empty() {
                checks.push(Check::ok(GPUS, list_cards(cards)));
            }
            checks.extend(facts.faults.iter().map(|fault| Check::from_finding(GPUS, fault)));
            checks
        }
        GpuInventory::Absent { reason } if facts.has_device_files => vec![Check::problem(
            DRIVER,
            format!("there are NVIDIA devices in /dev, and the driver's library does not answer: {reason}"),
            "install the driver's user part (libnvidia-ml.so.1) in the version of its kernel part; in a container, start \
             it with `--gpus all` and NVIDIA_DRIVER_CAPABILITIES=compute,utility; elsewhere name the library in \
             SWEEPDECK_NVML",
        )],
        GpuInventory::Absent { reason } => {
            vec![Check::ok(DRIVER, format!("no NVIDIA GPU here, shards run without one ({reason})"))]
        }
    }
}

/// `8 x NVIDIA H100`, or the names of different cards.
fn list_cards(cards: &[GpuCard]) -> String {
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for card in cards {
        match groups.iter_mut().find(|(known, _)| *known == card.name) {
            Some((_, count)) => *count += 1,
            None => groups.push((&card.name, 1)),
        }
    }
    let words: Vec<String> = groups.iter().map(|(name, count)| format!("{count} x {name}")).collect();
    if words.is_empty() { "the driver lists no GPU".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preflight::doctor::check::CheckLevel;
    use crate::preflight::finding::{Finding, FindingSeverity};

    fn absent(has_device_files: bool) -> GpuFacts {
        let inventory = GpuInventory::Absent { reason: "no library".to_owned() };
        GpuFacts { inventory, faults: Vec::new(), cuda: None, has_device_files }
    }

    #[test]
    fn a_machine_without_gpus_is_in_order_and_one_whose_driver_is_mute_is_not() {
        assert_eq!(judge(&absent(false))[0].level, CheckLevel::Ok);
        let mute = &judge(&absent(true))[0];
        assert_eq!(mute.level, CheckLevel::Problem);
        assert!(mute.remedy.as_ref().is_some_and(|remedy| remedy.contains("--gpus all")), "{mute:?}");
    }

    #[test]
    fn faults_of_gpus_keep_their_gravity() {
        let fault = Finding::new(FindingSeverity::Refuse, "gpu", "GPU 0 is lost");
        let inventory = GpuInventory::Present { driver: "550.1".to_owned(), cards: Vec::new() };
        let facts = GpuFacts {
            inventory,
            faults: vec![fault],
            cuda: Some("12.4".to_owned()),
            has_device_files: true,
        };
        let checks = judge(&facts);
        assert_eq!(checks[0].message, "NVIDIA 550.1, CUDA up to 12.4");
        assert_eq!((checks[1].name, checks[1].level), ("gpus", CheckLevel::Problem));
    }
}
