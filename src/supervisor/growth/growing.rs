//! The run gets more shards, or shards other values: what is asked for and what comes is rendered, and what was
//! recorded is followed.

use tokio::sync::oneshot;
use tracing::warn;

use crate::model::command::{Command, ControlReply};
use crate::model::ids::ShardId;
use crate::model::state::fact::{Actor, Event};
use crate::model::state::run_state::RunStage;
use crate::model::state::warning_topic::WarningTopic;
use crate::model::sweep::growth::PlanChange;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::event::SupervisorEvent;
use crate::supervisor::event_batch::EventBatch;
use crate::supervisor::event_loop::Supervisor;

impl Supervisor {
    /// Takes splits and additions into account that were recorded after the first `known`.
    pub(in crate::supervisor) fn follow_changes(&mut self, known: usize) -> Result<(), SupervisorError> {
        self.watches.end_watches(&self.record.state().unwatched);
        let (policy, executor) = (&mut self.scheduler.policy, &mut self.executor);
        for change in &self.record.state().changes[known..] {
            match change {
                PlanChange::Split(split) => {
                    executor.apply_split(split);
                    policy.apply_split(executor.plan(), split);
                }
                PlanChange::Growth(_) => {
                    executor.apply_growth(change);
                    policy.apply_growth(executor.plan());
                }
            }
        }
        if self.record.state().changes.len() > known { self.weigh_new_needs() } else { Ok(()) }
    }

    /// Takes edits into account that were recorded, with what they make these shards need.
    pub(in crate::supervisor) fn follow_edits(&mut self, edited: &[ShardId]) -> Result<(), SupervisorError> {
        if edited.is_empty() {
            return Ok(());
        }
        self.executor.follow_edits(self.record.state(), edited);
        self.scheduler.policy.follow_needs(self.executor.plan(), edited);
        self.weigh_new_needs()
    }

    /// A shard may be the first that needs what has to be measured.
    pub(in crate::supervisor) fn weigh_new_needs(&mut self) -> Result<(), SupervisorError> {
        let policy = &self.scheduler.policy;
        self.reservations.follow_policy(policy)?;
        if policy.follows_machine() {
            self.executor.telemetry.tell_looks();
        }
        Ok(())
    }

    /// A user asks for further values of an axis; what cannot be is answered here.
    pub(in crate::supervisor) fn add_values(
        &mut self,
        (axis, values): (&str, &[String]),
        by: Actor,
        reply: oneshot::Sender<ControlReply>,
        batch: &mut EventBatch,
    ) {
        if batch.has_addition() {
            // What they bring depends on what the run has, and that changes in this very turn.
            let command = Command::AddValues { axis: axis.to_owned(), values: values.to_vec() };
            // In a turn of its own.
            return drop(self.executor.event_tx.send(SupervisorEvent::Command { command, by, reply }));
        }
        match self.additions.as_asked(self.executor.plan(), axis, values) {
            Ok(growth) => {
                let growth = self.history_writer.apply_history(growth, self.executor.plan());
                batch.inputs.push(SchedulerInput::Add { growth, by });
                batch.replies.push(reply);
            }
            Err(message) => {
                // A client that did not wait for the answer does not miss it.
                let _ = reply.send(ControlReply::unusable(message));
            }
        }
    }

    /// Files of a watched axis came. A run that is being stopped is notified of them again when it continues.
    pub(in crate::supervisor) fn take_up(
        &mut self,
        axis: String,
        files: Vec<String>,
        batch: &mut EventBatch,
    ) {
        if self.state().stage != RunStage::Active || batch.has_addition() {
            return;
        }
        match self.additions.of_files(self.executor.plan(), &axis, &files) {
            Ok(Some(growth)) => {
                let growth = self.history_writer.apply_history(growth, self.executor.plan());
                batch.inputs.push(SchedulerInput::Came(growth));
            }
            Ok(None) => {}
            Err(message) => {
                let text = format!("{} of `{axis}` brought no shards: {message}", files.join(", "));
                warn!("{text}");
                batch.events.push(Event::RunWarned { topic: WarningTopic::Watch, text });
            }
        }
        self.watches.mark_settled(&axis, &files);
    }
}
