//! What became of the time of each node: how long it was at work, and for how much of that its GPUs were.

use serde_json::{Value, json};

use super::gpu_place::GpuPlace;
use crate::model::machine::sample::GpuInventory;
use crate::model::state::phase::PhaseKind;
use crate::model::sweep::node_spec::{NodeId, NodeSpec};
use crate::results::findings::{Findings, Records};

/// A node as a run used it. What was not measured is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeUse<'a> {
    /// Name of the node.
    pub node: &'a NodeId,
    /// Word for how it is reached.
    pub kind: &'static str,
    /// Shards whose last attempt ended there.
    pub shards: usize,
    /// Those of them that succeeded.
    pub succeeded: usize,
    /// Attempts that ran there.
    pub attempts: usize,
    /// How long it was at work, in seconds: for so long its machine was read.
    pub seconds: Option<f64>,
    /// GPUs that shards may use there.
    pub gpus: Option<usize>,
    /// Hours in which a shard was on a GPU; an hour of one that several share counts once.
    pub used_hours: Option<f64>,
    /// Hours in which the node was at work and no shard was on a GPU.
    pub idle_hours: Option<f64>,
    /// Hours for which its GPUs were waited for in the queue of Slurm.
    pub waited_hours: Option<f64>,
}

/// The use of every node, those too that were given up; empty in a run of one machine.
pub fn list_node_uses<'a>(findings: &Findings<'a>) -> Vec<NodeUse<'a>> {
    let Records { plan, state, .. } = findings.records;
    let at_place = |spec: &'a NodeSpec| state.nodes.at_place(&spec.id).map(move |node| (node, spec));
    let nodes = plan.nodes.iter().flat_map(at_place);
    nodes.map(|(node, spec)| NodeUse::from_findings(findings, node, spec)).collect()
}

impl<'a> NodeUse<'a> {
    fn from_findings(findings: &Findings<'a>, node: &'a NodeId, spec: &NodeSpec) -> Self {
        let ended = findings.outcomes.iter().filter(|outcome| outcome.node == Some(node));
        let ended: Vec<PhaseKind> =
            ended.map(|outcome| outcome.phase).filter(|phase| phase.is_final()).collect();
        let attempts = findings.attempts.iter().filter(|attempt| attempt.node == Some(node) && attempt.ran);
        let is_here = |place: &GpuPlace| place.node.as_ref() == Some(node);
        let busy = findings.on_gpus.iter().filter(|(place, _)| is_here(place));
        let busy: f64 = busy.flat_map(|(_, all)| all.busy_stretches()).map(|busy| busy.seconds()).sum();
        let seconds = findings.measured.node_seconds.get(node).copied();
        let inventory = findings.inventories.of_machine(Some(node));
        let gpus = inventory.map(count_usable);
        let waited = findings.records.state.nodes.queue_wait(node, &spec.reach);
        let held = seconds.zip(gpus).map(|(seconds, gpus)| seconds * gpus as f64);
        Self {
            node,
            kind: spec.reach.as_str(),
            shards: ended.len(),
            succeeded: ended.iter().filter(|phase| **phase == PhaseKind::Succeeded).count(),
            attempts: attempts.count(),
            seconds,
            gpus,
            used_hours: gpus.filter(|gpus| *gpus > 0).map(|_| busy / 3600.0),
            idle_hours: held.filter(|held| *held > 0.0).map(|held| (held - busy).max(0.0) / 3600.0),
            waited_hours: waited.zip(gpus).map(|(waited, gpus)| waited.as_secs_f64() * gpus as f64 / 3600.0),
        }
    }

    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        json!({
            "id": self.node,
            "kind": self.kind,
            "shards": self.shards,
            "succeeded": self.succeeded,
            "attempts": self.attempts,
            "seconds": self.seconds,
            "gpus": self.gpus,
            "gpu_hours_used": self.used_hours,
            "gpu_hours_idle": self.idle_hours,
            "gpu_hours_waited": self.waited_hours,
        })
    }
}

/// Cards that shards get.
fn count_usable(inventory: &GpuInventory) -> usize {
    inventory.cards().iter().filter(|card| card.withheld.is_none()).count()
}
