//! Edits of shards: whether one that is asked for can be, and what the plan is once it was recorded.

use std::collections::BTreeSet;

use crate::config::edit::{self, ShardEditError};
use crate::model::command::{Command, ControlReply, Selection};
use crate::model::ids::ShardId;
use crate::model::state::fact::Event;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::Plan;

/// Refuses what the plan does not take; the scheduler knows no templates.
pub(in crate::supervisor) fn check_command(
    plan: &Plan,
    state: &RunState,
    command: &Command,
) -> Result<(), ControlReply> {
    let Some((id, error)) = find_objection(plan, state, command) else { return Ok(()) };
    Err(ControlReply::unusable(format!("{id} cannot be run so: {error}; nothing was done")))
}

/// Finds the first shard that cannot be run as the command asks.
fn find_objection(plan: &Plan, state: &RunState, command: &Command) -> Option<(ShardId, ShardEditError)> {
    match command {
        Command::RequeueEdited { shard: id, edit } => {
            // The scheduler reports that there is no such shard.
            let shard = plan.shards.iter().find(|shard| shard.id == *id)?;
            Some((id.clone(), edit::is_of(plan, shard, edit).err()?))
        }
        Command::Requeue { shards } => edit::check_plain(plan, &asked_again(state, shards)).err(),
        Command::Pause { .. }
        | Command::Resume { .. }
        | Command::Kill { .. }
        | Command::Restart { .. }
        | Command::Undo { .. }
        | Command::SetPriority { .. }
        | Command::Stop { .. }
        | Command::Continue
        | Command::SetParallel { .. }
        | Command::SetReserve { .. }
        | Command::SetGpus { .. }
        | Command::StartNow
        | Command::StartAt { .. }
        | Command::AddValues { .. }
        | Command::Unwatch { .. }
        | Command::Ping => None,
    }
}

/// The shards that a plain requeue puts back into the queue; one that is held keeps its edit.
fn asked_again(state: &RunState, shards: &Selection) -> BTreeSet<ShardId> {
    let is_meant = |shard: &&ShardState| {
        let kind = shard.phase.kind();
        match shards {
            Selection::All => matches!(kind, PhaseKind::Failed | PhaseKind::Cancelled),
            Selection::Failed => kind == PhaseKind::Failed,
            Selection::These(names) => kind.is_final() && names.contains(&shard.id),
        }
    };
    let is_edited = |shard: &&ShardState| !shard.edit.is_empty();
    state.shards.iter().filter(is_edited).filter(is_meant).map(|shard| shard.id.clone()).collect()
}

/// The shards whose edits these facts may change.
pub(in crate::supervisor) fn touched_shards(facts: &[Event]) -> Vec<ShardId> {
    let is_touched = |fact: &&Event| fact.changes_values() && !matches!(fact, Event::PackSplit(_));
    facts.iter().filter(is_touched).filter_map(|fact| fact.shard().cloned()).collect()
}
