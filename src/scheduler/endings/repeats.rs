//! The same failure again and again in a short time: what is still queued is held instead of burned.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::failure_trait::FailureTrait;
use crate::model::ids::ShardId;
use crate::model::outcome::{ExitStatus, Failure, FailureReason, Outcome, Verdict};
use crate::model::state::fact::Event;
use crate::model::state::phase::{Ended, Phase};
use crate::model::state::run_holds::RunHolds;
use crate::model::state::shard_state::ShardState;
use crate::model::units::duration_between;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::returning::return_shards;

/// So often the same failure is no accident any more.
const OFTEN: usize = 3;

/// Longest age of a failure that still counts as recent.
const SHORT: Duration = Duration::from_secs(60);

/// A failure of the kind that is looked for.
#[derive(Clone, Copy)]
struct RepeatedFailure {
    at: Timestamp,
    position: usize,
    took: Option<Duration>,
}

/// Holds or releases what is queued, after the end of the shard at `position`. A node gives back what it would hold: its
/// run sees the ends at all nodes, and holds it or deals it again.
pub fn follow_end(builder: &mut DecisionBuilder, position: Option<usize>, outcome: &Outcome) {
    if outcome.verdict == Verdict::Succeeded {
        lift_after_success(builder);
        return;
    }
    let Some(hold) = position.and_then(|position| hold_repeated(builder, position, outcome)) else { return };
    if builder.own_node().is_some() {
        let mut holds = RunHolds::default();
        holds.apply_event(builder.now, &hold);
        return_shards(builder, |shard| holds.hold_of(&shard.id).is_some());
    } else {
        builder.record(hold);
    }
}

/// Holds what is still queued, where the end of the shard at `position` is one too many of its kind. To be asked once
/// the end and what follows from it are recorded.
fn hold_repeated(builder: &DecisionBuilder, position: usize, outcome: &Outcome) -> Option<Event> {
    let failure = repeatable_failure(builder, outcome)?;
    let shard = builder.shard(position);
    if builder.run_holds().hold_of(&shard.id).is_some() {
        return None;
    }
    let (repeats, combo) = (find_repeats(builder, shard, failure, outcome), builder.policy.combos[position]);
    let reason = |whose: &str| {
        format!("{OFTEN} times the same failure of {whose} within a minute: {}", failure.to_sentence())
    };
    let of_shard = |at: usize| at == position;
    let of_combo = |at: usize| builder.policy.combos[at] == combo;
    let among = |is_meant: &dyn Fn(usize) -> bool| -> Vec<RepeatedFailure> {
        repeats.iter().filter(|repeat| is_meant(repeat.position)).copied().collect()
    };
    let fails_often = |is_meant: &dyn Fn(usize) -> bool| among(is_meant).len() >= OFTEN;
    if fails_often(&of_combo) && !others_do_well(builder, &among(&of_combo), of_combo) {
        return hold_shards(builder, of_combo, reason("this combo"));
    }
    if fails_often(&of_shard) {
        return hold_shards(builder, of_shard, reason("this shard"));
    }
    if repeats.len() < OFTEN || others_do_well(builder, &repeats, |_| true) {
        return None;
    }
    hold_run(builder, &repeats, reason("several combos"))
}

/// Holds the shards that are meant, where one of them may still start.
fn hold_shards(builder: &DecisionBuilder, is_meant: impl Fn(usize) -> bool, reason: String) -> Option<Event> {
    let held =
        || builder.positions().filter(|position| is_meant(*position)).map(|position| builder.shard(position));
    let has_more = held().any(|shard| !shard.phase.kind().is_final());
    has_more.then(|| Event::ShardsHeld { shards: held().map(|shard| shard.id.clone()).collect(), reason })
}

/// Holds the sweep. Work that has succeeded before goes on, unless such work is what fails.
fn hold_run(builder: &DecisionBuilder, repeats: &[RepeatedFailure], reason: String) -> Option<Event> {
    let is_proven = proven_filter(builder);
    let spares: Vec<ShardId> = if repeats.iter().filter(|repeat| is_proven(repeat.position)).count() >= OFTEN
    {
        Vec::new()
    } else {
        builder
            .positions()
            .filter(|position| is_proven(*position) && !builder.shard(*position).phase.kind().is_final())
            .map(|position| builder.shard(position).id.clone())
            .collect()
    };
    let held =
        |shard: &&ShardState| matches!(shard.phase, Phase::Queued { .. }) && !spares.contains(&shard.id);
    let has_more = builder.shards().any(|shard| held(&shard));
    has_more.then(|| Event::RunHeld {
        reason,
        spares,
        past: Some(longest_duration(repeats).saturating_add(SHORT)),
    })
}

/// Returns a test for shards whose work has succeeded before, in this run or in an earlier one.
fn proven_filter<'t>(builder: &'t DecisionBuilder) -> impl Fn(usize) -> bool + use<'t> {
    let succeeded = |shard: &ShardState| {
        let ends = shard.history.iter().chain(shard.phase.ended());
        ends.into_iter().any(|ended| ended.edit.is_empty() && ended.outcome.verdict == Verdict::Succeeded)
    };
    let of_run = builder.positions().filter(|position| succeeded(builder.shard(*position)));
    let combos: BTreeSet<usize> = of_run.map(|position| builder.policy.combos[position]).collect();
    let policy = builder.policy;
    move |position| policy.proven[position] || combos.contains(&policy.combos[position])
}

/// Takes the holds back where the sweep as a whole is held and an attempt got past the point at which the others
/// failed. To be asked in every decision; without such a hold it looks at nothing.
pub fn lift_run_hold(builder: &mut DecisionBuilder) {
    if !builder.run_holds().holds_run() {
        return;
    }
    let now = builder.now;
    let past = builder.run_holds().proving_time();
    let gets_past = |shard: &ShardState| {
        let Phase::Running(live) = &shard.phase else { return None };
        live.started.checked_add(live.paused).ok()?.checked_add(past?).ok()
    };
    match builder.active_shards().filter_map(gets_past).min() {
        Some(at) if at <= now => builder.record(Event::HoldsReleased { by: None }),
        Some(at) => builder.wake_at(at),
        None => {}
    }
}

/// Takes the holds back where the sweep as a whole is held: an attempt has succeeded.
fn lift_after_success(builder: &mut DecisionBuilder) {
    if builder.run_holds().holds_run() {
        builder.record(Event::HoldsReleased { by: None });
    }
}

/// The failure, where it is of a kind that another try would repeat, and that has no answer of its own.
fn repeatable_failure<'o>(builder: &DecisionBuilder, outcome: &'o Outcome) -> Option<&'o Failure> {
    let Verdict::Failed(failure) = &outcome.verdict else { return None };
    let is_counted = failure.reason.has(FailureTrait::Repeatable);
    (is_counted && !builder.policy.ladder.has_answer(outcome)).then_some(failure)
}

fn find_repeats(
    builder: &DecisionBuilder,
    failed: &ShardState,
    failure: &Failure,
    outcome: &Outcome,
) -> Vec<RepeatedFailure> {
    let wanted = normalize_message(failed, failure);
    // Its digits tell programs what went wrong, unlike those of a message.
    let code = |outcome: &Outcome| outcome.exit.and_then(ExitStatus::code);
    let mut repeats = Vec::new();
    for position in builder.positions() {
        let shard = builder.shard(position);
        let ends = shard.phase.ended().into_iter().chain(shard.history.iter().rev());
        for ended in ends.take_while(|ended| is_recent(builder, shard, ended)) {
            let is_same = repeatable_failure(builder, &ended.outcome).is_some_and(|other| {
                other.reason == failure.reason
                    && code(&ended.outcome) == code(outcome)
                    && normalize_message(shard, other) == wanted
            });
            let was_lost = ended.gpus.iter().any(|gpu| builder.run_holds().avoid_reason(*gpu).is_some());
            if is_same && !was_lost {
                repeats.push(RepeatedFailure { at: ended.at, position, took: ended.outcome.elapsed });
            }
        }
    }
    repeats
}

/// Reports whether the end is recent, and not older than the moment at which a user last released what was held, or
/// asked for the shard again.
fn is_recent(builder: &DecisionBuilder, shard: &ShardState, ended: &Ended) -> bool {
    let seen_to = builder.run_holds().released_at().max(shard.asked);
    seen_to.is_none_or(|at| at < ended.at)
        && ended.at <= builder.now
        && duration_between(ended.at, builder.now) <= SHORT
}

/// Returns the message without what differs from try to try and from shard to shard. Whatever cannot be started counts
/// as the same.
fn normalize_message(shard: &ShardState, failure: &Failure) -> String {
    if failure.reason == FailureReason::LaunchError {
        return String::new();
    }
    let message = failure.message.replace(shard.id.as_str(), "");
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn longest_duration(repeats: &[RepeatedFailure]) -> Duration {
    repeats.iter().filter_map(|repeat| repeat.took).max().unwrap_or_default()
}

/// Reports whether a shard that is meant has succeeded meanwhile, or runs for longer than those took to fail: it got
/// past the point.
fn others_do_well(
    builder: &DecisionBuilder,
    repeats: &[RepeatedFailure],
    is_meant: impl Fn(usize) -> bool,
) -> bool {
    let first = repeats.iter().map(|repeat| repeat.at).min();
    let longest = longest_duration(repeats);
    builder.positions().filter(|position| is_meant(*position)).any(|position| {
        match &builder.shard(position).phase {
            Phase::Succeeded(ended) => first.is_some_and(|first| ended.at >= first),
            Phase::Running(live) => live.unpaused_time(builder.now, None) > longest,
            Phase::Queued { .. }
            | Phase::Starting { .. }
            | Phase::Paused { .. }
            | Phase::Stopping { .. }
            | Phase::Failed { .. }
            | Phase::Cancelled { .. } => false,
        }
    })
}
