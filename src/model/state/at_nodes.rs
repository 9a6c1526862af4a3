//! What nodes have of a run: shards that were dealt to them, and services of their own.

use jiff::Timestamp;

use super::fact::{Event, Fact};
use super::phase::{Phase, QueueCause};
use super::run_state::{FoldError, RunState, unannounced_attempt};
use super::service_state::ServiceState;
use super::shard_state::ShardState;
use crate::model::cancel_cause::CancelCause;
use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::order::OrderTask;
use crate::model::sweep::service::ServiceInstance;

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
                    let event = Event::Node(Box::new(NodeEvent::ShardReturned { shard, lacks: None }));
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
            // Nothing of it runs any more.
            NodeEvent::GivenUp { node, .. } => {
                self.services.retain(|service| service.life.node.as_ref() != Some(node));
            }
            // What they change of a shard, its own state takes in.
            NodeEvent::StandingChanged { .. }
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
                if self.phase.ended().is_some() {
                    self.apply_queued(at, QueueCause::NodeGone, None);
                } else if !matches!(self.phase, Phase::Queued { .. }) {
                    self.phase = Phase::Queued { since: at, cause: QueueCause::New, not_before: None };
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

/// Each node has services of its own, which may have the same ids.
impl RunState {
    /// The living shards that use the service.
    pub fn users_of<'s>(&'s self, service: &'s ServiceState) -> impl Iterator<Item = &'s ShardState> {
        let uses = |shard: &&ShardState| {
            shard.node == service.life.node
                && shard.phase.claim().is_some_and(|claim| claim.services.contains(service.id()))
        };
        self.tally().active_positions().iter().map(|position| &self.shards[*position]).filter(uses)
    }

    /// The named instance of a service.
    pub fn service(&self, id: &ShardId) -> Option<&ServiceState> {
        self.services.iter().find(|service| service.id() == id)
    }

    /// The services that this machine has, not its nodes.
    pub fn own_services(&self) -> impl Iterator<Item = &ServiceState> {
        self.services.iter().filter(|service| service.life.node.is_none())
    }

    /// The instance that a fact is about, which is that of the node where it happened.
    pub(super) fn service_of(&mut self, fact: &Fact, id: &ShardId) -> Option<&mut ServiceState> {
        let node = fact.origin.as_ref().map(|origin| &origin.node);
        self.services.iter_mut().find(|service| service.id() == id && service.life.node.as_ref() == node)
    }

    pub(super) fn add_service(&mut self, fact: &Fact, id: &ShardId, instance: &ServiceInstance) {
        let mut service = ServiceState::new(id.clone(), instance.clone(), fact.at);
        service.life.node = fact.origin.as_ref().map(|origin| origin.node.clone());
        self.services.push(service);
    }

    pub(super) fn apply_to_service(&mut self, id: &ShardId, fact: &Fact) -> Result<(), FoldError> {
        let service = self.service_of(fact, id);
        let service = service.ok_or_else(|| FoldError::UnknownShard(id.clone()))?;
        if let Some(attempt) = unannounced_attempt(&service.life, &fact.event) {
            return Err(FoldError::Unannounced { shard: id.clone(), attempt });
        }
        service.apply_event(fact.at, &fact.event);
        Ok(())
    }
}
