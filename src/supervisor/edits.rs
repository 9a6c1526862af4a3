//! Edits of shards: whether one that is asked for can be, and what the plan is once it was recorded.

use tokio::sync::oneshot;

use crate::config::edit;
use crate::model::command::{Command, ControlReply, RefusalKind};
use crate::model::fact::Event;
use crate::model::ids::ShardId;
use crate::model::phase::QueueCause;
use crate::model::plan::Plan;

/// The way of the answer to a command that the scheduler may hear; one that the plan does not take is answered here.
pub(super) fn admit(
    plan: &Plan,
    command: &Command,
    reply: oneshot::Sender<ControlReply>,
) -> Option<oneshot::Sender<ControlReply>> {
    let Some(refused) = objection(plan, command) else { return Some(reply) };
    // A client that did not wait for the answer does not miss it.
    let _ = reply.send(refused);
    None
}

/// Why the plan does not take what is asked for; the scheduler knows no templates.
fn objection(plan: &Plan, command: &Command) -> Option<ControlReply> {
    let Command::RequeueEdited { shard: id, edit } = command else { return None };
    // That there is no such shard is for the scheduler to say.
    let shard = plan.shards.iter().find(|shard| shard.id == *id)?;
    let error = edit::is_of(plan, shard, edit).err()?;
    let message = format!("{id} cannot be run so: {error}; nothing was done");
    Some(ControlReply::Refused { kind: RefusalKind::Unusable, message })
}

/// The shards whose edits these facts may change.
pub(super) fn touched(facts: &[Event]) -> Vec<ShardId> {
    let is_touched = |fact: &&Event| {
        matches!(fact, Event::ShardQueued { cause: QueueCause::User, .. } | Event::RequeueUndone { .. })
    };
    facts.iter().filter(is_touched).filter_map(|fact| fact.shard().cloned()).collect()
}
