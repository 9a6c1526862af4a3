//! What is known of the nodes of a run after a number of facts.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::node_event::NodeEvent;
use super::node_spec::NodeId;
use super::order::{Order, OrderNumber};
use super::standing::{FactOrigin, NodeStanding};
use crate::model::state::fact::Event;

/// What is known of a node after the facts so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeState {
    /// Whether it is at work.
    pub standing: NodeStanding,
    /// When it came to be so.
    pub since: Option<Timestamp>,
    /// How many lines of its journal are taken into this one.
    pub read: u64,
    /// The newest order that was given.
    pub last_order: OrderNumber,
    /// Orders that it has not carried out yet, as far as is known.
    pub pending: BTreeMap<OrderNumber, Order>,
}

/// The nodes of a run, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeStates(BTreeMap<NodeId, NodeState>);

impl NodeStates {
    /// What is known of a node; of one that no fact names, nothing.
    pub fn find(&self, node: &NodeId) -> Option<&NodeState> {
        self.0.get(node)
    }

    /// All nodes that facts name.
    pub fn iter(&self) -> impl Iterator<Item = (&NodeId, &NodeState)> {
        self.0.iter()
    }

    /// Takes a fact that a node had first into account.
    pub fn apply_forwarded(&mut self, origin: &FactOrigin, event: &Event) {
        let node = self.0.entry(origin.node.clone()).or_default();
        node.read = node.read.max(origin.line);
        if let Event::Node(event) = event
            && let NodeEvent::OrderDone { number, .. } = &**event
        {
            node.pending.remove(number);
        }
    }

    /// Takes an event of the run itself into account.
    pub fn apply_event(&mut self, at: Timestamp, event: &NodeEvent) {
        match event {
            NodeEvent::OrderGiven { node, order } => {
                let node = self.0.entry(node.clone()).or_default();
                node.last_order = node.last_order.max(order.number);
                node.pending.insert(order.number, order.clone());
            }
            NodeEvent::StandingChanged { node, standing } => {
                let node = self.0.entry(node.clone()).or_default();
                (node.standing, node.since) = (standing.clone(), Some(at));
            }
            NodeEvent::Begun { .. }
            | NodeEvent::OrderDone { .. }
            | NodeEvent::ShardReceived(_)
            | NodeEvent::ShardReturned { .. }
            | NodeEvent::ShardTakenBack { .. } => {}
        }
    }
}
