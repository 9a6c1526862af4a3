//! The same failure again and again in a short time: what is still queued is held instead of burned.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::failure_trait::FailureTrait;
use crate::model::ids::ShardId;
use crate::model::outcome::{ExitStatus, Failure, FailureReason, Outcome, Verdict};
use crate::model::state::fact::Event;
use crate::model::state::phase::{Ended, Phase};
use crate::model::state::shard_state::ShardState;
use crate::model::units::duration_between;
use crate::scheduler::decision_builder::DecisionBuilder;

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

/// Holds or releases what is queued, after the end of the shard at `position`. A node leaves that to its run, which sees
/// the ends at all nodes.
pub fn follow_end(turn: &mut DecisionBuilder, position: Option<usize>, outcome: &Outcome) {
    if turn.own_node().is_some() {
        return;
    }
    if outcome.verdict == Verdict::Succeeded {
        lift_after_success(turn);
    } else if let Some(held) = position.and_then(|position| hold_repeated(turn, position, outcome)) {
        turn.record(held);
    }
}

/// Holds what is still queued, where the end of the shard at `position` is one too many of its kind. To be asked once
/// the end and what follows from it are recorded.
fn hold_repeated(turn: &DecisionBuilder, position: usize, outcome: &Outcome) -> Option<Event> {
    let failure = repeatable_failure(turn, outcome)?;
    let shard = turn.shard(position);
    if turn.run_holds().hold_of(&shard.id).is_some() {
        return None;
    }
    let (repeats, combo) = (find_repeats(turn, shard, failure, outcome), turn.policy.combos[position]);
    let reason = |whose: &str| {
        format!("{OFTEN} times the same failure of {whose} within a minute: {}", failure.to_sentence())
    };
    let of_shard = |at: usize| at == position;
    let of_combo = |at: usize| turn.policy.combos[at] == combo;
    let among = |is_meant: &dyn Fn(usize) -> bool| -> Vec<RepeatedFailure> {
        repeats.iter().filter(|repeat| is_meant(repeat.position)).copied().collect()
    };
    let fails_often = |is_meant: &dyn Fn(usize) -> bool| among(is_meant).len() >= OFTEN;
    if fails_often(&of_combo) && !others_do_well(turn, &among(&of_combo), of_combo) {
        return hold_shards(turn, of_combo, reason("this combo"));
    }
    if fails_often(&of_shard) {
        return hold_shards(turn, of_shard, reason("this shard"));
    }
    if repeats.len() < OFTEN || others_do_well(turn, &repeats, |_| true) {
        return None;
    }
    hold_run(turn, &repeats, reason("several combos"))
}

/// Holds the shards that are meant, where one of them may still start.
fn hold_shards(turn: &DecisionBuilder, is_meant: impl Fn(usize) -> bool, reason: String) -> Option<Event> {
    let held =
        || turn.positions().filter(|position| is_meant(*position)).map(|position| turn.shard(position));
    let has_more = held().any(|shard| !shard.phase.kind().is_final());
    has_more.then(|| Event::ShardsHeld { shards: held().map(|shard| shard.id.clone()).collect(), reason })
}

/// Holds the sweep. Work that has succeeded before goes on, unless such work is what fails.
fn hold_run(turn: &DecisionBuilder, repeats: &[RepeatedFailure], reason: String) -> Option<Event> {
    let is_proven = proven_filter(turn);
    let spares: Vec<ShardId> = if repeats.iter().filter(|repeat| is_proven(repeat.position)).count() >= OFTEN
    {
        Vec::new()
    } else {
        turn.positions()
            .filter(|position| is_proven(*position) && !turn.shard(*position).phase.kind().is_final())
            .map(|position| turn.shard(position).id.clone())
            .collect()
    };
    let held =
        |shard: &&ShardState| matches!(shard.phase, Phase::Queued { .. }) && !spares.contains(&shard.id);
    let has_more = turn.shards().any(|shard| held(&shard));
    has_more.then(|| Event::RunHeld {
        reason,
        spares,
        past: Some(longest_duration(repeats).saturating_add(SHORT)),
    })
}

/// Returns a test for shards whose work has succeeded before, in this run or in an earlier one.
fn proven_filter<'t>(turn: &'t DecisionBuilder) -> impl Fn(usize) -> bool + use<'t> {
    let succeeded = |shard: &ShardState| {
        let ends = shard.history.iter().chain(shard.phase.ended());
        ends.into_iter().any(|ended| ended.edit.is_empty() && ended.outcome.verdict == Verdict::Succeeded)
    };
    let of_run = turn.positions().filter(|position| succeeded(turn.shard(*position)));
    let combos: BTreeSet<usize> = of_run.map(|position| turn.policy.combos[position]).collect();
    let policy = turn.policy;
    move |position| policy.proven[position] || combos.contains(&policy.combos[position])
}

/// Takes the holds back where the sweep as a whole is held and an attempt got past the point at which the others
/// failed. To be asked in every decision; without such a hold it looks at nothing.
pub fn lift_run_hold(turn: &mut DecisionBuilder) {
    if !turn.run_holds().holds_run() {
        return;
    }
    let now = turn.now;
    let past = turn.run_holds().proving_time();
    let gets_past = |shard: &ShardState| {
        let Phase::Running(live) = &shard.phase else { return None };
        live.started.checked_add(live.paused).ok()?.checked_add(past?).ok()
    };
    match turn.active_shards().filter_map(gets_past).min() {
        Some(at) if at <= now => turn.record(Event::HoldsReleased { by: None }),
        Some(at) => turn.wake_at(at),
        None => {}
    }
}

/// Takes the holds back where the sweep as a whole is held: an attempt has succeeded.
fn lift_after_success(turn: &mut DecisionBuilder) {
    if turn.run_holds().holds_run() {
        turn.record(Event::HoldsReleased { by: None });
    }
}

/// The failure, where it is of a kind that another try would repeat, and that has no answer of its own.
fn repeatable_failure<'o>(turn: &DecisionBuilder, outcome: &'o Outcome) -> Option<&'o Failure> {
    let Verdict::Failed(failure) = &outcome.verdict else { return None };
    let is_counted = failure.reason.has(FailureTrait::Repeatable);
    (is_counted && !turn.policy.ladder.has_answer(outcome)).then_some(failure)
}

fn find_repeats(
    turn: &DecisionBuilder,
    failed: &ShardState,
    failure: &Failure,
    outcome: &Outcome,
) -> Vec<RepeatedFailure> {
    let wanted = normalize_message(failed, failure);
    // Its digits tell programs what went wrong, unlike those of a message.
    let code = |outcome: &Outcome| outcome.exit.and_then(ExitStatus::code);
    let mut repeats = Vec::new();
    for position in turn.positions() {
        let shard = turn.shard(position);
        let ends = shard.phase.ended().into_iter().chain(shard.history.iter().rev());
        for ended in ends.take_while(|ended| is_recent(turn, shard, ended)) {
            let is_same = repeatable_failure(turn, &ended.outcome).is_some_and(|other| {
                other.reason == failure.reason
                    && code(&ended.outcome) == code(outcome)
                    && normalize_message(shard, other) == wanted
            });
            let was_lost = ended.gpus.iter().any(|gpu| turn.run_holds().avoid_reason(*gpu).is_some());
            if is_same && !was_lost {
                repeats.push(RepeatedFailure { at: ended.at, position, took: ended.outcome.elapsed });
            }
        }
    }
    repeats
}

/// Reports whether the end is recent, and not older than the moment at which a user last released what was held, or
/// asked for the shard again.
fn is_recent(turn: &DecisionBuilder, shard: &ShardState, ended: &Ended) -> bool {
    let seen_to = turn.run_holds().released_at().max(shard.asked);
    seen_to.is_none_or(|at| at < ended.at)
        && ended.at <= turn.now
        && duration_between(ended.at, turn.now) <= SHORT
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
    turn: &DecisionBuilder,
    repeats: &[RepeatedFailure],
    is_meant: impl Fn(usize) -> bool,
) -> bool {
    let first = repeats.iter().map(|repeat| repeat.at).min();
    let longest = longest_duration(repeats);
    turn.positions().filter(|position| is_meant(*position)).any(|position| {
        match &turn.shard(position).phase {
            Phase::Succeeded(ended) => first.is_some_and(|first| ended.at >= first),
            Phase::Running(live) => live.unpaused_time(turn.now, None) > longest,
            Phase::Queued { .. }
            | Phase::Starting { .. }
            | Phase::Paused { .. }
            | Phase::Stopping { .. }
            | Phase::Failed { .. }
            | Phase::Cancelled { .. } => false,
        }
    })
}
