//! The nodes of a run, for people and for programs.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Serialize;

use super::shortage;
use crate::model::ids::ShardId;
use crate::model::machine::allocation::Allocation;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::sweep::node_spec::{NodeId, NodeSpec};
use crate::model::sweep::plan::Plan;

/// A node as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeStatus {
    /// The name of the node.
    pub id: NodeId,
    /// Word for how it is reached.
    pub kind: &'static str,
    /// Whether it is at work.
    #[serde(flatten)]
    pub standing: NodePhase,
    /// When it came to be so.
    pub since: Option<Timestamp>,
    /// Seconds that it waited for jobs of Slurm to begin, as far as that is over; `None` for a node that is not one.
    pub queue_wait_s: Option<u64>,
    /// The job of Slurm in which it works now, with its end.
    pub allocation: Option<Allocation>,
    /// Shards that it runs.
    pub running: usize,
    /// Shards that wait there for their turn.
    pub waiting: usize,
    /// Shards that ended there for good, or at a node that had its place before.
    pub ended: usize,
}

/// Shards of one node.
#[derive(Debug, Clone, Copy, Default)]
struct ShardCounts {
    running: usize,
    waiting: usize,
    ended: usize,
}

/// Every node of the plan.
pub fn list_nodes(plan: &Plan, state: &RunState) -> Vec<NodeStatus> {
    if plan.nodes.is_empty() {
        return Vec::new();
    }
    let counts = count_by_node(state);
    let describe = |node: &NodeSpec| {
        let id = state.nodes.current(&node.id);
        let known = state.nodes.find(id);
        let ShardCounts { running, waiting, .. } = counts.get(id).copied().unwrap_or_default();
        let at_its_place = state.nodes.at_place(&node.id).filter_map(|id| counts.get(id));
        NodeStatus {
            id: id.clone(),
            kind: node.reach.as_str(),
            standing: known.map(|known| known.standing.clone()).unwrap_or_default(),
            since: known.and_then(|known| known.since),
            allocation: known
                .filter(|known| known.standing.is_at_work())
                .and_then(|known| known.allocation.clone()),
            queue_wait_s: state.nodes.queue_wait(id, &node.reach).map(|waited| waited.as_secs()),
            running,
            waiting,
            ended: at_its_place.map(|counts| counts.ended).sum(),
        }
    };
    plan.nodes.iter().map(describe).collect()
}

fn count_by_node(state: &RunState) -> HashMap<&NodeId, ShardCounts> {
    let mut counts: HashMap<&NodeId, ShardCounts> = HashMap::new();
    for shard in &state.shards {
        let Some(node) = &shard.node else { continue };
        let of_node = counts.entry(node).or_default();
        let kind = shard.phase.kind();
        if kind.is_final() {
            of_node.ended += 1;
        } else if kind == PhaseKind::Queued {
            of_node.waiting += 1;
        } else {
            of_node.running += 1;
        }
    }
    counts
}

/// Why a shard that no node has waits, in a run that deals to nodes.
pub(super) fn undealt_reason(plan: &Plan, state: &RunState, shard: &ShardId) -> Option<String> {
    if plan.nodes.is_empty() {
        return None;
    }
    let places = || plan.nodes.iter().map(|node| &node.id);
    if state.nodes.all_refuse(places(), shard) {
        let lacks = places().find_map(|place| {
            let node = state.nodes.current(place);
            Some((node, state.nodes.refusal(node, shard)?))
        });
        return lacks.map(|(node, lacks)| match plan.nodes.len() {
            1 => shortage::describe_shortage(lacks),
            _several => format!("no node can run it; {node}: {}", shortage::describe_shortage(lacks)),
        });
    }
    let known = |id: &NodeId| state.nodes.find(state.nodes.current(id)).map(|known| &known.standing);
    if plan.nodes.iter().any(|node| known(&node.id) == Some(&NodePhase::Up)) {
        return Some("every node has enough".to_owned());
    }
    let cause = plan.nodes.iter().find_map(|node| match known(&node.id)? {
        standing @ (NodePhase::Unreachable { .. } | NodePhase::Waiting { .. }) => {
            Some(format!("no node is up; {}: {}", state.nodes.current(&node.id), standing.to_text()))
        }
        NodePhase::Idle
        | NodePhase::Up
        | NodePhase::Draining
        | NodePhase::Silent
        | NodePhase::Expired
        | NodePhase::Gone { .. } => None,
    });
    Some(cause.unwrap_or_else(|| "no node is up yet".to_owned()))
}
