//! The nodes of a sweep: whether each is reached, and sees the folder of the sweep.

use std::thread;
use std::time::Duration;

use super::finding::{Finding, FindingSeverity};
use crate::config::templates::quote::shell_quote;
use crate::model::nodes::node_spec::{NodeReach, NodeSpec};
use crate::model::sweep::plan::Plan;
use crate::process::slurm::jobs;
use crate::process::start::remote_shell;

const PATIENCE: Duration = Duration::from_secs(20);

/// Asks all nodes side by side.
pub fn ask_nodes(plan: &Plan) -> Vec<Finding> {
    let folder = plan.sweep_dir.display().to_string();
    thread::scope(|scope| {
        let asked: Vec<_> = plan.nodes.iter().map(|node| scope.spawn(|| ask_node(node, &folder))).collect();
        asked.into_iter().filter_map(|asked| asked.join().ok().flatten()).collect()
    })
}

fn ask_node(node: &NodeSpec, folder: &str) -> Option<Finding> {
    match &node.reach {
        NodeReach::Ssh { host } => ask_host(node, host, folder),
        NodeReach::Slurm { sbatch } => {
            let reason = jobs::test_job(sbatch).err()?;
            let found = Finding::new(FindingSeverity::Warning, "node", format!("{}: {reason}", node.id));
            Some(found.with_hint("`sbatch --test-only` with these options says so".to_owned()))
        }
    }
}

fn ask_host(node: &NodeSpec, host: &str, folder: &str) -> Option<Finding> {
    let quoted = shell_quote(folder);
    let line = format!("cd {quoted} || {{ echo {quoted} is not there >&2; exit 1; }}");
    let reason = remote_shell::run_remotely(host, &line, PATIENCE).err()?;
    let found = Finding::new(FindingSeverity::Warning, "node", format!("{}: {reason}", node.id));
    let hint = format!(
        "`ssh {host}` has to work without a question, and {folder} has to lie on a disk that all nodes share"
    );
    Some(found.with_hint(hint))
}
