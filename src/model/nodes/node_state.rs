//! What is known of the nodes of a run after a number of facts.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::time::Duration;

use jiff::Timestamp;

use super::node_event::{NodeEvent, Refusal};
use super::node_phase::{FactOrigin, NodePhase};
use super::order::{Order, OrderNumber, OrderTask};
use crate::model::ids::ShardId;
use crate::model::machine::allocation::Allocation;
use crate::model::shortage::Shortage;
use crate::model::sweep::node_spec::{NodeId, NodeReach};
use crate::model::units::duration_between;

/// What is known of a node after the facts so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeState {
    /// Whether it is at work.
    pub standing: NodePhase,
    /// When it came to be so.
    pub since: Option<Timestamp>,
    /// How long it waited for a job of Slurm to begin, as far as that is over.
    pub queue_wait: Duration,
    /// The job of Slurm in which it lives, as it last said.
    pub allocation: Option<Allocation>,
    /// How many lines of its journal are taken into this one.
    pub read: u64,
    /// The newest order that was given.
    pub last_order: OrderNumber,
    /// Orders that it has not carried out yet, as far as is known.
    pub pending: BTreeMap<OrderNumber, Order>,
    /// It was asked to end everything for good.
    pub released: bool,
    /// Limits that a user set there, the newest of each kind: whatever takes its place gets them too.
    pub limits: Vec<OrderTask>,
    /// How many shards it runs side by side, where it has come down from what the run says.
    pub parallel: Option<u32>,
    /// Shards that it cannot run before somebody has seen to what it lacks.
    pub refused: BTreeMap<ShardId, Shortage>,
    /// The node that has taken its place; nothing is believed of this one any more.
    pub next: Option<NodeId>,
}

impl NodeState {
    /// The order to end everything for good, while its journal does not say that it has begun to.
    pub fn pending_release(&self) -> Option<OrderNumber> {
        let is_release = |order: &&Order| matches!(order.task, OrderTask::Release { .. });
        self.pending.values().find(is_release).map(|order| order.number)
    }

    fn change_phase(&mut self, at: Timestamp, phase: NodePhase) {
        if let (NodePhase::Waiting { .. }, Some(since)) = (&self.standing, self.since) {
            self.queue_wait += duration_between(since, at);
        }
        (self.standing, self.since) = (phase, Some(at));
    }

    /// Keeps the newest limit of each kind.
    fn keep_limit(&mut self, task: &OrderTask) {
        let OrderTask::Relay { asked, .. } = task else { return };
        let is_same = |known: &OrderTask| matches!(known, OrderTask::Relay { asked: other, .. } if discriminant(other) == discriminant(asked));
        self.limits.retain(|known| !is_same(known));
        self.limits.push(task.clone());
    }
}

/// The nodes of a run, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeStates(BTreeMap<NodeId, NodeState>);

impl NodeStates {
    /// What is known of a node; of one that no fact names, nothing.
    pub fn find(&self, node: &NodeId) -> Option<&NodeState> {
        self.0.get(node)
    }

    /// The node that now has the place of a node of the plan.
    pub fn current<'s>(&'s self, place: &'s NodeId) -> &'s NodeId {
        let mut node = place;
        while let Some(next) = self.find(node).and_then(|known| known.next.as_ref()) {
            node = next;
        }
        node
    }

    /// All nodes that have had the place of a node of the plan, in their order.
    pub fn at_place<'s>(&'s self, place: &'s NodeId) -> impl Iterator<Item = &'s NodeId> {
        std::iter::successors(Some(place), |node| self.find(node)?.next.as_ref())
    }

    /// A name for a further node at a place: `gpu1-2` for `gpu1`. `places` are the names of the plan.
    pub fn further_name(&self, place: &NodeId, places: &[NodeId]) -> NodeId {
        let mut number = 2;
        loop {
            let name = place.numbered(number);
            if !self.0.contains_key(&name) && !places.contains(&name) {
                return name;
            }
            number += 1;
        }
    }

    /// How long a node waited for jobs of Slurm to begin, as far as that is over; `None` for one that is no job.
    pub fn queue_wait(&self, node: &NodeId, reach: &NodeReach) -> Option<Duration> {
        match reach {
            NodeReach::Ssh { .. } => None,
            NodeReach::Slurm { .. } => {
                Some(self.find(node).map(|known| known.queue_wait).unwrap_or_default())
            }
        }
    }

    /// All nodes that facts name.
    pub fn iter(&self) -> impl Iterator<Item = (&NodeId, &NodeState)> {
        self.0.iter()
    }

    /// Takes a fact that a node had first into account; `event` is the fact if it concerns nodes.
    pub fn apply_forwarded(&mut self, origin: &FactOrigin, event: Option<&NodeEvent>) {
        let node = self.0.entry(origin.node.clone()).or_default();
        node.read = node.read.max(origin.line);
        match event {
            Some(NodeEvent::OrderDone { number, .. }) => _ = node.pending.remove(number),
            Some(NodeEvent::ShardTakenBack { shard, refused: Some(refused) }) => {
                node.refused.insert(shard.clone(), refused.lacks.clone());
            }
            Some(_) | None => {}
        }
    }

    /// What the node lacks for that shard, where it refused it and nobody has seen to that since.
    pub fn refusal<'s>(&'s self, node: &NodeId, shard: &ShardId) -> Option<&'s Shortage> {
        self.find(node)?.refused.get(shard)
    }

    /// No node that has a place now can run the shard.
    pub fn all_refuse<'p>(&self, places: impl IntoIterator<Item = &'p NodeId>, shard: &ShardId) -> bool {
        places.into_iter().all(|place| self.refusal(self.current(place), shard).is_some())
    }

    /// A node runs so many shards side by side from now on.
    pub fn set_parallel(&mut self, node: &NodeId, parallel: u32) {
        self.0.entry(node.clone()).or_default().parallel = Some(parallel);
    }

    /// All nodes run as many shards side by side as the run says.
    pub fn reset_parallel(&mut self) {
        self.0.values_mut().for_each(|node| node.parallel = None);
    }

    /// A node lives in this job of Slurm from now on.
    pub fn set_allocation(&mut self, node: &NodeId, allocation: Option<&Allocation>) {
        self.0.entry(node.clone()).or_default().allocation = allocation.cloned();
    }

    /// Takes an event of the run itself into account.
    pub fn apply_event(&mut self, at: Timestamp, event: &NodeEvent) {
        match event {
            NodeEvent::OrderGiven { node, order } => {
                let node = self.0.entry(node.clone()).or_default();
                node.last_order = node.last_order.max(order.number);
                node.released |= matches!(order.task, OrderTask::Release { .. });
                if order.task.asks_to_retry() {
                    node.refused.clear();
                }
                if order.task.is_limit() {
                    node.keep_limit(&order.task);
                }
                node.pending.insert(order.number, order.clone());
            }
            NodeEvent::StandingChanged { node, standing } => {
                let node = self.0.entry(node.clone()).or_default();
                node.change_phase(at, standing.clone());
            }
            NodeEvent::GivenUp { node, next, reason } => {
                let node = self.0.entry(node.clone()).or_default();
                node.pending.clear();
                node.next = Some(next.clone());
                node.change_phase(at, NodePhase::Gone { reason: reason.clone() });
            }
            NodeEvent::ShardTakenBack { shard, refused: Some(Refusal { node, lacks }) } => {
                let node = self.0.entry(node.clone()).or_default();
                node.refused.insert(shard.clone(), lacks.clone());
            }
            NodeEvent::Begun { .. }
            | NodeEvent::OrderDone { .. }
            | NodeEvent::ShardReceived(_)
            | NodeEvent::ShardReturned { .. }
            | NodeEvent::ShardTakenBack { refused: None, .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::command::Command;
    use crate::model::nodes::order::ORDER_VERSION;
    use crate::model::state::fact::Actor;
    use crate::model::units::Bytes;

    #[test]
    fn the_newest_limit_of_each_kind_is_kept_for_the_next_node() {
        let node = NodeId::new("gpu1".to_owned()).unwrap();
        let by = Actor { uid: 7, pid: 12 };
        let mut states = NodeStates::default();
        let limits = [
            Command::SetParallel { parallel: 4 },
            Command::SetReserve { vram: Bytes(1 << 30) },
            Command::Continue,
            Command::SetParallel { parallel: 2 },
        ];
        for (number, asked) in (1..).zip(limits) {
            let task = OrderTask::Relay { asked, by: by.clone() };
            let order = Order { version: ORDER_VERSION, number: OrderNumber(number), task };
            let given = NodeEvent::OrderGiven { node: node.clone(), order };
            states.apply_event(Timestamp::UNIX_EPOCH, &given);
        }
        let kept = |asked| OrderTask::Relay { asked, by: by.clone() };
        let expected =
            [kept(Command::SetReserve { vram: Bytes(1 << 30) }), kept(Command::SetParallel { parallel: 2 })];
        assert_eq!(states.find(&node).unwrap().limits, expected);
    }
}
