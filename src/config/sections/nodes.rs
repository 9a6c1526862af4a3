//! `[[nodes]]`: the machines that take the shards.

use std::time::Duration;

use toml::Spanned;

use super::resources;
use crate::config::document::problem::Problem;
use crate::config::document::table::Table;
use crate::model::sweep::node_spec::{DEFAULT_LEASE, NodeId, NodeReach, NodeSpec};

/// How nodes are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Ssh,
    Slurm,
}

/// Reads the nodes; none where the sweep runs on this machine.
pub(in crate::config) fn read_nodes(root: &Table<'_>) -> Vec<NodeSpec> {
    let mut nodes = Vec::new();
    for table in root.get_tables("nodes") {
        let kind = table.get_choice("kind", &[("ssh", NodeKind::Ssh), ("slurm", NodeKind::Slurm)]);
        if table.get("kind").is_none() {
            table.report_missing("kind", "`kind = \"ssh\"` or `kind = \"slurm\"`");
        }
        match kind {
            Some(NodeKind::Slurm) => read_jobs(&table, &mut nodes),
            Some(NodeKind::Ssh) | None => read_hosts(&table, &mut nodes),
        }
        table.report_unknown_keys();
    }
    nodes
}

fn read_hosts(table: &Table<'_>, nodes: &mut Vec<NodeSpec>) {
    let hosts = table.get_strings("hosts");
    if hosts.is_empty() {
        table.report_missing("hosts", "names that `ssh` knows, such as `hosts = [\"gpu1\", \"gpu2\"]`");
    }
    refuse_keys(table, &["count", "sbatch"], "slurm");
    let (devices, lease) = (resources::read_devices(table), read_lease(table));
    for host in hosts {
        let Some(id) = name_host(table, &host, nodes) else { continue };
        let reach = NodeReach::Ssh { host: host.into_inner() };
        nodes.push(NodeSpec { id, reach, devices: devices.clone(), lease });
    }
}

fn read_jobs(table: &Table<'_>, nodes: &mut Vec<NodeSpec>) {
    refuse_keys(table, &["hosts"], "ssh");
    let count: u32 = table.get_integer("count", 1).unwrap_or(1);
    let sbatch: Vec<String> = table.get_strings("sbatch").into_iter().map(Spanned::into_inner).collect();
    let (devices, lease) = (resources::read_devices(table), read_lease(table));
    let mut number = 0;
    for _ in 0..count {
        let id = loop {
            number += 1;
            match NodeId::new(format!("slurm{number}")) {
                Ok(id) if nodes.iter().all(|node| node.id != id) => break id,
                Ok(_) => {}
                Err(_) => return,
            }
        };
        let reach = NodeReach::Slurm { sbatch: sbatch.clone() };
        nodes.push(NodeSpec { id, reach, devices: devices.clone(), lease });
    }
}

fn read_lease(table: &Table<'_>) -> Duration {
    table.get_duration("lease").unwrap_or(DEFAULT_LEASE)
}

/// Refuses keys of the other kind.
fn refuse_keys(table: &Table<'_>, keys: &[&'static str], kind: &str) {
    for key in keys {
        if let Some(value) = table.get(key) {
            let message = format!("`{key}` belongs to `kind = \"{kind}\"`");
            table.sink().add(Problem::new(value.span(), message));
        }
    }
}

/// Names the node of a host, unless it cannot be one.
fn name_host(table: &Table<'_>, host: &Spanned<String>, nodes: &[NodeSpec]) -> Option<NodeId> {
    let refuse = |message: String, hint: &str| {
        table.sink().add(Problem::new(host.span(), message).with_hint(hint));
    };
    let text = host.get_ref();
    let id = match NodeId::new(text.as_str()) {
        Ok(id) => id,
        Err(problem) => {
            refuse(format!("the host `{text}` {problem}"), "give it a name in `~/.ssh/config`");
            return None;
        }
    };
    if nodes.iter().any(|node| node.id == id) {
        refuse(format!("the host `{text}` is named twice"), "a machine is one node");
        return None;
    }
    Some(id)
}
