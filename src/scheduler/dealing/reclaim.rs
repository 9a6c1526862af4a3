//! Takes back what waits at a node and is not to start there, because the run holds it or does not need it any more.

use std::collections::{BTreeMap, BTreeSet};

use super::deal::{give_order, waits_at_node};
use crate::model::ids::ShardId;
use crate::model::nodes::order::OrderTask;
use crate::model::sweep::node_spec::NodeId;
use crate::scheduler::comparison;
use crate::scheduler::decision_builder::DecisionBuilder;

/// Asks nodes for what is not to start. A shard that has started meanwhile runs to its end.
pub fn reclaim_unwanted(builder: &mut DecisionBuilder) {
    let unneeded: BTreeSet<usize> = comparison::find_unneeded(builder).into_iter().collect();
    if unneeded.is_empty() && !builder.run_holds().holds_any() {
        return;
    }
    let is_unwanted = |position: &usize| {
        let shard = builder.shard(*position);
        waits_at_node(shard)
            && (unneeded.contains(position) || builder.run_holds().hold_of(&shard.id).is_some())
    };
    let asked = find_asked(builder);
    let mut away: BTreeMap<NodeId, Vec<ShardId>> = BTreeMap::new();
    for position in builder.positions().filter(is_unwanted) {
        let shard = builder.shard(position);
        if let Some(node) = shard.node.as_ref().filter(|_| !asked.contains(&shard.id)) {
            away.entry(node.clone()).or_default().push(shard.id.clone());
        }
    }
    for (node, shards) in away {
        give_order(builder, &node, OrderTask::Return { shards });
    }
}

/// Shards that nodes are to give back, and have not answered for yet.
fn find_asked(builder: &DecisionBuilder) -> BTreeSet<ShardId> {
    let orders = builder.nodes().iter().flat_map(|(_, known)| known.pending.values());
    let returned = orders.filter_map(|order| match &order.task {
        OrderTask::Return { shards } => Some(shards),
        OrderTask::Deal { .. }
        | OrderTask::Stop { .. }
        | OrderTask::Release { .. }
        | OrderTask::Relay { .. } => None,
    });
    returned.flatten().cloned().collect()
}
