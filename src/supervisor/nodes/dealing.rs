//! The supervisor's part in dealing: it takes in what nodes report, writes their orders, and says which are wanted.

use super::forwarding;
use crate::model::nodes::node_spec::{NodeId, NodeSpec};
use crate::model::nodes::node_state::NodeState;
use crate::model::nodes::order::OrderNumber;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::state::shard_state::ShardState;
use crate::model::state::write_trouble::WriteTarget;
use crate::rundir::nodes::{attempt_links, order_files};
use crate::scheduler::dealing::deal::may_be_dealt;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::record;
use crate::supervisor::turns::{EventBatch, Supervisor};

impl Supervisor {
    /// Takes facts of a node into the journal of the run with the next decision.
    pub(in crate::supervisor) fn take_node_facts(
        &self,
        node: &NodeId,
        facts: Vec<(u64, Fact)>,
        turn: &mut EventBatch,
    ) -> Result<(), SupervisorError> {
        for (line, fact) in facts {
            let Some(fact) = forwarding::forward_fact(self.state(), node, line, fact) else { continue };
            if let Some((key, node)) = forwarding::begun_attempt(&fact) {
                attempt_links::link_attempt(self.deeds.run(), &key, node)?;
            }
            if let Event::AttemptEnded { shard, outcome, .. } = &fact.event {
                let (shard, outcome) = (shard.clone(), outcome.clone());
                turn.inputs.push(SchedulerInput::EndedAway { shard, outcome });
            }
            turn.node_facts.push(fact);
        }
        Ok(())
    }

    /// Writes an order that is in the journal. A disk that takes nothing holds it up and loses nothing.
    pub(in crate::supervisor) async fn write_order(
        &mut self,
        node: &NodeId,
        number: OrderNumber,
    ) -> Result<(), SupervisorError> {
        let known = self.state().nodes.find(node);
        let Some(order) = known.and_then(|known| known.pending.get(&number)).cloned() else { return Ok(()) };
        loop {
            let written = order_files::write_order(self.deeds.run(), node, &order);
            self.record.writes().note_outcome(WriteTarget::Attempt, &written);
            match written {
                Ok(()) => return Ok(()),
                Err(error) if error.is_unwritable() => record::wait_after(&error).await,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Writes the orders that a supervisor before this one may have left in the journal only.
    pub(in crate::supervisor) async fn write_pending_orders(&mut self) -> Result<(), SupervisorError> {
        let pending = |(node, known): (&NodeId, &NodeState)| {
            known.pending.keys().map(|number| (node.clone(), *number)).collect::<Vec<_>>()
        };
        for (node, number) in self.state().nodes.iter().flat_map(pending).collect::<Vec<_>>() {
            self.write_order(&node, number).await?;
        }
        Ok(())
    }

    /// Says which nodes are to be at work.
    pub(in crate::supervisor) fn follow_nodes(&self) {
        let state = self.state();
        let has_ready = has_ready_shards(state);
        self.nodes.set_wanted(|node| has_ready || has_work(state, node));
    }
}

/// A shard waits to be dealt.
fn has_ready_shards(state: &RunState) -> bool {
    let is_ready = |shard: &ShardState| may_be_dealt(shard, &state.precautions);
    state.stage == RunStage::Active && state.opens_at().is_none() && state.shards.iter().any(is_ready)
}

/// The node has shards, or orders that it has not carried out.
fn has_work(state: &RunState, node: &NodeSpec) -> bool {
    let has_orders = state.nodes.find(&node.id).is_some_and(|known| !known.pending.is_empty());
    let is_its = |shard: &ShardState| shard.is_dealt() && shard.node.as_ref() == Some(&node.id);
    !state.stage.is_over() && (has_orders || state.shards.iter().any(is_its))
}
