//! When a hook is called, and what it is told: a versioned document, the same for every moment.

use std::collections::HashSet;
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;

use super::status::{Counts, RunWord};
use crate::model::hook::{Hook, HookMoment};
use crate::model::ids::{AttemptKey, AttemptNumber, RunId, ShardId};
use crate::model::outcome::{Failure, FailureReason};
use crate::model::phase::Phase;
use crate::model::run_info::RunInfo;
use crate::model::run_state::{RunStage, RunState};

/// The version of the document.
const VERSION: u32 = 1;

/// A message is cut here, so that a call always fits into a pipe that nobody reads.
const LONGEST_MESSAGE: usize = 2000;

/// What a hook is told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call {
    version: u32,
    /// Why it is called.
    pub event: HookMoment,
    at: Timestamp,
    run: CalledRun,
    counts: Counts,
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
    /// Its id.
    pub id: ShardId,
    attempt: AttemptNumber,
    reason: FailureReason,
    message: String,
}

/// What was told so far.
#[derive(Debug)]
pub struct Told {
    counts: Counts,
    failed: HashSet<AttemptKey>,
    is_over: bool,
}

impl Told {
    /// What the journal said before counts as told: a hook is called once, not once for each supervisor.
    pub fn of(state: &RunState) -> Self {
        let failed = failures(state).map(|(key, _)| key).collect();
        Self { counts: Counts::of(state), failed, is_over: is_over(state) }
    }

    /// The calls that are due now.
    pub fn calls(
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
                state: RunWord::of(state.stage, true),
            },
            counts: Counts::of(state),
            shard,
        };
        let wants = |moment| hook.on.contains(&moment);
        // No shard can fail without a change of the counts; so thousands of shards are looked at only then.
        if self.counts != Counts::of(state) {
            self.counts = Counts::of(state);
            for (key, failure) in
                failures(state).filter(|(key, _)| !self.failed.contains(key)).collect::<Vec<_>>()
            {
                let is_first = self.failed.is_empty();
                self.failed.insert(key.clone());
                let event = match is_first && wants(HookMoment::FirstFailure) {
                    true => HookMoment::FirstFailure,
                    false if wants(HookMoment::Failure) => HookMoment::Failure,
                    false => continue,
                };
                calls.push(call(event, Some(failed(key, failure))));
            }
        }
        let ends = is_over(state) && !self.is_over;
        self.is_over = is_over(state);
        if ends && wants(HookMoment::RunEnded) {
            calls.push(call(HookMoment::RunEnded, None));
        }
        calls
    }
}

fn failed(key: AttemptKey, failure: &Failure) -> FailedShard {
    let message = failure.message.chars().take(LONGEST_MESSAGE).collect();
    FailedShard { id: key.shard, attempt: key.attempt, reason: failure.reason, message }
}

fn failures(state: &RunState) -> impl Iterator<Item = (AttemptKey, &Failure)> {
    state.shards.iter().filter_map(|shard| {
        let Phase::Failed { .. } = &shard.phase else { return None };
        let attempt = shard.phase.attempt()?;
        Some((AttemptKey { shard: shard.id.clone(), attempt }, shard.phase.failure()?))
    })
}

fn is_over(state: &RunState) -> bool {
    match state.stage {
        RunStage::Ended { .. } => true,
        RunStage::Active | RunStage::Draining | RunStage::Stopping => false,
    }
}
