//! Memory and cores that the host gives this session, against what one shard declares.

use super::finding::{Finding, FindingSeverity};
use super::surroundings::Surroundings;
use crate::model::machine::host_bounds::HostBounds;
use crate::model::sweep::plan::Plan;
use crate::telemetry::host_bounds;

/// Reports what bounds the run. A shard that wants more than there is would be started all the same, and the
/// machine would swap.
pub(super) fn inspect(plan: &Plan, around: &Surroundings) -> Vec<Finding> {
    let bounds = host_bounds::read_bounds(&around.root);
    let mut findings = in_force(&bounds);
    let all = plan.all_resources();
    let ram = all.iter().filter_map(|resources| resources.ram).max();
    if let (Some(wanted), Some(ram)) = (ram, bounds.ram)
        && wanted > ram
    {
        let whose = if bounds.ram_because.is_empty() { "the machine has" } else { "this session may use" };
        let message = format!("a shard needs {wanted} of memory, and {whose} {ram}");
        findings.push(Finding::new(FindingSeverity::Warning, "memory", message));
    }
    let cores = bounds.cores;
    let cpus = all.iter().filter_map(|resources| resources.cpus).max();
    if let Some(cpus) = cpus.filter(|cpus| *cpus > cores) {
        let message = format!("a shard needs {cpus} cores, and this session may use {cores}");
        findings.push(Finding::new(FindingSeverity::Warning, "cores", message));
    }
    findings
}

/// Notes how much of the machine may be used, where that is not all of it, and why.
fn in_force(bounds: &HostBounds) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !bounds.cores_because.is_empty() {
        let (cores, are) = if bounds.cores == 1 { ("core", "is") } else { ("cores", "are") };
        let all = bounds.machine_cores.map_or(String::new(), |all| format!(" of {all}"));
        let because = bounds.cores_because.join("; ");
        let message = format!("{} {cores}{all} {are} used ({because})", bounds.cores);
        findings.push(Finding::new(FindingSeverity::Note, "cores", message));
    }
    if let (Some(ram), false) = (bounds.ram, bounds.ram_because.is_empty()) {
        let all = bounds.machine_ram.map_or(String::new(), |all| format!(" of {all}"));
        let message = format!("{ram}{all} is used ({})", bounds.ram_because.join("; "));
        findings.push(Finding::new(FindingSeverity::Note, "memory", message));
    }
    findings
}
