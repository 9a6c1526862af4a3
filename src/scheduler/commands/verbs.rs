//! The commands about shards, each as one row of what it takes and does.

use crate::model::cancel_cause::CancelCause;
use crate::model::command::{ControlReply, RefusalKind, Selection};
use crate::model::ids::{AttemptKey, ShardId};
use crate::model::needs::demand::Demand;
use crate::model::priority::Priority;
use crate::model::state::fact::{Actor, Event};
use crate::model::state::phase::{PhaseKind, QueueCause, StopCause};
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::edit::Edit;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::services::restarts;
use crate::scheduler::stops::stop_attempt;

/// A reply to a command about thousands of shards stays readable.
const MAX_NOTES: usize = 20;

/// A command about shards, such as pause or kill.
pub struct ShardVerb<'a> {
    /// The phases it can be used in.
    takes: &'static [PhaseKind],
    /// Queued shards that are held can take it too: it releases them.
    releases: bool,
    /// The phases that `all` means.
    all: &'static [PhaseKind],
    /// Reason that is given for each shard that is passed over.
    rule: &'static str,
    /// Condition on a shard in addition to its phase.
    fits: fn(&ShardState) -> bool,
    act: &'a dyn Fn(&mut DecisionBuilder, usize, &Actor),
}

/// Stop the processes for a while.
pub const PAUSE: ShardVerb<'static> = ShardVerb {
    takes: &[PhaseKind::Running],
    releases: false,
    all: &[PhaseKind::Running],
    rule: "only running shards can be paused",
    fits: accept_any,
    act: &pause_shard,
};

/// Let paused processes go on, and held shards be started.
pub const RESUME: ShardVerb<'static> = ShardVerb {
    takes: &[PhaseKind::Paused],
    releases: true,
    all: &[PhaseKind::Paused],
    rule: "only paused and held shards can be resumed",
    fits: accept_any,
    act: &resume_shard,
};

/// End what runs, take out what waits.
pub const KILL: ShardVerb<'static> = ShardVerb {
    takes: &[PhaseKind::Queued, PhaseKind::Starting, PhaseKind::Running, PhaseKind::Paused],
    releases: false,
    all: &[PhaseKind::Queued, PhaseKind::Starting, PhaseKind::Running, PhaseKind::Paused],
    rule: "only queued, starting, running and paused shards can be killed",
    fits: accept_any,
    act: &kill_shard,
};

/// Put what ended back into the queue. A succeeded shard must be named: `all` would throw good results away.
pub const REQUEUE: ShardVerb<'static> = ShardVerb {
    takes: &[PhaseKind::Succeeded, PhaseKind::Failed, PhaseKind::Cancelled],
    releases: true,
    all: &[PhaseKind::Failed, PhaseKind::Cancelled],
    rule: "only ended and held shards can be requeued",
    fits: accept_any,
    act: &requeue_shard,
};

/// Puts an ended shard back into the queue with other values than the sweep gives it.
pub fn requeue_edited(
    builder: &mut DecisionBuilder,
    shard: &ShardId,
    edit: &Edit,
    by: &Actor,
) -> ControlReply {
    let act = |builder: &mut DecisionBuilder, position: usize, by: &Actor| {
        queue_shard(builder, position, by, Some(Box::new(edit.clone())));
    };
    // A shard that is held would start with the values that it was queued with.
    let verb = ShardVerb { releases: false, rule: "only ended shards can be edited", act: &act, ..REQUEUE };
    verb.apply(builder, &Selection::These(vec![shard.clone()]), by)
}

/// Take back that it was put into the queue.
pub const UNDO: ShardVerb<'static> = ShardVerb {
    takes: &[PhaseKind::Queued],
    releases: false,
    all: &[PhaseKind::Queued],
    rule: "a requeue can be taken back only as long as the new attempt has not started",
    // Its node may be starting it this moment.
    fits: |shard| shard.former.is_some() && !shard.is_dealt(),
    act: &undo_requeue,
};

/// Give them another place among those that wait.
pub fn set_priority(
    builder: &mut DecisionBuilder,
    shards: &Selection,
    priority: Priority,
    by: &Actor,
) -> ControlReply {
    let act = |builder: &mut DecisionBuilder, position: usize, by: &Actor| {
        let shard = builder.shard(position);
        if shard.priority != priority {
            let (shard, by) = (shard.id.clone(), Some(by.clone()));
            builder.record(Event::PriorityChanged { shard, priority, by });
        }
    };
    let verb = ShardVerb {
        takes: &[PhaseKind::Queued],
        releases: false,
        all: &[PhaseKind::Queued],
        rule: "only queued shards have a place in the queue",
        fits: accept_any,
        act: &act,
    };
    verb.apply(builder, shards, by)
}

impl ShardVerb<'_> {
    /// Applies the verb to every selected shard in a fitting phase.
    pub fn apply(&self, builder: &mut DecisionBuilder, selection: &Selection, by: &Actor) -> ControlReply {
        let selected = match self.select_shards(builder, selection) {
            Ok(selected) => selected,
            Err(unknown) => return refused_unknown(&unknown),
        };
        let mut shards = 0;
        let mut notes = Vec::new();
        // One that is released releases the others; all were held when they were chosen.
        let held: Vec<bool> =
            selected.iter().map(|position| self.releases_shard(builder, *position)).collect();
        for (position, is_held) in selected.into_iter().zip(held) {
            let shard = builder.shard(position);
            let kind = shard.phase.kind();
            if is_held {
                release_holds(builder, by);
                shards += 1;
            } else if self.takes.contains(&kind) && (self.fits)(shard) {
                (self.act)(builder, position, by);
                shards += 1;
            } else {
                notes.push(format!("{} is {}: {}", shard.id, kind.as_str(), self.rule));
            }
        }
        shorten_notes(&mut notes);
        if shards > 0 {
            return ControlReply::Done { shards, notes };
        }
        let message =
            if notes.is_empty() { format!("no shard was changed: {}", self.rule) } else { notes.join("; ") };
        ControlReply::Refused { kind: RefusalKind::Unusable, message }
    }

    /// The shard is held, and this verb lets it be started.
    fn releases_shard(&self, builder: &DecisionBuilder, position: usize) -> bool {
        let shard = builder.shard(position);
        let is_queued = shard.phase.kind() == PhaseKind::Queued;
        self.releases && is_queued && builder.run_holds().hold_of(&shard.id).is_some()
    }

    /// The positions of the selected shards, each once, or the names the run does not have.
    fn select_shards(
        &self,
        builder: &DecisionBuilder,
        selection: &Selection,
    ) -> Result<Vec<usize>, Vec<ShardId>> {
        let those = |wanted: &[PhaseKind]| {
            let is_wanted = |shard: &ShardState| wanted.contains(&shard.phase.kind());
            let fits = |shard: &ShardState| is_wanted(shard) && (self.fits)(shard);
            builder.positions().filter(|position| fits(builder.shard(*position))).collect()
        };
        match selection {
            Selection::All if self.releases && builder.run_holds().holds_any() => {
                let is_wanted = |position: &usize| {
                    let kind = builder.shard(*position).phase.kind();
                    self.all.contains(&kind) || self.releases_shard(builder, *position)
                };
                Ok(builder.positions().filter(is_wanted).collect())
            }
            Selection::All => Ok(those(self.all)),
            Selection::Failed => Ok(those(&[PhaseKind::Failed])),
            Selection::These(names) => {
                let unknown: Vec<_> =
                    names.iter().filter(|id| builder.position(id).is_none()).cloned().collect();
                if !unknown.is_empty() {
                    return Err(unknown);
                }
                let mut positions: Vec<_> = names.iter().filter_map(|id| builder.position(id)).collect();
                positions.sort_unstable();
                positions.dedup();
                Ok(positions)
            }
        }
    }
}

fn refused_unknown(unknown: &[ShardId]) -> ControlReply {
    let names: Vec<_> = unknown.iter().map(|id| format!("`{id}`")).collect();
    let message = format!("the run has no shard {}; nothing was done", names.join(", "));
    ControlReply::Refused { kind: RefusalKind::UnknownShard, message }
}

fn shorten_notes(notes: &mut Vec<String>) {
    if notes.len() > MAX_NOTES {
        let more = notes.len() - MAX_NOTES;
        notes.truncate(MAX_NOTES);
        notes.push(format!("{more} more were passed over for the like"));
    }
}

fn pause_shard(builder: &mut DecisionBuilder, position: usize, by: &Actor) {
    if let Some(key) = present_attempt(builder, position) {
        let AttemptKey { shard, attempt } = key.clone();
        builder.record(Event::AttemptPaused { shard, attempt, by: Some(by.clone()) });
        builder.add_effect(Effect::Pause { key });
    }
}

fn resume_shard(builder: &mut DecisionBuilder, position: usize, by: &Actor) {
    if let Some(key) = present_attempt(builder, position) {
        let AttemptKey { shard, attempt } = key.clone();
        builder.record(Event::AttemptResumed { shard, attempt, by: Some(by.clone()) });
        builder.add_effect(Effect::Resume { key });
    }
}

fn kill_shard(builder: &mut DecisionBuilder, position: usize, by: &Actor) {
    let shard = builder.shard(position);
    if shard.phase.kind() == PhaseKind::Queued {
        let shard = shard.id.clone();
        builder.record(Event::ShardCancelled { shard, by: Some(by.clone()), cause: CancelCause::Asked });
    } else {
        stop_attempt(builder, position, StopCause::Killed, Some(by));
    }
}

fn requeue_shard(builder: &mut DecisionBuilder, position: usize, by: &Actor) {
    queue_shard(builder, position, by, None);
}

fn queue_shard(builder: &mut DecisionBuilder, position: usize, by: &Actor, edit: Option<Box<Edit>>) {
    let shard = builder.shard(position).id.clone();
    if let RunStage::Ended { .. } = builder.stage() {
        builder.record(Event::RunContinued { by: Some(by.clone()) });
    } else if builder.run_holds().hold_of(&shard).is_some() {
        release_holds(builder, by);
    }
    if builder.service(&shard).is_none() {
        restarts::release_failed(builder, Some(by));
    }
    let by = Some(by.clone());
    builder.record(Event::ShardQueued {
        shard,
        cause: QueueCause::User,
        by,
        not_before: None,
        demand: Demand::default(),
        edit,
        step: None,
    });
}

fn undo_requeue(builder: &mut DecisionBuilder, position: usize, by: &Actor) {
    let shard = builder.shard(position).id.clone();
    builder.record(Event::RequeueUndone { shard, by: Some(by.clone()) });
}

fn accept_any(_: &ShardState) -> bool {
    true
}

/// Takes all holds back: a user who releases one shard has seen to the cause, and what still fails is held again.
fn release_holds(builder: &mut DecisionBuilder, by: &Actor) {
    let by = Some(by.clone());
    if let RunStage::Ended { .. } = builder.stage() {
        builder.record(Event::RunContinued { by });
    } else if builder.run_holds().holds_any() {
        builder.record(Event::HoldsReleased { by });
    }
}

fn present_attempt(builder: &DecisionBuilder, position: usize) -> Option<AttemptKey> {
    let shard = builder.shard(position);
    Some(AttemptKey { shard: shard.id.clone(), attempt: shard.phase.attempt()? })
}
