//! The combined result of the events that lead to one decision.

use tokio::sync::oneshot;

use crate::model::command::ControlReply;
use crate::model::state::fact::{Event, Fact};
use crate::scheduler::input::SchedulerInput;

/// What the events of one batch ask of the scheduler, and what they record by themselves.
#[derive(Default)]
pub(super) struct EventBatch {
    pub(super) inputs: Vec<SchedulerInput>,
    pub(super) replies: Vec<oneshot::Sender<ControlReply>>,
    /// Facts that need no decision.
    pub(super) events: Vec<Event>,
    /// Facts that nodes had first.
    pub(super) node_facts: Vec<Fact>,
}

impl EventBatch {
    /// Something here adds values to the plan.
    pub(super) fn has_addition(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input, SchedulerInput::Add { .. } | SchedulerInput::Came(_)))
    }
}
