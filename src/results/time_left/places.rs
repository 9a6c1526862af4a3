//! How many shards may run side by side: on the machine of the run, or at its nodes that are up.

use std::collections::BTreeMap;

use crate::model::nodes::node_phase::NodePhase;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::plan::Plan;

/// Shards that a node has.
#[derive(Debug, Clone, Copy, Default)]
struct NodeLoad {
    running: usize,
    waiting: usize,
}

impl NodeLoad {
    /// Places of the node: those that are taken where it makes shards wait, and else what it may have. Its memory may
    /// hold fewer than that, and its cores may allow more than those of the machine of the run.
    fn count_places(self, parallel: u32) -> usize {
        if self.waiting > 0 && self.running > 0 {
            self.running
        } else {
            self.running.max(parallel.max(1) as usize)
        }
    }
}

/// Places of a run now; none where no node is up.
pub(super) fn count_places(plan: &Plan, state: &RunState) -> usize {
    if plan.nodes.is_empty() {
        return state.parallel.max(1) as usize;
    }
    let is_up =
        |id: &&NodeId| state.nodes.find(id).is_some_and(|known| matches!(known.standing, NodePhase::Up));
    let ids = plan.nodes.iter().map(|node| state.nodes.current(&node.id));
    let mut loads: BTreeMap<&NodeId, NodeLoad> =
        ids.filter(is_up).map(|id| (id, NodeLoad::default())).collect();
    for shard in state.shards.iter().filter(|shard| shard.is_dealt()) {
        let Some(load) = shard.node.as_ref().and_then(|node| loads.get_mut(node)) else { continue };
        match shard.phase.kind() {
            PhaseKind::Queued => load.waiting += 1,
            kind => load.running += usize::from(kind.is_active()),
        }
    }
    loads.values().map(|load| load.count_places(state.parallel)).sum()
}

/// Places that a forecast of the whole run counts: the most that there were; while shards wait for nodes, those of the
/// nodes that are up, and none where no node is.
pub(super) fn count_forecast_places(plan: &Plan, state: &RunState) -> usize {
    let all = count_planned_places(plan, state.most_parallel);
    if plan.nodes.is_empty() || state.stage.is_over() || state.count(PhaseKind::Queued) == 0 {
        return all;
    }
    count_places(plan, state)
}

/// Places of a run that has every node of its plan.
pub(super) fn count_planned_places(plan: &Plan, parallel: u32) -> usize {
    parallel.max(1) as usize * plan.nodes.len().max(1)
}
