//! When a hook is called, and what it is given: a versioned document, the same for every moment.

use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;

use super::called_shard::CalledShard;
use super::hook_texts::{self, HookTexts};
use crate::model::ids::{AttemptNumber, RunId, ShardId};
use crate::model::outcome::Failure;
use crate::model::state::condition::Condition;
use crate::model::state::phase::Phase;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::hook::{Hook, HookMoment, HookSource};
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
    /// The shard it is about; null at the end of a run.
    pub shard: Option<CalledShard>,
    #[serde(flatten)]
    texts: HookTexts,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct CalledRun {
    id: RunId,
    name: String,
    dir: String,
    host: String,
    state: RunWord,
}

/// Something that has happened, before a hook is asked whether it is to be called for it.
#[derive(Debug, Clone, PartialEq)]
struct News {
    kind: NewsKind,
    shard: Option<CalledShard>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NewsKind {
    Failed { is_first: bool },
    NeedsInput,
    Stuck,
    RunEnded,
}

impl NewsKind {
    /// The moment at which that hook is called for it, if any.
    fn moment_for(self, hook: &Hook) -> Option<HookMoment> {
        let wanted = |moment| Some(moment).filter(|moment| hook.on.contains(moment));
        match self {
            Self::Failed { is_first: true } => {
                wanted(HookMoment::FirstFailure).or_else(|| wanted(HookMoment::Failure))
            }
            Self::Failed { is_first: false } => wanted(HookMoment::Failure),
            Self::NeedsInput => wanted(HookMoment::NeedsInput),
            Self::Stuck => wanted(HookMoment::Stuck),
            Self::RunEnded => wanted(HookMoment::RunEnded),
        }
    }
}

/// Events that hooks were already called for.
#[derive(Debug)]
pub struct HookHistory {
    counts: PhaseCounts,
    /// By the position of a shard: its newest attempt whose failure was reported. Positions never change, and shards
    /// that splits add come after them.
    failed: Vec<Option<AttemptNumber>>,
    /// By the position of a shard: the condition that was last seen of it.
    shown: Vec<Option<Condition>>,
    is_over: bool,
}

impl HookHistory {
    /// Takes all earlier facts of the journal as reported: a hook is called once, not once for each
    /// supervisor.
    pub fn from_state(state: &RunState) -> Self {
        let failed = state.shards.iter().map(ShardState::failed_for_good).collect();
        let shown = state.shards.iter().map(ShardState::condition).collect();
        Self { counts: PhaseCounts::from_state(state), failed, shown, is_over: is_over(state) }
    }

    /// The calls that are due now, with the hook that each is for.
    pub fn due_calls(
        &mut self,
        hooks: &[(HookSource, Hook)],
        info: &RunInfo,
        dir: &Path,
        state: &RunState,
        now: Timestamp,
    ) -> Vec<(HookSource, Call)> {
        let mut calls = Vec::new();
        for News { kind, shard } in self.take_news(hooks, state) {
            for (source, hook) in hooks {
                if let Some(event) = kind.moment_for(hook) {
                    calls.push((*source, build_call(event, shard.clone(), info, dir, state, now)));
                }
            }
        }
        calls
    }

    /// Returns what has happened since the last look.
    fn take_news(&mut self, hooks: &[(HookSource, Hook)], state: &RunState) -> Vec<News> {
        let mut news = Vec::new();
        // No shard can fail without a change of the counts; so thousands of shards are looked at only then.
        if self.counts != PhaseCounts::from_state(state) {
            self.counts = PhaseCounts::from_state(state);
            let is_first = self.failed.iter().all(Option::is_none);
            let failures = self.new_failures(state).into_iter().enumerate();
            news.extend(failures.map(|(position, shard)| News {
                kind: NewsKind::Failed { is_first: is_first && position == 0 },
                shard: Some(shard),
            }));
        }
        let follows = |(_, hook): &(_, Hook)| {
            hook.on.iter().any(|moment| matches!(moment, HookMoment::NeedsInput | HookMoment::Stuck))
        };
        if hooks.iter().any(follows) {
            news.extend(self.new_conditions(state));
        }
        let ends = is_over(state) && !self.is_over;
        self.is_over = is_over(state);
        news.extend(ends.then_some(News { kind: NewsKind::RunEnded, shard: None }));
        news
    }

    /// Returns the failures that were not reported yet; from now on they count as reported.
    fn new_failures(&mut self, state: &RunState) -> Vec<CalledShard> {
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

    /// Returns the conditions that began since the last look.
    fn new_conditions(&mut self, state: &RunState) -> Vec<News> {
        self.shown.resize(state.shards.len(), None);
        let mut news = Vec::new();
        for (seen, shard) in self.shown.iter_mut().zip(&state.shards) {
            let condition = shard.condition();
            if std::mem::replace(seen, condition) == condition {
                continue;
            }
            let kind = match condition {
                Some(Condition::NeedsInput) => NewsKind::NeedsInput,
                Some(Condition::Stalled) => NewsKind::Stuck,
                Some(Condition::Compiling) | None => continue,
            };
            let called = |attempt| CalledShard { id: shard.id.clone(), attempt, reason: None, message: None };
            news.extend(shard.attempt.map(|attempt| News { kind, shard: Some(called(attempt)) }));
        }
        news
    }
}

fn build_call(
    event: HookMoment,
    shard: Option<CalledShard>,
    info: &RunInfo,
    dir: &Path,
    state: &RunState,
    now: Timestamp,
) -> Call {
    let counts = PhaseCounts::from_state(state);
    let word = RunWord::from_stage(state.stage, true);
    Call {
        version: VERSION,
        event,
        at: now,
        texts: hook_texts::write_texts(info, word, &counts, (event, shard.as_ref()), now),
        run: CalledRun {
            id: info.id.clone(),
            name: info.name.clone(),
            dir: dir.display().to_string(),
            host: info.host.clone(),
            state: word,
        },
        counts,
        shard,
    }
}

fn failed_shard(id: &ShardId, attempt: AttemptNumber, failure: &Failure) -> CalledShard {
    let message = failure.message.chars().take(LONGEST_MESSAGE).collect();
    CalledShard { id: id.clone(), attempt, reason: Some(failure.reason), message: Some(message) }
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
    use crate::model::outcome::{FailureReason, Verdict};
    use crate::model::state::fact::Actor;
    use crate::model::state::fact::Event;
    use crate::model::state::fact::Fact;
    use crate::model::state::phase::QueueCause;
    use crate::model::sweep::split::PackSplit;
    use crate::model::sweep::split::SplitCause;
    use crate::results::status::status_tests::id;
    use crate::results::status::status_tests::second;
    use crate::results::tests::{ended, run};

    /// A run of which no shard has begun.
    fn fresh() -> (RunInfo, RunState) {
        let (info, plan, _) = run();
        let shards = plan.shards.iter().map(|shard| shard.id.clone()).collect();
        let created = Event::RunCreated { version: 1, run: info.id.clone(), shards, parallel: 2 };
        let state = RunState::fold_facts(&[Fact::new(second(0), created)]).unwrap();
        (info, state)
    }

    fn apply(state: &mut RunState, event: Event) {
        state.apply_fact(&Fact::new(second(1), event)).unwrap();
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

    fn hook_on(on: &[HookMoment]) -> (HookSource, Hook) {
        let hook = Hook { command: String::new(), on: on.to_vec(), timeout: Duration::ZERO };
        (HookSource::Sweep, hook)
    }

    /// An attempt runs, and its shard is in that condition from now on.
    fn show(state: &mut RunState, shard: &str, condition: Option<Condition>) {
        let (shard, attempt, since) = (id(shard), AttemptNumber(1), second(1));
        apply(state, Event::ConditionChanged { shard, attempt, condition, since: Some(since) });
    }

    /// Returns what hooks are called with now: the moments, the shards and the attempts.
    fn tell(told: &mut HookHistory, info: &RunInfo, state: &RunState) -> Vec<(HookMoment, String, u32)> {
        let calls = told.due_calls(&[hook_on(&HookMoment::ALL)], info, Path::new("/r"), state, second(2));
        let shard = |call: &Call| call.shard.clone().map(|shard| (shard.id.to_string(), shard.attempt.0));
        let say = |(_, call): (_, Call)| shard(&call).map(|(shard, attempt)| (call.event, shard, attempt));
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

    #[test]
    fn a_condition_is_reported_when_it_begins_and_when_it_begins_again() {
        let (info, mut state) = fresh();
        let mut told = HookHistory::from_state(&state);
        let (shard, attempt) = (id("good"), AttemptNumber(1));
        let (gpus, claim) = (vec![], Claim::default());
        apply(
            &mut state,
            Event::AttemptStarting { shard: shard.clone(), attempt, gpus, claim, previous: None },
        );
        apply(&mut state, Event::AttemptStarted { shard, attempt, pid: 1, started: second(1) });
        show(&mut state, "good", Some(Condition::Compiling));
        assert_eq!(tell(&mut told, &info, &state), []);
        let asks = [(HookMoment::NeedsInput, "good".into(), 1)];
        show(&mut state, "good", Some(Condition::NeedsInput));
        assert_eq!(tell(&mut told, &info, &state), asks);
        assert_eq!(tell(&mut told, &info, &state), []);
        show(&mut state, "good", Some(Condition::Stalled));
        assert_eq!(tell(&mut told, &info, &state), [(HookMoment::Stuck, "good".into(), 1)]);
        show(&mut state, "good", None);
        assert_eq!(tell(&mut told, &info, &state), []);
        show(&mut state, "good", Some(Condition::NeedsInput));
        let mut next = HookHistory::from_state(&state);
        assert_eq!(tell(&mut told, &info, &state), asks);
        assert_eq!(tell(&mut next, &info, &state), [], "another supervisor does not repeat it");
    }

    #[test]
    fn each_of_two_hooks_is_called_for_its_own_moments() {
        let (info, mut state) = fresh();
        let mut told = HookHistory::from_state(&state);
        end(&mut state, "waiting", 1, failed());
        let own = (HookSource::Settings, hook_on(&[HookMoment::Failure]).1);
        let hooks = [hook_on(&[HookMoment::FirstFailure, HookMoment::Failure]), own];
        let calls = told.due_calls(&hooks, &info, Path::new("/r"), &state, second(2));
        let named: Vec<_> = calls.into_iter().map(|(source, call)| (source, call.event)).collect();
        let (first, each) = (HookMoment::FirstFailure, HookMoment::Failure);
        assert_eq!(named, [(HookSource::Sweep, first), (HookSource::Settings, each)]);
    }
}
