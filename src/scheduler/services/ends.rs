//! The end of a service, and the ends of shards that used it.
//!
//! A client notices the end of its server within milliseconds and often ends before the server's own end is known. So a
//! shard that fails while it uses services waits a moment for their fate, before it is blamed itself.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::failure_trait::FailureTrait;
use crate::model::ids::{AttemptKey, ShardId};
use crate::model::outcome::{Failure, FailureReason, Outcome, Verdict};
use crate::model::state::fact::Event;
use crate::model::state::phase::{Phase, QueueCause, StopCause};
use crate::model::state::service_state::ServicePhase;
use crate::model::state::shard_state::ShardState;
use crate::model::units::format_duration;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::endings::attempts;
use crate::scheduler::endings::retry::cause_to_retry;
use crate::scheduler::gates::gate::moment_after;
use crate::scheduler::services::doubt::DoubtfulEnd;
use crate::scheduler::services::restarts;
use crate::scheduler::services::roster::is_dead;
use crate::scheduler::stops::stop_attempt;
use crate::scheduler::volatile_state::VolatileState;

/// A server that crashes prints its traceback and gives back its memory first.
const PATIENCE: Duration = Duration::from_secs(2);

/// The end of an attempt of a shard or of a service.
pub fn handle_ended(
    builder: &mut DecisionBuilder,
    volatile: &mut VolatileState,
    key: &AttemptKey,
    outcome: &Outcome,
) {
    if builder.service(&key.shard).is_some() {
        return service_ended(builder, volatile, key, outcome);
    }
    let used =
        builder.present_shard(key).and_then(|shard| shard.phase.claim()).map(|claim| claim.services.clone());
    let Some(services) = used.filter(|services| !services.is_empty()) else {
        return attempts::handle_ended(builder, volatile, key, outcome);
    };
    if !may_be_blamed(builder, key, outcome) {
        return attempts::handle_ended(builder, volatile, key, outcome);
    }
    if let Some(gone) = services.iter().find(|id| is_gone(builder, volatile, id)) {
        let blamed = blame_service(builder, outcome, gone);
        return attempts::handle_ended(builder, volatile, key, &blamed);
    }
    if let Some(until) = moment_after(builder.now, PATIENCE) {
        volatile.doubtful_ends.push(DoubtfulEnd { key: key.clone(), outcome: outcome.clone(), until });
        builder.wake_at(until);
    }
}

/// Ends the shards of which it is known by now whose fault it was.
pub fn settle_doubtful_ends(builder: &mut DecisionBuilder, volatile: &mut VolatileState) {
    for end in std::mem::take(&mut volatile.doubtful_ends) {
        let Some(claim) = builder.present_shard(&end.key).and_then(|shard| shard.phase.claim()) else {
            continue;
        };
        let services = claim.services.clone();
        match services.iter().find(|id| is_gone(builder, volatile, id)) {
            Some(gone) => {
                let blamed = blame_service(builder, &end.outcome, gone);
                attempts::handle_ended(builder, volatile, &end.key, &blamed);
            }
            None if end.until <= builder.now => {
                attempts::handle_ended(builder, volatile, &end.key, &end.outcome)
            }
            None => {
                builder.wake_at(end.until);
                volatile.doubtful_ends.push(end);
            }
        }
    }
}

/// Reports whether the attempt failed by itself, or was ended because of its service.
fn may_be_blamed(builder: &DecisionBuilder, key: &AttemptKey, outcome: &Outcome) -> bool {
    let Some(reason) = outcome.failure_reason() else { return false };
    if reason == FailureReason::ServiceLost {
        return true;
    }
    // One that is ended because of its service may end by itself before that reaches it.
    let was_stopped = builder.present_shard(key).is_none_or(|shard| {
        shard.phase.stop_cause().is_some_and(|(cause, _)| cause != StopCause::ServiceGone)
    });
    reason.has(FailureTrait::ByItself) && !was_stopped
}

/// The attempt that a living shard used is over, or is being ended.
fn is_gone(builder: &DecisionBuilder, volatile: &VolatileState, id: &ShardId) -> bool {
    builder.service(id).is_none_or(|service| match service.phase() {
        ServicePhase::Ready { .. } => is_dead(volatile, service),
        ServicePhase::Paused => false,
        ServicePhase::Waiting { .. }
        | ServicePhase::Starting { .. }
        | ServicePhase::Stopping
        | ServicePhase::Ended
        | ServicePhase::Failed => true,
    })
}

fn blame_service(builder: &DecisionBuilder, outcome: &Outcome, service: &ShardId) -> Outcome {
    let why = builder.service(service).and_then(|service| service.last_failure());
    let message = match why {
        Some(why) => format!("its service {service} ended: {why}"),
        None => format!("its service {service} ended"),
    };
    failed_outcome(outcome, FailureReason::ServiceLost, message)
}

fn failed_outcome(outcome: &Outcome, reason: FailureReason, message: String) -> Outcome {
    Outcome { verdict: Verdict::Failed(Failure { reason, message }), ..outcome.clone() }
}

/// Its main process has ended; its holder reports the end when all that it left has ended too.
pub fn handle_died(builder: &mut DecisionBuilder, volatile: &mut VolatileState, key: &AttemptKey) {
    if builder.service(&key.shard).is_some() && builder.present_shard(key).is_some() {
        volatile.dead_services.insert(key.clone());
        stop_users(builder, &key.shard);
    }
}

fn service_ended(
    builder: &mut DecisionBuilder,
    volatile: &mut VolatileState,
    key: &AttemptKey,
    outcome: &Outcome,
) {
    let (Some(service), Some(life)) = (builder.service(&key.shard), builder.present_shard(key)) else {
        return;
    };
    let Some(rule) = builder.policy.service_rule(&service.instance.service) else { return };
    let outcome = as_end_of_service(life, outcome, rule.ready_timeout);
    let is_killed = matches!(life.phase, Phase::Stopping { cause: StopCause::Killed, .. });
    let is_restarted = matches!(life.phase, Phase::Stopping { cause: StopCause::Restarted, .. });
    let again = match is_restarted {
        true => Some(QueueCause::User),
        false => cause_to_retry(life, &outcome, rule.restarts, builder.stage()).filter(|_| !is_killed),
    };
    let failures = life.retries;
    volatile.forget_shard(&key.shard);
    volatile.dead_services.remove(key);
    let AttemptKey { shard, attempt } = key.clone();
    builder.record(Event::AttemptEnded { shard: shard.clone(), attempt, outcome: Box::new(outcome) });
    if let Some(cause) = again {
        let is_asked = matches!(cause, QueueCause::Recovered | QueueCause::User);
        let not_before = if is_asked { None } else { try_again_at(builder.now, failures) };
        builder.record(restarts::queued_event(shard.clone(), cause, None, not_before));
    }
    stop_users(builder, &shard);
}

/// When a service is tried again after so many failures in a row: each time twice as late.
fn try_again_at(now: Timestamp, failures: u32) -> Option<Timestamp> {
    moment_after(now, Duration::from_secs(1 << failures.min(5)))
}

/// Returns the outcome of a service: one that was not asked to end has failed, whatever its exit code.
fn as_end_of_service(life: &ShardState, outcome: &Outcome, ready_timeout: Duration) -> Outcome {
    let by_itself = || match &outcome.verdict {
        Verdict::Succeeded | Verdict::Cancelled => {
            failed_outcome(outcome, FailureReason::ExitCode, "ended by itself".to_owned())
        }
        Verdict::Failed(_) => outcome.clone(),
    };
    let Phase::Stopping { cause, .. } = &life.phase else { return by_itself() };
    match cause {
        StopCause::Unneeded => Outcome { verdict: Verdict::Succeeded, ..outcome.clone() },
        StopCause::RunStopped | StopCause::Restarted => {
            Outcome { verdict: Verdict::Cancelled, ..outcome.clone() }
        }
        StopCause::NotReady => {
            let message = format!("not ready within {}", format_duration(ready_timeout));
            failed_outcome(outcome, FailureReason::Timeout, message)
        }
        StopCause::Killed => failed_outcome(outcome, FailureReason::Killed, "killed by the user".to_owned()),
        StopCause::Timeout | StopCause::Stalled | StopCause::ServiceGone => by_itself(),
    }
}

/// Ends every shard that uses the service: without it they only fail, each in its own way.
fn stop_users(builder: &mut DecisionBuilder, service: &ShardId) {
    let uses = |shard: &ShardState| shard.phase.claim().is_some_and(|claim| claim.services.contains(service));
    let users: Vec<usize> = builder
        .tally()
        .active_positions()
        .iter()
        .copied()
        .filter(|position| uses(builder.shard(*position)))
        .collect();
    for position in users {
        stop_attempt(builder, position, StopCause::ServiceGone, None);
    }
}
