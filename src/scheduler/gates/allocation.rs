//! The end of the cluster's allocation: a shard that would be cut off by it does not start.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use rustix::process::Signal;

use crate::model::machine::allocation::Allocation;
use crate::model::outcome::{ExitStatus, Failure, FailureReason, Outcome, Verdict};
use crate::model::shortage::Shortage;
use crate::model::state::fact::Event;
use crate::model::state::phase::{Ended, PhaseKind};
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::model::units::duration_between;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::returning::return_waiting;

/// Takes in where the supervisor lives, and for how long.
pub fn follow_allocation(builder: &mut DecisionBuilder, now: Option<&Allocation>) {
    let is_known = match (builder.allocation(), now) {
        (Some(known), Some(now)) => known.is_about(now),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    if !is_known {
        builder.record(Event::AllocationChanged { allocation: now.cloned() });
    }
}

/// The end of the allocation, as it concerns the starts of one decision.
pub struct AllocationEnd {
    job: String,
    ends: Timestamp,
    left: Duration,
    /// The longest success of each combo.
    longest: BTreeMap<usize, Duration>,
}

impl AllocationEnd {
    /// Returns the end where there is one, with what this run shows of durations.
    pub fn for_decision(builder: &DecisionBuilder) -> Option<Self> {
        let Allocation { job, ends } = builder.allocation()?.clone();
        let ends = ends?;
        let mut longest = BTreeMap::new();
        for (shard, combo) in builder.shards().zip(&builder.policy.combos) {
            let success = shard.phase.ended().filter(|ended| ended.outcome.verdict == Verdict::Succeeded);
            if let Some(took) = success.and_then(|ended| ended.outcome.worked_time()) {
                let known = longest.entry(*combo).or_insert(took);
                *known = took.max(*known);
            }
        }
        Some(Self { job, ends, left: duration_between(builder.now, ends), longest })
    }

    /// What the shard at that position is short of, if it would not end in time. One of unknown length may start as
    /// long as there is time at all.
    pub fn find_shortage(&self, builder: &DecisionBuilder, position: usize) -> Option<Shortage> {
        let combo = builder.policy.combos.get(position);
        let known = combo.and_then(|combo| self.longest.get(combo)).copied();
        let needs = known.or_else(|| builder.policy.expected_times.get(position).copied().flatten());
        let is_too_short = self.left.is_zero() || needs.is_some_and(|needs| needs > self.left);
        is_too_short.then(|| Shortage::Time { needs, job: self.job.clone(), ends: self.ends })
    }
}

/// The outcome of an attempt that was ended by the end of its job: Slurm sends SIGTERM to every process of a job that was
/// cancelled, preempted, or has run out of time. That is no fault of the shard. A job ends once: a shard that ends in this
/// way again while the job goes on does so by itself.
pub fn blame_job<'o>(
    builder: &DecisionBuilder,
    shard: &ShardState,
    outcome: &'o Outcome,
) -> Cow<'o, Outcome> {
    let is_terminated = outcome.failure_reason() == Some(FailureReason::Signal)
        && outcome.exit.and_then(ExitStatus::signal) == Some(Signal::TERM.as_raw());
    let Some(Allocation { job, .. }) = builder.allocation().filter(|_| is_terminated) else {
        return Cow::Borrowed(outcome);
    };
    let message = format!("ended by SIGTERM, as job {job} ends its processes");
    let is_same = |before: &Ended| match &before.outcome.verdict {
        Verdict::Failed(failure) => {
            failure.reason == FailureReason::Lost && failure.message.contains(&message)
        }
        Verdict::Succeeded | Verdict::Cancelled => false,
    };
    if shard.history.last().is_some_and(is_same) {
        return Cow::Borrowed(outcome);
    }
    let verdict = Verdict::Failed(Failure { reason: FailureReason::Lost, message });
    Cow::Owned(Outcome { verdict, ..outcome.clone() })
}

/// Lets the run end where nothing is left that could end in time: the machine is given back, and the next allocation goes
/// on.
pub fn drain_if_too_short(builder: &mut DecisionBuilder) {
    if builder.stage() != RunStage::Active || builder.active_count() > 0 {
        return;
    }
    let Some(end) = AllocationEnd::for_decision(builder) else { return };
    let may_start = |position: &usize| {
        let shard = builder.shard(*position);
        shard.phase.kind() == PhaseKind::Queued && builder.run_holds().hold_of(&shard.id).is_none()
    };
    let waiting: Vec<usize> = builder.positions().filter(may_start).collect();
    if waiting.is_empty() {
        return;
    }
    if waiting.iter().all(|position| end.find_shortage(builder, *position).is_some()) {
        if builder.own_node().is_some() {
            return_waiting(builder);
        }
        builder.record(Event::StopRequested { now: false, by: None, job: Some(end.job) });
    } else if end.ends > builder.now {
        builder.wake_at(end.ends);
    }
}
