//! GPUs on which nothing can run, or on which what runs may fail.

use super::finding::{Finding, FindingSeverity};
use super::surroundings::MachineTelemetry;
use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_health::{GpuFault, GpuFaultKind, GpuHealth};

/// Reports the faults of the GPUs, of which a shard needs this many; too few that work forbid the run.
pub(super) fn inspect(needed: usize, cards: usize, readings: MachineTelemetry<'_>) -> Vec<Finding> {
    let health = &readings.gpus.health;
    let working = cards - health.iter().filter(|gpu| gpu.blocking_fault().is_some()).count();
    let is_enough = needed <= working;
    let unusable =
        health.iter().filter_map(|gpu| Some(cannot_be_used(gpu.gpu, &gpu.blocking_fault()?.kind, is_enough)));
    let others = health.iter().flat_map(|gpu| minor_faults(gpu).map(|fault| fault_warning(gpu.gpu, fault)));
    unusable.chain(others).chain(memory_errors(readings)).collect()
}

fn cannot_be_used(gpu: GpuIndex, kind: &GpuFaultKind, others_do: bool) -> Finding {
    let severity = if others_do { FindingSeverity::Warning } else { FindingSeverity::Refuse };
    let hint = match kind {
        GpuFaultKind::Mig => format!("make it whole with `sudo nvidia-smi -i {gpu} -mig 0`"),
        GpuFaultKind::Refused => {
            "check the permissions of /dev/nvidia*, or what the container was given".to_owned()
        }
        GpuFaultKind::Silent => {
            format!("`nvidia-smi -i {gpu}` will hang on it too; look at `sudo dmesg`, then restart")
        }
        GpuFaultKind::NeedsReset | GpuFaultKind::Xid { .. } => {
            format!("end what runs on it, then `sudo nvidia-smi -i {gpu} --gpu-reset`")
        }
        GpuFaultKind::Lost | GpuFaultKind::Ecc { .. } | GpuFaultKind::Sick { .. } => {
            "look at `sudo dmesg` for Xid errors".to_owned()
        }
    };
    let hint = if others_do { format!("shards go to the other GPUs; {hint}") } else { hint };
    Finding::new(severity, "gpu", kind.to_sentence(gpu)).with_hint(hint)
}

fn minor_faults(health: &GpuHealth) -> impl Iterator<Item = &GpuFault> {
    health.faults.iter().filter(|fault| !fault.kind.makes_unusable())
}

fn fault_warning(gpu: GpuIndex, fault: &GpuFault) -> Finding {
    Finding::new(FindingSeverity::Warning, "gpu", fault.kind.to_sentence(gpu))
}

/// Reports memory errors from before this look: they come again.
fn memory_errors(readings: MachineTelemetry<'_>) -> impl Iterator<Item = Finding> {
    readings.gpus.samples.iter().filter_map(|sample| {
        let errors = sample.ecc_uncorrected.filter(|errors| *errors > 0)?;
        let message = format!(
            "GPU {} has had {errors} memory error{} that ECC could not correct since its driver was loaded",
            sample.gpu,
            if errors == 1 { "" } else { "s" }
        );
        let hint = "each one ends a program; a reset maps bad memory out";
        Some(Finding::new(FindingSeverity::Warning, "gpu", message).with_hint(hint))
    })
}
