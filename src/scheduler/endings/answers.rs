//! What follows from the end of an attempt besides its record, by the cause of the end.

use jiff::Timestamp;

use crate::model::failure_trait::FailureTrait;
use crate::model::needs::demand::Demand;
use crate::model::outcome::{FailureReason, Outcome};
use crate::model::state::fact::Event;
use crate::model::state::phase::{Phase, QueueCause, StopCause};
use crate::model::state::shard_state::ShardState;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::endings::ladder_answer::{self, LadderAnswer};
use crate::scheduler::endings::retry::{cause_to_retry, is_resumed};
use crate::scheduler::endings::{foreign, gpu_lost};
use crate::scheduler::gates::gate::moment_after;
use crate::scheduler::policy::SchedulingPolicy;
use crate::scheduler::volatile_state::VolatileState;

/// Reports whether the answer to such an end may depend on how the GPUs are just after it.
pub fn wants_look(policy: &SchedulingPolicy, outcome: &Outcome) -> bool {
    let depends = |reason: FailureReason| reason.has(FailureTrait::DependsOnGpus);
    policy.uses_gpus() && outcome.failure_reason().is_some_and(depends)
}

/// Consequences of an end besides its record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FollowUp {
    /// The facts; empty if the end is final.
    pub facts: Vec<Event>,
    /// Why no further try can help, where that is known.
    pub because: Option<String>,
}

impl From<Vec<Event>> for FollowUp {
    fn from(facts: Vec<Event>) -> Self {
        Self { facts, because: None }
    }
}

/// Returns what follows from an end. To be asked before the end is recorded.
pub fn follow_up(
    builder: &DecisionBuilder,
    volatile: &VolatileState,
    shard: &ShardState,
    outcome: &Outcome,
) -> FollowUp {
    // A user who kills it has no use for another try, also where it had just ended by itself.
    if matches!(shard.phase, Phase::Stopping { cause: StopCause::Killed, .. }) {
        return FollowUp::default();
    }
    let elsewhere = after_foreign_cause(builder, volatile, shard, outcome);
    if !elsewhere.is_empty() {
        return elsewhere.into();
    }
    match ladder_answer::climb_ladder(builder, volatile, shard, outcome) {
        LadderAnswer::Step(facts) => return facts.into(),
        LadderAnswer::Final(because) => return FollowUp { facts: Vec::new(), because },
        LadderAnswer::Nothing => {}
    }
    let queued = |cause, demand| queued_event(shard, cause, demand, None);
    if is_resumed(builder, shard, outcome) {
        return vec![queued(QueueCause::Resumed, Demand::default())].into();
    }
    // What no answer is left for is a failure like any other.
    let cause = cause_to_retry(shard, outcome, builder.policy.schedule.retries, builder.stage());
    cause.map(|cause| queued(cause, Demand::default())).into_iter().collect::<Vec<_>>().into()
}

/// The facts that follow where the GPU or others on it caused the end.
fn after_foreign_cause(
    builder: &DecisionBuilder,
    volatile: &VolatileState,
    shard: &ShardState,
    outcome: &Outcome,
) -> Vec<Event> {
    if let Some(mut facts) = gpu_lost::avoid_lost_gpus(builder, volatile, shard, outcome) {
        facts.push(queued_event(shard, QueueCause::GpuLost, Demand::default(), None));
        return facts;
    }
    if let Some(demand) = foreign::foreign_oom_demand(builder, volatile, shard, outcome) {
        let has_claim = shard.phase.claim().is_some_and(|claim| !claim.vram.is_empty());
        let is_known = has_claim || !demand.vram.is_empty();
        let not_before = if is_known { None } else { moment_after(builder.now, foreign::PAUSE) };
        return vec![queued_event(shard, QueueCause::ForeignOom, demand, not_before)];
    }
    Vec::new()
}

fn queued_event(
    shard: &ShardState,
    cause: QueueCause,
    demand: Demand,
    not_before: Option<Timestamp>,
) -> Event {
    Event::ShardQueued {
        shard: shard.id.clone(),
        cause,
        by: None,
        not_before,
        demand,
        edit: None,
        step: None,
    }
}
