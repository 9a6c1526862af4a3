//! The nodes of a run, for people and for programs.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::nodes::node_spec::NodeId;
use crate::model::nodes::standing::NodeStanding;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;

/// A node as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeStatus {
    /// The name of the node.
    pub id: NodeId,
    /// Whether it is at work.
    #[serde(flatten)]
    pub standing: NodeStanding,
    /// When it came to be so.
    pub since: Option<Timestamp>,
    /// Shards that it runs.
    pub running: usize,
    /// Shards that wait there for their turn.
    pub waiting: usize,
}

/// Every node of the plan.
pub(super) fn list_nodes(plan: &Plan, state: &RunState) -> Vec<NodeStatus> {
    let describe = |id: &NodeId| {
        let id = state.nodes.current(id);
        let known = state.nodes.find(id);
        let its = || state.shards.iter().filter(|shard| shard.is_dealt() && shard.node.as_ref() == Some(id));
        let waiting = its().filter(|shard| shard.phase.kind() == PhaseKind::Queued).count();
        NodeStatus {
            id: id.clone(),
            standing: known.map(|known| known.standing.clone()).unwrap_or_default(),
            since: known.and_then(|known| known.since),
            running: its().count() - waiting,
            waiting,
        }
    };
    plan.nodes.iter().map(|node| describe(&node.id)).collect()
}

/// Why a shard that no node has waits, in a run that deals to nodes.
pub(super) fn undealt_reason(plan: &Plan, state: &RunState) -> Option<String> {
    if plan.nodes.is_empty() {
        return None;
    }
    let known = |id: &NodeId| state.nodes.find(state.nodes.current(id)).map(|known| &known.standing);
    if plan.nodes.iter().any(|node| known(&node.id) == Some(&NodeStanding::Up)) {
        return Some("every node has enough".to_owned());
    }
    let cause = plan.nodes.iter().find_map(|node| match known(&node.id)? {
        standing @ (NodeStanding::Unreachable { .. } | NodeStanding::Waiting { .. }) => {
            Some(format!("no node is up; {}: {}", state.nodes.current(&node.id), standing.to_text()))
        }
        NodeStanding::Idle
        | NodeStanding::Up
        | NodeStanding::Draining
        | NodeStanding::Silent
        | NodeStanding::Expired
        | NodeStanding::Gone { .. } => None,
    });
    Some(cause.unwrap_or_else(|| "no node is up yet".to_owned()))
}
