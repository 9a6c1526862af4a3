//! What events between a run and its nodes change in the state of the one or the other.

use jiff::Timestamp;

use super::fact::Event;
use super::phase::{Phase, QueueCause};
use super::run_state::RunState;
use super::shard_state::ShardState;
use crate::model::cancel_cause::CancelCause;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::order::OrderTask;

impl RunState {
    /// Takes an event of the run itself, or of the node that it is, into account.
    pub(super) fn apply_node_event(&mut self, at: Timestamp, event: &NodeEvent) {
        self.nodes.apply_event(at, event);
        match event {
            NodeEvent::Begun { node, lease } => {
                (self.own_node, self.own_lease) = (Some(node.clone()), *lease);
                // No shard is here before an order brings it.
                for position in 0..self.shards.len() {
                    let shard = self.shards[position].id.clone();
                    let event = Event::Node(Box::new(NodeEvent::ShardReturned { shard }));
                    self.change_shard(position, at, &event);
                }
            }
            NodeEvent::OrderGiven { node, order } => {
                let OrderTask::Deal { shards, .. } = &order.task else { return };
                for dealt in shards {
                    if let Some(position) = self.position(&dealt.shard) {
                        self.shards[position].node = Some(node.clone());
                    }
                }
            }
            NodeEvent::OrderDone { number, .. } => self.orders_done = *number,
            // What they change of a shard, its own state takes in.
            NodeEvent::StandingChanged { .. }
            | NodeEvent::GivenUp { .. }
            | NodeEvent::ShardReceived(_)
            | NodeEvent::ShardReturned { .. }
            | NodeEvent::ShardTakenBack { .. } => {}
        }
    }
}

impl ShardState {
    /// Takes an event about this shard into account; others change nothing.
    pub(super) fn apply_node_event(&mut self, at: Timestamp, event: &NodeEvent) {
        match event {
            NodeEvent::ShardReceived(dealt) => {
                self.apply_queued(at, QueueCause::New, None);
                self.replace_edit(dealt.edit.clone());
                (self.attempt, self.priority) = (self.attempt.max(dealt.attempt), dealt.priority);
            }
            NodeEvent::ShardReturned { .. } => {
                self.phase = Phase::Cancelled { ended: None, at, cause: CancelCause::NotHere };
            }
            NodeEvent::ShardTakenBack { .. } => {
                self.node = None;
                match self.phase.ended() {
                    Some(_) => self.apply_queued(at, QueueCause::NodeGone, None),
                    None => {
                        self.phase = Phase::Queued { since: at, cause: QueueCause::New, not_before: None };
                    }
                }
            }
            NodeEvent::Begun { .. }
            | NodeEvent::OrderGiven { .. }
            | NodeEvent::OrderDone { .. }
            | NodeEvent::GivenUp { .. }
            | NodeEvent::StandingChanged { .. } => {}
        }
    }
}
