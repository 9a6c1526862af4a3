//! The same failure again and again in a short time: what is still queued is held instead of burned.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::fact::Event;
use crate::model::outcome::{Failure, FailureReason, Outcome, Verdict};
use crate::model::phase::{Ended, Phase};
use crate::model::plan::OnOom;
use crate::model::shard_state::ShardState;
use crate::model::units::between;
use crate::scheduler::turn::Turn;

/// So often the same failure is no accident any more.
const OFTEN: usize = 3;

/// Within this time.
const SHORT: Duration = Duration::from_secs(60);

/// A failure of the kind that is looked for.
struct Repeat {
    at: Timestamp,
    combo: usize,
    took: Option<Duration>,
}

/// Holds what is still queued, where the end of the shard at `position` is one too many of its kind. To be asked once
/// the end and what follows from it are recorded.
pub fn hold(turn: &Turn, position: usize, outcome: &Outcome) -> Option<Event> {
    let failure = counted(turn, outcome)?;
    let shard = turn.shard(position);
    if turn.precautions().hold_of(&shard.id).is_some() {
        return None;
    }
    let (repeats, combo) = (repeats(turn, shard, failure), turn.policy.combos[position]);
    let reason = |whose: &str| {
        format!(
            "{OFTEN} times the same failure of {whose} within a minute: {}: {}",
            failure.reason, failure.message
        )
    };
    let of_combo = || turn.positions().filter(|position| turn.policy.combos[*position] == combo);
    if repeats.iter().filter(|repeat| repeat.combo == combo).count() >= OFTEN {
        let has_more = of_combo().any(|position| !turn.shard(position).phase.kind().is_final());
        let shards = of_combo().map(|position| turn.shard(position).id.clone()).collect();
        return has_more.then(|| Event::ShardsHeld { shards, reason: reason("this combo") });
    }
    let is_general = repeats.len() >= OFTEN && !others_do_well(turn, &repeats);
    let has_more = turn.shards().any(|shard| matches!(shard.phase, Phase::Queued { .. }));
    (is_general && has_more).then(|| Event::RunHeld { reason: reason("several combos") })
}

/// The failure, where it is of a kind that another try would repeat, and that has no answer of its own.
fn counted<'o>(turn: &Turn, outcome: &'o Outcome) -> Option<&'o Failure> {
    let Verdict::Failed(failure) = &outcome.verdict else { return None };
    let is_counted = match failure.reason {
        FailureReason::ExitCode
        | FailureReason::Signal
        | FailureReason::Exception
        | FailureReason::Incomplete
        | FailureReason::MissingArtifact
        | FailureReason::Invalid
        | FailureReason::LaunchError => true,
        FailureReason::GpuOom | FailureReason::HostOom => turn.policy.schedule.on_oom == OnOom::Fail,
        // Limits of the sweep's own, deaths and wishes.
        FailureReason::Timeout | FailureReason::Stalled | FailureReason::Lost | FailureReason::Killed => {
            false
        }
    };
    is_counted.then_some(failure)
}

fn repeats(turn: &Turn, failed: &ShardState, failure: &Failure) -> Vec<Repeat> {
    let wanted = essence(failed, failure);
    let mut repeats = Vec::new();
    for position in turn.positions() {
        let shard = turn.shard(position);
        let ends = shard.phase.ended().into_iter().chain(shard.history.iter().rev());
        for ended in ends.take_while(|ended| is_recent(turn, shard, ended)) {
            let is_same = counted(turn, &ended.outcome)
                .is_some_and(|other| other.reason == failure.reason && essence(shard, other) == wanted);
            let was_lost = ended.gpus.iter().any(|gpu| turn.precautions().avoided(*gpu).is_some());
            if is_same && !was_lost {
                let (combo, took) = (turn.policy.combos[position], ended.outcome.elapsed);
                repeats.push(Repeat { at: ended.at, combo, took });
            }
        }
    }
    repeats
}

/// It is not older than the look at it of somebody who released what was held, or asked for the shard again.
fn is_recent(turn: &Turn, shard: &ShardState, ended: &Ended) -> bool {
    let seen_to = turn.precautions().released().max(shard.asked);
    seen_to.is_none_or(|at| at < ended.at) && ended.at <= turn.now && between(ended.at, turn.now) <= SHORT
}

/// What the message says without what differs from try to try and from shard to shard. Whatever cannot be started
/// counts as the same.
fn essence(shard: &ShardState, failure: &Failure) -> String {
    if failure.reason == FailureReason::LaunchError {
        return String::new();
    }
    let message = failure.message.replace(shard.id.as_str(), "");
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// A shard has succeeded meanwhile, or runs for longer than those took to fail: it got past the point.
fn others_do_well(turn: &Turn, repeats: &[Repeat]) -> bool {
    let first = repeats.iter().map(|repeat| repeat.at).min();
    let longest = repeats.iter().filter_map(|repeat| repeat.took).max().unwrap_or_default();
    turn.shards().any(|shard| match &shard.phase {
        Phase::Succeeded(ended) => first.is_some_and(|first| ended.at >= first),
        Phase::Running(live) => live.unpaused(turn.now, None) > longest,
        Phase::Queued { .. }
        | Phase::Starting { .. }
        | Phase::Paused { .. }
        | Phase::Stopping { .. }
        | Phase::Failed { .. }
        | Phase::Cancelled { .. } => false,
    })
}
