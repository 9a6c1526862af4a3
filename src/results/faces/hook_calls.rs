//! When a hook is called, and what it is given: a versioned document, the same for every moment.

use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;

use crate::model::ids::{AttemptNumber, RunId, ShardId};
use crate::model::outcome::{Failure, FailureReason};
use crate::model::state::phase::Phase;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::hook::{Hook, HookMoment};
use crate::results::status::document::{PhaseCounts, RunWord};

/// The version of the document.
const VERSION: u32 = 1;

/// Longest message in a call, which is cut here so that a call always fits into a pipe that no process reads.
const LONGEST_MESSAGE: usize = 2000;

/// Document that a hook is given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call {
    version: u32,
    /// Why it is called.
    pub event: HookMoment,
    at: Timestamp,
    run: CalledRun,
    counts: PhaseCounts,
    /// The shard that has failed; null at the end of a run.
    pub shard: Option<FailedShard>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct CalledRun {
    id: RunId,
    name: String,
    dir: String,
    host: String,
    state: RunWord,
}

/// A shard that has failed for good.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedShard {
    /// Id of the failed shard.
    pub id: ShardId,
    attempt: AttemptNumber,
    reason: FailureReason,
    message: String,
}

/// Events that hooks were already called for.
#[derive(Debug)]
pub struct HookHistory {
    counts: PhaseCounts,
    /// By the position of a shard: its newest attempt whose failure was reported. Positions never change, and shards
    /// that splits add come after them.
    failed: Vec<Option<AttemptNumber>>,
    is_over: bool,
}

impl HookHistory {
    /// Takes all earlier facts of the journal as reported: a hook is called once, not once for each
    /// supervisor.
    pub fn from_state(state: &RunState) -> Self {
        let failed = state.shards.iter().map(ShardState::failed_for_good).collect();
        Self { counts: PhaseCounts::from_state(state), failed, is_over: is_over(state) }
    }

    /// The calls that are due now.
    pub fn due_calls(
        &mut self,
        hook: &Hook,
        info: &RunInfo,
        dir: &Path,
        state: &RunState,
        now: Timestamp,
    ) -> Vec<Call> {
        let mut calls = Vec::new();
        let call = |event, shard| Call {
            version: VERSION,
            event,
            at: now,
            run: CalledRun {
                id: info.id.clone(),
                name: info.name.clone(),
                dir: dir.display().to_string(),
                host: info.host.clone(),
                state: RunWord::from_stage(state.stage, true),
            },
            counts: PhaseCounts::from_state(state),
            shard,
        };
        let wants = |moment| hook.on.contains(&moment);
        // No shard can fail without a change of the counts; so thousands of shards are looked at only then.
        if self.counts != PhaseCounts::from_state(state) {
            self.counts = PhaseCounts::from_state(state);
            let mut is_first = self.failed.iter().all(Option::is_none);
            for shard in self.new_failures(state) {
                let event = match is_first && wants(HookMoment::FirstFailure) {
                    true => Some(HookMoment::FirstFailure),
                    false => wants(HookMoment::Failure).then_some(HookMoment::Failure),
                };
                is_first = false;
                calls.extend(event.map(|event| call(event, Some(shard))));
            }
        }
        let ends = is_over(state) && !self.is_over;
        self.is_over = is_over(state);
        if ends && wants(HookMoment::RunEnded) {
            calls.push(call(HookMoment::RunEnded, None));
        }
        calls
    }

    /// Returns the failures that were not reported yet; from now on they count as reported.
    fn new_failures(&mut self, state: &RunState) -> Vec<FailedShard> {
        self.failed.resize(state.shards.len(), None);
        let mut failures = Vec::new();
        for (told, shard) in self.failed.iter_mut().zip(&state.shards) {
            let Phase::Failed { ended, failure } = &shard.phase else { continue };
            if *told != Some(ended.attempt) {
                *told = Some(ended.attempt);
                failures.push(failed_shard(&shard.id, ended.attempt, failure));
            }
        }
        failures
    }
}

fn failed_shard(id: &ShardId, attempt: AttemptNumber, failure: &Failure) -> FailedShard {
    let message = failure.message.chars().take(LONGEST_MESSAGE).collect();
    FailedShard { id: id.clone(), attempt, reason: failure.reason, message }
}

fn is_over(state: &RunState) -> bool {
    state.stage.is_over()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::claims::claim::Claim;
    use crate::model::needs::demand::Demand;
    use crate::model::outcome::Verdict;
    use crate::model::state::fact::Actor;
    use crate::model::state::fact::Event;
    use crate::model::state::fact::Fact;
    use crate::model::state::phase::QueueCause;
    use crate::model::sweep::split::PackSplit;
    use crate::model::sweep::split::SplitCause;
    use crate::results::status::status_tests::id;
    use crate::results::status::status_tests::second;
    use crate::results::tests::{ended, run};

    const ALL: [HookMoment; 3] = [HookMoment::RunEnded, HookMoment::FirstFailure, HookMoment::Failure];

    /// A run of which no shard has begun.
    fn fresh() -> (RunInfo, RunState) {
        let (info, plan, _) = run();
        let shards = plan.shards.iter().map(|shard| shard.id.clone()).collect();
        let created = Event::RunCreated { version: 1, run: info.id.clone(), shards, parallel: 2 };
        let state = RunState::fold_facts(&[Fact { at: second(0), event: created }]).unwrap();
        (info, state)
    }

    fn apply(state: &mut RunState, event: Event) {
        state.apply_fact(&Fact { at: second(1), event }).unwrap();
    }

    /// An attempt begins and ends.
    fn end(state: &mut RunState, shard: &str, attempt: u32, verdict: Verdict) {
        let (shard, attempt) = (id(shard), AttemptNumber(attempt));
        let (gpus, claim) = (vec![], Claim::default());
        apply(state, Event::AttemptStarting { shard: shard.clone(), attempt, gpus, claim, previous: None });
        apply(state, Event::AttemptEnded { shard, attempt, outcome: Box::new(ended(verdict, None, &[])) });
    }

    fn failed() -> Verdict {
        Verdict::Failed(Failure { reason: FailureReason::ExitCode, message: "exit code 1".into() })
    }

    fn queue(state: &mut RunState, shard: &str, cause: QueueCause) {
        let (shard, demand) = (id(shard), Demand::default());
        apply(
            state,
            Event::ShardQueued { shard, cause, by: None, not_before: None, demand, edit: None, step: None },
        );
    }

    /// Returns what hooks are called with now: the moments, the shards and the attempts.
    fn tell(told: &mut HookHistory, info: &RunInfo, state: &RunState) -> Vec<(HookMoment, String, u32)> {
        let hook = Hook { command: String::new(), on: ALL.to_vec(), timeout: Duration::ZERO };
        let calls = told.due_calls(&hook, info, Path::new("/r"), state, second(2));
        let shard = |call: &Call| call.shard.clone().map(|shard| (shard.id.to_string(), shard.attempt.0));
        let say = |call: Call| shard(&call).map(|(shard, attempt)| (call.event, shard, attempt));
        calls.into_iter().filter_map(say).collect()
    }

    #[test]
    fn every_failure_is_told_once_in_the_order_of_the_sweep() {
        let (info, mut state) = fresh();
        let mut told = HookHistory::from_state(&state);
        end(&mut state, "waiting", 1, failed());
        end(&mut state, "good", 1, failed());
        let (first, next) = (HookMoment::FirstFailure, HookMoment::Failure);
        assert_eq!(tell(&mut told, &info, &state), [(first, "good".into(), 1), (next, "waiting".into(), 1)]);
        assert_eq!(tell(&mut told, &info, &state), []);
        queue(&mut state, "good", QueueCause::User);
        assert_eq!(tell(&mut told, &info, &state), []);
        end(&mut state, "good", 2, failed());
        assert_eq!(tell(&mut told, &info, &state), [(next, "good".into(), 2)]);
    }

    #[test]
    fn a_shard_that_a_split_has_added_is_told_too() {
        let (info, mut state) = fresh();
        let mut told = HookHistory::from_state(&state);
        let (cause, needs) = (SplitCause::OutOfMemory, None);
        let split = PackSplit { shard: id("good"), keeps: 1, other: id("good-1"), index: 1, cause, needs };
        apply(&mut state, Event::PackSplit(split));
        end(&mut state, "good-1", 1, failed());
        let first = HookMoment::FirstFailure;
        assert_eq!(tell(&mut told, &info, &state), [(first, "good-1".into(), 1)]);
    }

    #[test]
    fn a_failure_that_was_requeued_counts_as_told_after_a_restart() {
        for ends_again in [false, true] {
            let (info, mut state) = fresh();
            end(&mut state, "good", 1, failed());
            queue(&mut state, "good", QueueCause::User);
            if ends_again {
                end(&mut state, "good", 2, Verdict::Succeeded);
            }
            let mut told = HookHistory::from_state(&state);
            end(&mut state, "waiting", 1, failed());
            let next = HookMoment::Failure;
            assert_eq!(tell(&mut told, &info, &state), [(next, "waiting".into(), 1)]);
        }
    }

    #[test]
    fn a_failure_whose_requeue_is_undone_after_a_restart_is_not_told_again() {
        let (info, mut state) = fresh();
        end(&mut state, "good", 1, failed());
        let before = state.clone();
        queue(&mut state, "good", QueueCause::User);
        let mut told = HookHistory::from_state(&state);
        apply(&mut state, Event::RequeueUndone { shard: id("good"), by: None::<Actor> });
        assert_eq!(tell(&mut told, &info, &state), []);
        assert_eq!(state.shards, before.shards);
    }

    #[test]
    fn a_failure_that_was_tried_again_by_itself_was_not_told() {
        let (info, mut state) = fresh();
        end(&mut state, "good", 1, failed());
        queue(&mut state, "good", QueueCause::Retry);
        end(&mut state, "good", 2, Verdict::Succeeded);
        queue(&mut state, "good", QueueCause::User);
        let mut told = HookHistory::from_state(&state);
        end(&mut state, "good", 3, failed());
        let first = HookMoment::FirstFailure;
        assert_eq!(tell(&mut told, &info, &state), [(first, "good".into(), 3)]);
    }
}
