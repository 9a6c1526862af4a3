//! Memory and cores of the host against what one shard declares.

use super::finding::{Finding, Severity};
use super::surroundings::Surroundings;
use crate::model::plan::Plan;
use crate::model::units::Bytes;

/// A shard that wants more than there is would be started all the same, and the machine would swap.
pub(super) fn inspect(plan: &Plan, around: &Surroundings) -> Vec<Finding> {
    let mut findings = Vec::new();
    let total = total_memory(around);
    let all = plan.all_resources();
    let ram = all.iter().filter_map(|resources| resources.ram).max();
    if let (Some(ram), Some(total)) = (ram, total)
        && ram > total
    {
        let message = format!("a shard needs {ram} of memory, and the machine has {total}");
        findings.push(Finding::new(Severity::Warning, "memory", message));
    }
    let cores = std::thread::available_parallelism().map_or(u32::MAX, |cores| cores.get() as u32);
    let cpus = all.iter().filter_map(|resources| resources.cpus).max();
    if let Some(cpus) = cpus.filter(|cpus| *cpus > cores) {
        let message = format!("a shard needs {cpus} cores, and this session may use {cores}");
        findings.push(Finding::new(Severity::Warning, "cores", message));
    }
    findings
}

/// `MemTotal` of `/proc/meminfo`.
fn total_memory(around: &Surroundings) -> Option<Bytes> {
    let text = std::fs::read_to_string(around.root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Bytes(kibibytes.checked_mul(1024)?))
}
