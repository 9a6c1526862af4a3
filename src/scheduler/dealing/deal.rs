//! Which node gets which shard. A node has a few more in hand than it runs, so that none of its places stays empty while
//! files travel; the rest waits here for the node that is free first.

use std::collections::BTreeMap;

use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_spec::NodeId;
use crate::model::nodes::order::{DealtShard, ORDER_VERSION, Order, OrderTask};
use crate::model::nodes::standing::NodeStanding;
use crate::model::state::fact::Event;
use crate::model::state::phase::PhaseKind;
use crate::model::state::precautions::Precautions;
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::scheduler::effect::Effect;
use crate::scheduler::gates::precedence;
use crate::scheduler::turn::DecisionBuilder;

/// So many shards may wait at a node of which it is not known yet how many it runs side by side.
const FIRST_HAND: usize = 4;

/// Shards that a node has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct NodeLoad {
    running: usize,
    waiting: usize,
}

impl NodeLoad {
    /// Another shard may go there, where each node's fair share of all that is left is this.
    fn takes_more(self, share: usize) -> bool {
        self.waiting < self.running.max(FIRST_HAND) && self.running + self.waiting < share
    }
}

/// Deals shards that are ready to nodes that are up.
pub fn deal_due(turn: &mut DecisionBuilder) {
    if turn.stage() != RunStage::Active || turn.opening().opens_at().is_some() {
        return;
    }
    let mut loads = weigh_nodes(turn);
    if loads.is_empty() {
        return;
    }
    let ready = find_ready(turn);
    let had: usize = loads.values().map(|load| load.running + load.waiting).sum();
    let share = (had + ready.len()).div_ceil(loads.len());
    let mut hands: BTreeMap<NodeId, Vec<DealtShard>> = BTreeMap::new();
    for position in ready {
        let takers = loads.iter_mut().filter(|(_, load)| load.takes_more(share));
        let Some((node, load)) = takers.min_by_key(|(_, load)| load.running + load.waiting) else { break };
        load.waiting += 1;
        hands.entry(node.clone()).or_default().push(describe_shard(turn.shard(position)));
    }
    for (node, shards) in hands {
        give_order(turn, &node, OrderTask::Deal { shards });
    }
}

/// The shard waits, no node has it, and nothing holds it.
pub fn may_be_dealt(shard: &ShardState, precautions: &Precautions) -> bool {
    shard.phase.kind() == PhaseKind::Queued && !shard.is_dealt() && precautions.hold_of(&shard.id).is_none()
}

/// Gives a node an order, which is carried out once the node reads it.
pub fn give_order(turn: &mut DecisionBuilder, node: &NodeId, task: OrderTask) {
    let number = turn.nodes().find(node).map(|known| known.last_order).unwrap_or_default().next();
    let order = Order { version: ORDER_VERSION, number, task };
    turn.record(Event::Node(Box::new(NodeEvent::OrderGiven { node: node.clone(), order })));
    turn.add_effect(Effect::Order { node: node.clone(), number });
}

/// The shards that each node has which is up.
fn weigh_nodes(turn: &DecisionBuilder) -> BTreeMap<NodeId, NodeLoad> {
    let is_up = |node: &&NodeId| {
        let known = turn.nodes().find(node);
        known.is_some_and(|known| known.standing == NodeStanding::Up && !known.released)
    };
    let nodes = turn.policy.nodes.iter().map(|place| turn.nodes().current(place));
    let mut loads: BTreeMap<NodeId, NodeLoad> =
        nodes.filter(is_up).map(|node| (node.clone(), NodeLoad::default())).collect();
    for shard in turn.shards().filter(|shard| shard.is_dealt()) {
        let Some(load) = shard.node.as_ref().and_then(|node| loads.get_mut(node)) else { continue };
        if shard.phase.kind() == PhaseKind::Queued {
            load.waiting += 1;
        } else {
            load.running += 1;
        }
    }
    loads
}

/// Positions of the shards that may be dealt, first choice first.
fn find_ready(turn: &DecisionBuilder) -> Vec<usize> {
    let is_ready = |position: &usize| may_be_dealt(turn.shard(*position), turn.precautions());
    let positions = turn.positions();
    let order = precedence::start_order(turn);
    order.iter().copied().filter(|position| positions.contains(position)).filter(is_ready).collect()
}

fn describe_shard(shard: &ShardState) -> DealtShard {
    DealtShard {
        shard: ShardId::clone(&shard.id),
        attempt: shard.attempt,
        edit: shard.edit.clone(),
        priority: shard.priority,
    }
}
