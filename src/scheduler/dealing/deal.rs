//! Which node gets which shard. A node has a few more in hand than it runs, so that none of its places stays empty while
//! files travel; the rest waits here for the node that is free first.

use std::collections::BTreeMap;

use super::lineage;
use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::nodes::node_state::NodeStates;
use crate::model::nodes::order::{DealtShard, ORDER_VERSION, Order, OrderTask};
use crate::model::state::fact::Event;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_holds::RunHolds;
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::node_spec::NodeId;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::gates::precedence;

/// So many shards may wait at a node of which it is not known yet how many it runs side by side.
const FIRST_HAND: usize = 4;

/// Shards that a node has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct NodeLoad {
    running: usize,
    waiting: usize,
}

impl NodeLoad {
    /// Another shard may go there, where each node's fair share of all that is left is this. One that runs more than its
    /// share is the faster machine, and has a shard in hand too.
    fn takes_more(self, share: usize) -> bool {
        self.room(share) > 0
    }

    /// How many more it takes.
    fn room(self, share: usize) -> usize {
        let in_hand = self.running.max(FIRST_HAND).saturating_sub(self.waiting);
        let of_share = share.saturating_sub(self.running + self.waiting);
        in_hand.min(of_share).max(usize::from(self.waiting == 0))
    }
}

/// Deals shards that are ready to nodes that are up.
pub fn deal_due(builder: &mut DecisionBuilder) {
    if builder.stage() != RunStage::Active || builder.opening().opens_at().is_some() {
        return;
    }
    let mut loads = weigh_nodes(builder);
    if loads.is_empty() {
        return;
    }
    let ready = find_ready(builder);
    if ready.is_empty() {
        return even_out(builder, &loads);
    }
    let had: usize = loads.values().map(|load| load.running + load.waiting).sum();
    let share = (had + ready.len()).div_ceil(loads.len());
    let mut hands: BTreeMap<NodeId, Vec<DealtShard>> = BTreeMap::new();
    for position in ready {
        let is_possible =
            |node: &NodeId| builder.nodes().refusal(node, &builder.shard(position).id).is_none();
        let Some(node) = choose_node(&mut loads, share, is_possible) else { continue };
        hands.entry(node).or_default().push(describe_shard(builder.shard(position)));
    }
    for (node, shards) in hands {
        let (grown, splits) = lineage::find_lineage(builder.plan_changes(), &shards);
        give_order(builder, &node, OrderTask::Deal { shards, grown, splits });
    }
}

/// The node that gets the next shard, and has it in hand from now on.
fn choose_node(
    loads: &mut BTreeMap<NodeId, NodeLoad>,
    share: usize,
    is_possible: impl Fn(&NodeId) -> bool,
) -> Option<NodeId> {
    let takers = loads.iter_mut().filter(|(node, load)| load.takes_more(share) && is_possible(node));
    // One with less than its share may have room at once.
    let has_share = |load: &NodeLoad| load.running + load.waiting >= share;
    let (node, load) = takers.min_by_key(|(_, load)| (has_share(load), load.waiting, load.running))?;
    load.waiting += 1;
    Some(node.clone())
}

/// The node that has too many in hand, and how many of them go to one that has none, which came up later or was faster.
fn choose_return(loads: &BTreeMap<NodeId, NodeLoad>) -> Option<(&NodeId, usize)> {
    let (node, most) = loads.iter().max_by_key(|(_, load)| load.waiting)?;
    let hungry = loads.values().filter(|load| load.waiting == 0).min_by_key(|load| load.running)?;
    let all: usize = loads.values().map(|load| load.running + load.waiting).sum();
    let share = all.div_ceil(loads.len());
    // What is less than its share would be dealt to it again.
    let spare = (most.running + most.waiting).saturating_sub(share);
    let count = match most.waiting {
        // It has fewer places filled than the other one, so that the last one may start there at once.
        1 if hungry.running < share.min(most.running) => 1,
        waiting => (waiting / 2).min(hungry.room(share)),
    };
    let count = count.min(spare);
    (count > 0).then_some((node, count))
}

/// Takes shards back from the node that has too many in hand; they are dealt again once it has given them.
fn even_out(builder: &mut DecisionBuilder, loads: &BTreeMap<NodeId, NodeLoad>) {
    let Some((node, count)) = choose_return(loads) else { return };
    if builder.nodes().find(node).is_some_and(|known| !known.pending.is_empty()) {
        // It may be about to do so.
        return;
    }
    let waits = |shard: &&ShardState| waits_at_node(shard) && shard.node.as_ref() == Some(node);
    // Those whose turn would come last.
    let mut waiting: Vec<ShardId> = builder.shards().filter(waits).map(|shard| shard.id.clone()).collect();
    let shards = waiting.split_off(waiting.len().saturating_sub(count));
    give_order(builder, &node.clone(), OrderTask::Return { shards });
}

/// The shard waits, no node has it, nothing holds it, and some node can run it.
pub fn may_be_dealt<'p>(
    shard: &ShardState,
    run_holds: &RunHolds,
    (nodes, places): (&NodeStates, impl IntoIterator<Item = &'p NodeId>),
) -> bool {
    shard.phase.kind() == PhaseKind::Queued
        && !shard.is_dealt()
        && run_holds.hold_of(&shard.id).is_none()
        && !nodes.all_refuse(places, &shard.id)
}

/// A node has the shard and has not started it, as far as is known.
pub(super) fn waits_at_node(shard: &ShardState) -> bool {
    shard.is_dealt() && shard.phase.kind() == PhaseKind::Queued
}

/// Gives a node an order, which is carried out once the node reads it.
pub fn give_order(builder: &mut DecisionBuilder, node: &NodeId, task: OrderTask) {
    let number = builder.nodes().find(node).map(|known| known.last_order).unwrap_or_default().next();
    let order = Order { version: ORDER_VERSION, number, task };
    builder.record(Event::Node(Box::new(NodeEvent::OrderGiven { node: node.clone(), order })));
    builder.add_effect(Effect::Order { node: node.clone(), number });
}

/// The shards that each node has which is up.
fn weigh_nodes(builder: &DecisionBuilder) -> BTreeMap<NodeId, NodeLoad> {
    let is_up = |node: &&NodeId| {
        let known = builder.nodes().find(node);
        known.is_some_and(|known| known.standing == NodePhase::Up && !known.released)
    };
    let nodes = builder.policy.nodes.iter().map(|place| builder.nodes().current(place));
    let mut loads: BTreeMap<NodeId, NodeLoad> =
        nodes.filter(is_up).map(|node| (node.clone(), NodeLoad::default())).collect();
    for shard in builder.shards().filter(|shard| shard.is_dealt()) {
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
fn find_ready(builder: &DecisionBuilder) -> Vec<usize> {
    let known = (builder.nodes(), &builder.policy.nodes);
    let is_ready = |position: &usize| may_be_dealt(builder.shard(*position), builder.run_holds(), known);
    let positions = builder.positions();
    let order = precedence::start_order(builder);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn loads(parts: &[(usize, usize)]) -> BTreeMap<NodeId, NodeLoad> {
        let node = |number: usize| NodeId::new(format!("gpu{number}")).unwrap();
        let load = |(running, waiting): &(usize, usize)| NodeLoad { running: *running, waiting: *waiting };
        parts.iter().enumerate().map(|(number, part)| (node(number), load(part))).collect()
    }

    fn chosen(parts: &[(usize, usize)]) -> Option<usize> {
        choose_return(&loads(parts)).map(|(_, count)| count)
    }

    #[test]
    fn a_node_with_less_than_its_share_is_first() {
        let mut loads = loads(&[(2, 0), (0, 0)]);
        let nodes: Vec<NodeId> = (0..2).filter_map(|_| choose_node(&mut loads, 2, |_| true)).collect();
        assert!(nodes.iter().all(|node| node.as_str() == "gpu1"), "{nodes:?}");
    }

    #[test]
    fn a_node_that_came_later_gets_half_of_what_waits() {
        assert_eq!(chosen(&[(2, 4), (0, 0)]), Some(2));
        assert_eq!(chosen(&[(2, 1), (0, 0)]), Some(1), "a machine stands still");
        assert_eq!(chosen(&[(2, 1), (2, 0)]), None, "its turn comes as soon there");
        assert_eq!(chosen(&[(2, 1), (1, 0)]), Some(1), "a place that the other one fills stays empty");
        assert_eq!(chosen(&[(2, 0), (1, 1)]), None, "that place may not be there: it does not come back");
        assert_eq!(chosen(&[(0, 1), (0, 0)]), None, "neither has begun");
        assert_eq!(chosen(&[(2, 4)]), None);
        assert_eq!(chosen(&[]), None);
    }

    proptest! {
        #[test]
        fn what_is_taken_back_goes_elsewhere_and_comes_to_rest(
            parts in prop::collection::vec((0_usize..9, 0_usize..20), 1..6)
        ) {
            let mut loads = loads(&parts);
            let mut rounds = 0;
            while let Some((node, count)) = choose_return(&loads).map(|(node, count)| (node.clone(), count)) {
                loads.get_mut(&node).unwrap().waiting -= count;
                let all: usize = loads.values().map(|load| load.running + load.waiting).sum::<usize>() + count;
                let share = all.div_ceil(loads.len());
                let before = loads[&node].waiting;
                if (0..count).any(|_| choose_node(&mut loads, share, |_| true).is_none()) {
                    // All have enough: the rest waits for the node that is free first.
                    break;
                }
                prop_assert!(loads[&node].waiting < before + count, "all of them went back: {loads:?}");
                rounds += 1;
                prop_assert!(rounds < 60, "shards go round and round: {loads:?}");
            }
        }
    }
}
