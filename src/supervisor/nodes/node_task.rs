//! What is asked of the watch of a node.

use crate::model::nodes::node_phase::NodePhase;
use crate::model::nodes::order::OrderNumber;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::node_spec::{NodeId, NodeReach, NodeSpec};
use crate::scheduler::dealing::deal::may_be_dealt;

/// What is asked of the watch of a place for nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeTask {
    /// The node that has the place.
    pub(super) node: NodeId,
    /// It is to be at work.
    pub(super) is_wanted: bool,
    /// It has shards, or orders that it has not carried out.
    pub(super) has_work: bool,
    /// The order by which it ends everything for good.
    pub(super) release: Option<Release>,
}

/// How far the end of a node is that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Release {
    /// It was asked for by that order.
    Asked(OrderNumber),
    /// The node has read the order.
    Begun,
}

impl NodeTask {
    /// Nothing is asked of the first node at a place.
    pub(super) fn nothing(place: &NodeId) -> Self {
        Self { node: place.clone(), is_wanted: false, has_work: false, release: None }
    }
}

/// What is asked of each place of the plan, in its order.
pub(super) fn assign_tasks(state: &RunState, places: &[NodeSpec]) -> Vec<NodeTask> {
    let ready = count_ready(state, places);
    let mut jobs = 0;
    let task = |place: &NodeSpec| {
        let node = state.nodes.current(&place.id);
        let has_work = has_work(state, node);
        let is_wanted = match &place.reach {
            NodeReach::Ssh { .. } => has_work || ready > 0,
            // A job takes a machine from others: no more are asked for than there are shards.
            NodeReach::Slurm { .. } => {
                let is_free = jobs < ready && !is_draining(state, node);
                jobs += usize::from(is_free && !is_refused(state, node));
                has_work || is_free
            }
        };
        NodeTask { node: node.clone(), is_wanted, has_work, release: find_release(state, node) }
    };
    places.iter().map(task).collect()
}

/// Shards that wait to be dealt.
fn count_ready(state: &RunState, places: &[NodeSpec]) -> usize {
    let names = || places.iter().map(|place| &place.id);
    let is_ready = |shard: &&ShardState| may_be_dealt(shard, &state.run_holds, (&state.nodes, names()));
    match state.stage == RunStage::Active && state.opens_at().is_none() {
        true => state.shards.iter().filter(is_ready).count(),
        false => 0,
    }
}

fn has_work(state: &RunState, node: &NodeId) -> bool {
    let has_orders = state
        .nodes
        .find(node)
        .is_some_and(|known| known.pending.values().any(|order| !order.task.is_limit()));
    let is_its = |shard: &ShardState| shard.is_dealt() && shard.node.as_ref() == Some(node);
    !state.stage.is_over() && (has_orders || state.shards.iter().any(is_its))
}

fn is_draining(state: &RunState, node: &NodeId) -> bool {
    state.nodes.find(node).is_some_and(|known| known.standing == NodePhase::Draining)
}

fn is_refused(state: &RunState, node: &NodeId) -> bool {
    state.nodes.find(node).is_some_and(|known| matches!(known.standing, NodePhase::Unreachable { .. }))
}

fn find_release(state: &RunState, node: &NodeId) -> Option<Release> {
    let known = state.nodes.find(node).filter(|known| known.released)?;
    Some(known.pending_release().map_or(Release::Begun, Release::Asked))
}
