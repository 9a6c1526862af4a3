//! The nodes of a sweep are asked what they lack for it, before `check` answers and before a run starts.

use std::path::Path;

use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::model::sweep::plan::Plan;
use crate::preflight::finding::{FindingSeverity, Report};
use crate::preflight::inspect;
use crate::preflight::node_findings;
use crate::preflight::nodes::{self, NodeCheck, ProbeDepth};
use crate::rundir::nodes::node_dir;

/// Asks the nodes of the plan.
pub fn ask_nodes(plan: &Plan, depth: ProbeDepth) -> Result<Vec<NodeCheck>, CliError> {
    let cut_plan = |node: &_| node_dir::plan_for_node(plan.clone(), node);
    nodes::check_nodes(plan, cut_plan, depth).map_err(|error| {
        let folder = plan.sweep_dir.display();
        CliError::new(CliExit::Usage, format!("{folder}: {error}"))
            .with_hint("the run directory has to lie where this machine and its nodes can write")
    })
}

/// Looks at a sweep before its run: what one node lacks is a warning as long as another one may have it.
pub fn look_at_nodes(plan: &Plan, output: &Path) -> Report {
    // Where nothing can be written beside the sweep, the run shows by itself what its nodes lack.
    let checked = ask_nodes(plan, ProbeDepth::Node).unwrap_or_default();
    let refuses = |check: &NodeCheck| {
        check.found.iter().flatten().any(|finding| finding.severity == FindingSeverity::Refuse)
    };
    let may_run = checked.is_empty() || !checked.iter().all(refuses);
    let mut findings = inspect::inspect_sweep(plan, output);
    for mut finding in node_findings::found_at_nodes(&checked) {
        if may_run && finding.severity == FindingSeverity::Refuse {
            finding.severity = FindingSeverity::Warning;
        }
        findings.push(finding);
    }
    Report::of_findings(findings)
}
