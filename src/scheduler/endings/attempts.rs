//! What follows from news of one attempt: its start, its signs of life, its adoption and its end.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::cancel_cause::CancelCause;
use crate::model::ids::AttemptKey;
use crate::model::outcome::{Outcome, Verdict};
use crate::model::shortage::StartShortage;
use crate::model::state::fact::{Condition, Event};
use crate::model::state::phase::{Phase, StopCause};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::endings::answers::{FollowUp, follow_up};
use crate::scheduler::endings::repeats;
use crate::scheduler::gates::allocation;
use crate::scheduler::gates::brake::Brake;
use crate::scheduler::input::LoadKind;
use crate::scheduler::volatile_state::VolatileState;

/// The holder reports its child.
pub fn handle_started(
    builder: &mut DecisionBuilder,
    volatile: &mut VolatileState,
    key: &AttemptKey,
    pid: u32,
    started: Timestamp,
) {
    let Some(shard) = builder.present_shard(key) else { return };
    let is_stopping = match &shard.phase {
        Phase::Starting { .. } => false,
        Phase::Stopping { live, .. } if live.pid.is_none() => true,
        Phase::Stopping { .. }
        | Phase::Running(_)
        | Phase::Paused { .. }
        | Phase::Queued { .. }
        | Phase::Succeeded(_)
        | Phase::Failed { .. }
        | Phase::Cancelled { .. } => return,
    };
    let AttemptKey { shard, attempt } = key.clone();
    builder.record(Event::AttemptStarted { shard, attempt, pid, started });
    if is_stopping {
        // The stop may have come before there was anything to stop.
        builder.add_effect(Effect::Stop { key: key.clone() });
    } else {
        volatile.record_sign(key, builder.now, Duration::ZERO);
    }
    volatile.brake = volatile.brake.and_then(|brake| brake.after_success(builder.now));
}

/// The attempt is over: the shard rests, or goes back into the queue.
pub fn handle_ended(
    builder: &mut DecisionBuilder,
    volatile: &mut VolatileState,
    key: &AttemptKey,
    outcome: &Outcome,
) {
    let Some(shard) = builder.present_shard(key) else { return };
    let outcome = &allocation::blame_job(builder, shard, outcome);
    let FollowUp { facts, because } = follow_up(builder, volatile, shard, outcome);
    volatile.brake = volatile.brake.map(|brake| brake.try_soon(builder.now));
    let outcome = &explain_outcome(outcome, because);
    // With other values than the sweep gives it was other work, which does not count for its combo.
    let is_edited = !shard.edit.is_empty();
    let position = builder.position(&key.shard);
    if let Some(position) = position {
        let tells = outcome.verdict == Verdict::Succeeded && !is_edited;
        volatile.knowledge.footprints.end_attempt(key, builder.policy.combos[position], tells);
        if let Some(pack) = builder.policy.packs[position].filter(|_| tells) {
            volatile.knowledge.pack_families.record_success(pack.family, pack.values);
        }
    }
    let AttemptKey { shard, attempt } = key.clone();
    volatile.forget_shard(&shard);
    builder.record(Event::AttemptEnded { shard: shard.clone(), attempt, outcome: Box::new(outcome.clone()) });
    for fact in facts {
        if let (Event::ShardQueued { demand, .. }, Some(position), false) = (&fact, position, is_edited) {
            volatile.knowledge.lessons.learn_demand(builder.policy.combos[position], demand);
        }
        if let (Event::PackSplit(_), Some(position), false) = (&fact, position, is_edited)
            && let Some(pack) = builder.policy.packs[position]
        {
            volatile.knowledge.pack_families.record_oom(pack.family, pack.values);
        }
        if let Event::PackSplit(_) = &fact {
            // The new shard is there once the fact is recorded.
            builder.wake_at(builder.now);
        }
        builder.record(fact);
    }
    repeats::follow_end(builder, position, outcome);
}

/// The machine could not start the attempt: the shard waits again, unless it was killed meanwhile.
pub fn put_back(
    builder: &mut DecisionBuilder,
    volatile: &mut VolatileState,
    key: &AttemptKey,
    lack: StartShortage,
) {
    let Some(shard) = builder.present_shard(key) else { return };
    let is_killed = matches!(shard.phase, Phase::Stopping { cause: StopCause::Killed, .. });
    volatile.brake = Some(Brake::after_failure(volatile.brake, lack, builder.now));
    volatile.forget_shard(&key.shard);
    let AttemptKey { shard, attempt } = key.clone();
    builder.record(Event::AttemptPutBack { shard: shard.clone(), attempt, lack });
    if is_killed {
        builder.record(Event::ShardCancelled { shard, by: None, cause: CancelCause::Asked });
    }
}

/// The outcome with the reason for which no further try can help, before the program's own message.
fn explain_outcome(outcome: &Outcome, because: Option<String>) -> Outcome {
    let mut outcome = outcome.clone();
    if let (Verdict::Failed(failure), Some(because)) = (&mut outcome.verdict, because) {
        failure.message =
            if failure.message.is_empty() { because } else { format!("{because} ({})", failure.message) };
    }
    outcome
}

/// The log has grown, or was read for the first time.
pub fn handle_activity(
    builder: &mut DecisionBuilder,
    volatile: &mut VolatileState,
    key: &AttemptKey,
    last_output: Timestamp,
    last_progress: Option<Timestamp>,
    may_compile: bool,
) {
    if builder.service(&key.shard).is_some() {
        // What a server prints is no progress of the run, and its silence no stall.
        return;
    }
    volatile.progress_seen |= last_progress.is_some();
    let Some(shard) = builder.present_shard(key) else { return };
    volatile.course_mut(key).may_compile = may_compile;
    if last_progress.is_some() && builder.policy.follows_attempts() {
        volatile.knowledge.footprints.note_progress(key, builder.now);
    }
    let Some(live) = shard.phase.live() else { return };
    let sign = last_progress.map_or(last_output, |progress| progress.max(last_output));
    let is_news = volatile.record_sign(key, sign, live.paused);
    // Every condition is one of silence.
    if is_news && shard.condition().is_some() {
        let AttemptKey { shard, attempt } = key.clone();
        builder.record(Event::ConditionChanged { shard, attempt, condition: None, since: None });
    }
}

/// Its processes were measured for a moment.
pub fn handle_load(
    builder: &DecisionBuilder,
    volatile: &mut VolatileState,
    key: &AttemptKey,
    load: LoadKind,
) {
    if builder.present_shard(key).is_some() {
        volatile.course_mut(key).load = Some(load);
    }
}

/// The program waits for an answer; shown until its log goes on.
pub fn handle_question(builder: &mut DecisionBuilder, key: &AttemptKey) {
    let Some(shard) = builder.present_shard(key) else { return };
    if matches!(shard.phase, Phase::Running(_)) && shard.condition() != Some(Condition::NeedsInput) {
        let AttemptKey { shard, attempt } = key.clone();
        let condition = Some(Condition::NeedsInput);
        builder.record(Event::ConditionChanged { shard, attempt, condition, since: None });
    }
}

/// A new supervisor found the holder alive. What the old one recorded but may not have done is done again.
pub fn handle_adopted(builder: &mut DecisionBuilder, volatile: &mut VolatileState, key: &AttemptKey) {
    let key = key.clone();
    let Some(shard) = builder.present_shard(&key) else {
        // The journal knows nothing of this process any more; left alone it would run next to its successor.
        builder.add_effect(Effect::Stop { key });
        return;
    };
    let again = match &shard.phase {
        Phase::Stopping { .. } => Some(Effect::Stop { key: key.clone() }),
        Phase::Paused { .. } => Some(Effect::Pause { key: key.clone() }),
        Phase::Running(live) if !live.paused.is_zero() => Some(Effect::Resume { key: key.clone() }),
        Phase::Running(_)
        | Phase::Starting { .. }
        | Phase::Queued { .. }
        | Phase::Succeeded(_)
        | Phase::Failed { .. }
        | Phase::Cancelled { .. } => None,
    };
    if let Some(live) = shard.phase.live() {
        volatile.record_sign(&key, builder.now, live.paused);
    }
    builder.record(Event::AttemptAdopted { shard: key.shard, attempt: key.attempt });
    if let Some(effect) = again {
        builder.add_effect(effect);
    }
}
