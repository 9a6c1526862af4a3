//! The nodes of a run as a table: what ran on each, and for how much of its time its GPUs had work.

use minijinja::Value;

use super::template::{Section, values};
use crate::results::findings::Findings;
use crate::results::measured::node_use::{NodeUse, list_node_uses};

/// Returns the section on nodes; none in a run of one machine.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let uses = list_node_uses(findings);
    let rows: Vec<Value> = uses.iter().map(describe_node).collect();
    (!rows.is_empty()).then(|| Section::new("Nodes", "nodes", values! { rows }))
}

fn describe_node(of: &NodeUse<'_>) -> Value {
    values! {
        node => of.node, kind => of.kind, shards => format!("{} of {}", of.succeeded, of.shards),
        attempts => of.attempts, seconds => of.seconds, gpus => of.gpus, used => of.used_hours, idle => of.idle_hours,
        waited => of.waited_hours,
    }
}
