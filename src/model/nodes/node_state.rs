//! What is known of the nodes of a run after a number of facts.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::node_spec::NodeId;
use super::order::{Order, OrderNumber};
use crate::model::state::event_groups::events;
use crate::model::state::fact::{Event, Fact};

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

/// Whether a node is at work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "standing", rename_all = "kebab-case")]
pub enum NodeStanding {
    /// Nothing was asked of it, or it has ended because nothing was left to do.
    #[default]
    Idle,
    /// It takes shards.
    Up,
    /// It could not be started; it is tried again.
    Unreachable {
        /// Reason in one line for people.
        reason: String,
    },
    /// It was at work and gives no sign of life. Its shards may be running.
    Silent,
}

/// Where a fact comes from that another journal had first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactOrigin {
    /// The node whose journal it is.
    pub node: NodeId,
    /// Number of its line there.
    pub line: u64,
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

    /// Takes one more fact into account; most change nothing here.
    pub fn apply_fact(&mut self, fact: &Fact) {
        if let Some(origin) = &fact.origin {
            let node = self.0.entry(origin.node.clone()).or_default();
            node.read = node.read.max(origin.line);
            if let Event::OrderDone { number, .. } = &fact.event {
                node.pending.remove(number);
            }
            return;
        }
        self.apply_event(fact.at, &fact.event);
    }

    /// Takes an event of the run itself into account.
    pub fn apply_event(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::OrderGiven { node, order } => {
                let node = self.0.entry(node.clone()).or_default();
                node.last_order = node.last_order.max(order.number);
                node.pending.insert(order.number, Order::clone(order));
            }
            Event::NodeChanged { node, standing } => {
                let node = self.0.entry(node.clone()).or_default();
                (node.standing, node.since) = (standing.clone(), Some(at));
            }
            Event::NodeBegun { .. }
            | Event::OrderDone { .. }
            | events!(
                attempts
                    | dealing
                    | outcomes
                    | queue
                    | plan
                    | services
                    | limits
                    | holds
                    | beginnings
                    | stages
                    | reports
            ) => {}
        }
    }
}
