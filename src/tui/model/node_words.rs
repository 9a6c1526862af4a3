//! Words for what happens between a run and its nodes.

use crate::model::ids::ShardId;
use crate::model::nodes::node_spec::NodeId;
use crate::model::nodes::node_state::NodeStanding;
use crate::model::nodes::order::OrderTask;
use crate::tui::format::plural;
use crate::tui::theme::role::Role;

/// `gpu1 gets 4 shards`, for lists of events.
pub fn describe_order(node: &NodeId, task: &OrderTask) -> (Role, String) {
    match task {
        OrderTask::Deal { shards } => (Role::Dim, format!("{node} gets {}", plural(shards.len(), "shard"))),
        OrderTask::Relay { .. } => (Role::Dim, format!("{node} is asked to do the same")),
        OrderTask::Stop { now: false, .. } => (Role::Stopping, format!("{node} is to start nothing more")),
        OrderTask::Stop { now: true, .. } => (Role::Stopping, format!("{node} is to stop everything")),
    }
}

/// Whether a node is at work, in a sentence.
pub fn describe_standing(node: &NodeId, standing: &NodeStanding) -> (Role, String) {
    match standing {
        NodeStanding::Idle => (Role::Dim, format!("node {node} has ended: nothing is left for it")),
        NodeStanding::Up => (Role::Running, format!("node {node} is up")),
        NodeStanding::Unreachable { reason } => {
            (Role::Failed, format!("node {node} cannot be reached: {reason}"))
        }
        NodeStanding::Silent => (Role::Warning, format!("node {node} gives no sign of life")),
    }
}

/// A note of a node on an order.
pub fn describe_notes(notes: &[String]) -> (Role, String) {
    match notes {
        [] => (Role::Dim, "an order is carried out".to_owned()),
        notes => (Role::Warning, notes.join("; ")),
    }
}

/// A shard that waits to be dealt again.
pub fn describe_taken_back(shard: &ShardId) -> (Role, String) {
    (Role::Text, format!("{shard} waits for a node again"))
}
