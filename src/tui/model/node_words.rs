//! Words for what happens between a run and its nodes.

use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::nodes::order::OrderTask;
use crate::model::sweep::node_spec::NodeId;
use crate::results::status::shortage::describe_shortage;
use crate::tui::format::plural;
use crate::tui::theme::role::Role;

/// Describes an event in a sentence, with the colour of its importance.
pub fn describe_node_event(event: &NodeEvent) -> (Role, String) {
    match event {
        NodeEvent::Begun { node, .. } => (Role::Dim, format!("this is node {node} of a run")),
        NodeEvent::OrderGiven { node, order } => describe_order(node, &order.task),
        NodeEvent::OrderDone { notes, .. } => describe_notes(notes),
        NodeEvent::StandingChanged { node, standing } => describe_standing(node, standing),
        NodeEvent::GivenUp { node, reason, .. } => {
            (Role::Warning, format!("node {node} is given up: {reason}"))
        }
        NodeEvent::ShardReceived(dealt) => (Role::Dim, format!("{} came to this node", dealt.shard)),
        NodeEvent::ShardReturned { shard, .. } => (Role::Dim, format!("{shard} is given back")),
        NodeEvent::ShardTakenBack { shard, refused: None } => {
            (Role::Text, format!("{shard} waits for a node again"))
        }
        NodeEvent::ShardTakenBack { shard, refused: Some(refused) } => {
            let lacks = describe_shortage(&refused.lacks);
            (Role::Warning, format!("{shard} cannot run at {}: {lacks}", refused.node))
        }
    }
}

/// `gpu1 gets 4 shards`, for lists of events.
fn describe_order(node: &NodeId, task: &OrderTask) -> (Role, String) {
    match task {
        OrderTask::Deal { shards, .. } => {
            (Role::Dim, format!("{node} gets {}", plural(shards.len(), "shard")))
        }
        OrderTask::Return { shards } => {
            (Role::Dim, format!("{node} gives back {}", plural(shards.len(), "shard")))
        }
        OrderTask::Relay { .. } => (Role::Dim, format!("{node} is asked to do the same")),
        OrderTask::Release { reason } => (Role::Warning, format!("{node} is to end everything: {reason}")),
        OrderTask::Stop { now: false, .. } => (Role::Stopping, format!("{node} is to start nothing more")),
        OrderTask::Stop { now: true, .. } => (Role::Stopping, format!("{node} is to stop everything")),
    }
}

/// Whether a node is at work, in a sentence.
fn describe_standing(node: &NodeId, standing: &NodePhase) -> (Role, String) {
    let text = match standing {
        NodePhase::Idle => format!("node {node} has ended: nothing is left for it"),
        NodePhase::Up => format!("node {node} is up"),
        NodePhase::Unreachable { reason } => format!("node {node} cannot be reached: {reason}"),
        NodePhase::Waiting { reason } => format!("node {node} waits for its job: {reason}"),
        NodePhase::Draining => format!("node {node} ends what it has"),
        NodePhase::Silent => format!("node {node} gives no sign of life"),
        NodePhase::Expired => format!("the lease of node {node} is over"),
        NodePhase::Gone { reason } => format!("node {node} is gone: {reason}"),
    };
    (standing_role(standing), text)
}

/// The colour of the word for whether a node is at work.
pub fn standing_role(standing: &NodePhase) -> Role {
    match standing {
        NodePhase::Idle | NodePhase::Waiting { .. } => Role::Dim,
        NodePhase::Up => Role::Running,
        NodePhase::Draining => Role::Stopping,
        NodePhase::Unreachable { .. } | NodePhase::Expired => Role::Failed,
        NodePhase::Silent | NodePhase::Gone { .. } => Role::Warning,
    }
}

/// A note of a node on an order.
fn describe_notes(notes: &[String]) -> (Role, String) {
    match notes {
        [] => (Role::Dim, "an order is carried out".to_owned()),
        notes => (Role::Warning, notes.join("; ")),
    }
}
