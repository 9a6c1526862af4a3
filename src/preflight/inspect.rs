//! The look at this machine before a run: every concern is checked, and everything found is reported at once.

use std::path::Path;

use super::finding::{Finding, Report};
use super::surroundings::{MachineTelemetry, Surroundings};
use super::{
    cwd, gpus, host, line_ends, logout, output, program, runners, setup, shell_syntax, template_use,
};
use crate::model::sweep::plan::Plan;

/// Looks at the machine; `output` is the run directory that will be created.
pub fn inspect_machine(
    plan: &Plan,
    output: &Path,
    readings: MachineTelemetry<'_>,
    around: &Surroundings,
) -> Report {
    let mut findings = inspect_node(plan, readings, around);
    findings.extend(inspect_sweep(plan, output));
    findings.extend(logout::inspect(around));
    Report::of_findings(findings)
}

/// Looks at a sweep and at where its run will lie, without the machine that runs its shards.
pub fn inspect_sweep(plan: &Plan, output: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(shell_syntax::inspect(plan));
    findings.extend(runners::inspect(plan));
    findings.extend(template_use::inspect(plan));
    findings.extend(output::inspect(output));
    findings
}

/// Looks at the machine that runs the shards, whichever it is.
pub fn inspect_node(plan: &Plan, readings: MachineTelemetry<'_>, around: &Surroundings) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(cwd::inspect(plan));
    findings.extend(program::inspect(plan, around));
    findings.extend(setup::inspect(plan, around));
    findings.extend(line_ends::inspect(plan, around));
    findings.extend(gpus::inspect(plan, readings));
    findings.extend(host::inspect(plan, around));
    findings
}
