//! The supervisor's part in dealing: it takes in what nodes report, writes their orders, and says which are wanted.

use super::forwarding;
use crate::model::ids::AttemptKey;
use crate::model::nodes::node_state::NodeState;
use crate::model::nodes::order::OrderNumber;
use crate::model::shortage::WaitingGroup;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::write_trouble::WriteTarget;
use crate::model::sweep::growth::PlanChange;
use crate::model::sweep::node_spec::NodeId;
use crate::rundir::nodes::{attempt_links, order_files};
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::attempts::newest_log;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::event_batch::EventBatch;
use crate::supervisor::event_loop::Supervisor;
use crate::supervisor::record;

impl Supervisor {
    /// Takes facts of a node into the journal of the run with the next decision.
    pub(in crate::supervisor) fn take_node_facts(
        &self,
        node: &NodeId,
        facts: Vec<(u64, Fact)>,
        batch: &mut EventBatch,
    ) {
        // A journal that is read from its start once more may be in one batch with what was read of it before.
        let origins = batch.node_facts.iter().filter_map(|fact| fact.origin.as_ref());
        let taken = origins.filter(|origin| origin.node == *node).map(|origin| origin.line).max();
        for (line, fact) in facts.into_iter().filter(|(line, _)| taken.is_none_or(|taken| *line > taken)) {
            let known = (self.state(), batch.node_facts.as_slice());
            let Some(fact) = forwarding::forward_fact(known, node, line, fact) else { continue };
            if let Event::AttemptEnded { shard, outcome, .. } = &fact.event
                && self.state().service(shard).is_none()
            {
                let (shard, outcome) = (shard.clone(), outcome.clone());
                batch.inputs.push(SchedulerInput::EndedAway { shard, outcome });
            }
            batch.node_facts.push(fact);
        }
    }

    /// Takes up what shards that wait at a node are short of.
    pub(in crate::supervisor) fn take_shortages(&mut self, node: NodeId, mut shortages: Vec<WaitingGroup>) {
        let state = self.record.state();
        // What came later has another position at each node.
        let planned = state.shards.len() - state.changes.iter().map(PlanChange::added).sum::<usize>();
        let is_its =
            |position: &usize| *position < planned && state.shards[*position].node.as_ref() == Some(&node);
        shortages.iter_mut().for_each(|group| group.shards.retain(is_its));
        shortages.retain(|group| !group.shards.is_empty());
        self.waiting.write_of_node(node, shortages);
    }

    /// Takes facts of nodes into the journal and links the attempts that began. What a run has of an attempt is announced by
    /// a fact, also after a power cut.
    pub(in crate::supervisor) async fn record_node_facts(
        &mut self,
        facts: Vec<Fact>,
    ) -> Result<(), SupervisorError> {
        let mut begun: Vec<(AttemptKey, NodeId)> =
            facts.iter().filter_map(forwarding::begun_attempt).collect();
        let known = self.state().changes.len();
        self.record.append_facts(facts).await?;
        self.follow_changes(known)?;
        // Services of several nodes may have the same name.
        let has_one_node = self.scheduler.policy.nodes.len() == 1;
        begun.retain(|(key, _)| has_one_node || self.state().position(&key.shard).is_some());
        if !begun.is_empty() {
            self.record.sync().await;
        }
        for (key, node) in begun {
            self.link_attempt(&key, &node)?;
        }
        Ok(())
    }

    /// Links the attempts that a supervisor before this one may have left in the journal only.
    pub(in crate::supervisor) fn link_attempts(&self) -> Result<(), SupervisorError> {
        let run = self.executor.run();
        for shard in &self.state().shards {
            let (Some(node), Some(attempt)) = (&shard.node, shard.attempt) else { continue };
            let key = AttemptKey { shard: shard.id.clone(), attempt };
            let is_there = run.node_dir(node).own_attempt_folder(&key).exists();
            if is_there && run.own_attempt_folder(&key).read_link().is_none() {
                self.link_attempt(&key, node)?;
            }
        }
        Ok(())
    }

    fn link_attempt(&self, key: &AttemptKey, node: &NodeId) -> Result<(), SupervisorError> {
        let run = self.executor.run();
        attempt_links::link_attempt(run, key, node)?;
        newest_log::link_newest_log(run, key);
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
            let written = order_files::write_order(self.executor.run(), node, &order);
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
    pub(in crate::supervisor) fn follow_nodes(&mut self) {
        self.nodes.follow(self.record.state());
    }
}
