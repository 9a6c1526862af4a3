//! Whether a shard is tried again after an attempt has ended.

use crate::model::outcome::{FailureReason, Outcome, Progress, Verdict};
use crate::model::state::phase::QueueCause;
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::scheduler::decision_builder::DecisionBuilder;

/// A shard that loses its holder this often has a machine or a program that will not keep one.
pub const MAX_LOSSES: u32 = 3;

/// So many attempts in a row that were lost before they ran are no bad luck of supervisors any more.
const MAX_FALSE_STARTS: usize = 20;

/// Why the shard goes back into the queue; `None` when this end is final.
pub fn cause_to_retry(
    shard: &ShardState,
    outcome: &Outcome,
    retries: u32,
    stage: RunStage,
) -> Option<QueueCause> {
    match &outcome.verdict {
        Verdict::Succeeded => None,
        // The stop was taken back while the attempt was still ending.
        Verdict::Cancelled => (stage == RunStage::Active).then_some(QueueCause::Recovered),
        Verdict::Failed(failure) => match failure.reason {
            FailureReason::Killed => None,
            // The restarts of the service are counted, and the shard has done nothing wrong.
            FailureReason::ServiceLost => Some(QueueCause::ServiceLost),
            FailureReason::Lost if outcome.elapsed.is_none() => {
                (false_starts(shard) < MAX_FALSE_STARTS).then_some(QueueCause::Lost)
            }
            FailureReason::Lost => (shard.losses < MAX_LOSSES).then_some(QueueCause::Lost),
            FailureReason::ExitCode
            | FailureReason::Signal
            | FailureReason::GpuOom
            | FailureReason::HostOom
            | FailureReason::Timeout
            | FailureReason::Stalled
            | FailureReason::Incomplete
            | FailureReason::MissingArtifact
            | FailureReason::Invalid
            | FailureReason::LaunchError
            | FailureReason::Cancelled
            | FailureReason::Exception => (shard.retries < retries).then_some(QueueCause::Retry),
        },
    }
}

/// Whether an attempt that was ended before it was done continues without being counted: by the choice of the sweep, and
/// only where it got further than the attempt whose work it continued, so that none goes on for ever.
pub fn is_resumed(builder: &DecisionBuilder, shard: &ShardState, outcome: &Outcome) -> bool {
    let is_meant = |reason| builder.policy.resumes && builder.policy.schedule.resume_after.contains(&reason);
    let done = |progress: Option<Progress>| progress.map(|progress| progress.done);
    let before = shard.attempt.and_then(|attempt| shard.grants_of(attempt).done);
    outcome.failure_reason().is_some_and(is_meant) && done(outcome.progress) > done(before).or(Some(0))
}

/// Attempts just before the present one that never ran.
fn false_starts(shard: &ShardState) -> usize {
    shard.history.iter().rev().take_while(|ended| ended.outcome.elapsed.is_none()).count()
}
