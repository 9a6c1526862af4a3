//! What users ask of the supervisor: checked, and answered with the next decision.

use tokio::sync::oneshot;
use tracing::info;

use super::attempts::foreign_work;
use super::event_batch::EventBatch;
use super::event_loop::Supervisor;
use super::growth::edits;
use super::measurements::gpu_choice;
use crate::model::command::{Command, ControlReply};
use crate::model::state::fact::Actor;
use crate::scheduler::input::SchedulerInput;

impl Supervisor {
    /// Resolves and checks a command, then queues it for the scheduler.
    pub(super) fn take_command(
        &mut self,
        command: Command,
        by: Actor,
        reply: oneshot::Sender<ControlReply>,
        batch: &mut EventBatch,
    ) {
        match self.admit_command(command) {
            Ok(Command::AddValues { axis, values }) => self.add_values((&axis, &values), by, reply, batch),
            Ok(command) => {
                info!("user {} asks: {command:?}", by.uid);
                batch.inputs.push(SchedulerInput::Command { command, by });
                batch.replies.push(reply);
            }
            // A client that did not wait for the answer does not miss it.
            Err(refused) => drop(reply.send(refused)),
        }
    }

    /// Resolves a command, or refuses what the scheduler cannot know to be impossible.
    fn admit_command(&self, command: Command) -> Result<Command, ControlReply> {
        // The end of a job is announced to the node that lives in it.
        let drains = self.state().allocation.is_some() && command == Command::Stop { now: false };
        let is_of_node = command != Command::Ping && !drains;
        if let Some(node) = self.state().own_node.as_ref().filter(|_| is_of_node) {
            return Err(ControlReply::unusable(format!(
                "this is node {node} of a run: ask that of the whole run"
            )));
        }
        let command = gpu_choice::name_gpus(&self.executor.permit, command)?;
        foreign_work::check_command(self.executor.plan(), &command)?;
        edits::check_command(self.executor.plan(), self.state(), &command)?;
        Ok(command)
    }
}
