//! When the run is over.

use std::time::Duration;

use crate::model::ids::GpuIndex;
use crate::model::outcome::Verdict;
use crate::model::state::fact::Event;
use crate::model::state::phase::Phase;
use crate::model::state::run_holds::RunHolds;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::state::service_state::ServiceState;
use crate::model::state::shard_state::ShardState;
use crate::model::state::tally::ShardTally;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::policy::SchedulingPolicy;
use crate::scheduler::volatile_state::VolatileState;

/// So long a node waits for orders before it gives its machine back.
const IDLE: Duration = Duration::from_secs(120);

/// Returns the content of `RunEnded` if it were recorded now; `None` while the run is not over, or its end is
/// recorded. To be asked again before the fact is written: a shard may have been requeued while the reporter ran.
pub fn pending_end(policy: &SchedulingPolicy, state: &RunState) -> Option<bool> {
    let gpus = (policy, state.devices.as_deref());
    if state.stage == RunStage::Active && policy.open_watches(state).next().is_some() {
        return None;
    }
    let parts = (state.tally(), &state.services[..]);
    judge_end(gpus, &state.run_holds, state.stage, parts, state.shards.iter())
}

/// Asks for the end once, and once more where it would now be another one.
pub fn finish_if_due(turn: &mut DecisionBuilder, memory: &mut VolatileState) {
    reopen_if_whole(turn);
    // New files, or shards of this very decision, are still to come.
    let goes_on = turn.stage() == RunStage::Active
        && (turn.has_added() || turn.watched_axes().next().is_some() || waits_for_orders(turn));
    let due = if goes_on { None } else { over_now(turn) };
    if let Some(finished) = due
        && memory.finish_asked != due
    {
        turn.add_effect(Effect::Finish { finished });
    }
    memory.finish_asked = due;
}

/// A node without work stays for a while: the next order may be on its way.
fn waits_for_orders(turn: &mut DecisionBuilder) -> bool {
    let (Some(_), Some(last)) = (turn.own_node(), turn.last_fact()) else { return false };
    if !turn.tally().all_final() {
        return false;
    }
    let ends = last.saturating_add(IDLE).unwrap_or(turn.now);
    if ends > turn.now {
        turn.wake_at(ends);
    }
    ends > turn.now
}

/// Somebody has cancelled what an end had left over: the run ends once more, now as a whole one with its results.
fn reopen_if_whole(turn: &mut DecisionBuilder) {
    let ended_early = matches!(turn.stage(), RunStage::Ended { finished: false, .. });
    if ended_early && turn.tally().all_final() && turn.shards().all(at_its_end) {
        turn.record(Event::RunContinued { by: None });
    }
}

fn over_now(turn: &DecisionBuilder) -> Option<bool> {
    judge_end(
        (turn.policy, turn.chosen_devices()),
        turn.run_holds(),
        turn.stage(),
        (turn.tally(), turn.services()),
        turn.shards(),
    )
}

fn judge_end<'s>(
    gpus: (&SchedulingPolicy, Option<&[String]>),
    run_holds: &RunHolds,
    stage: RunStage,
    (tally, services): (&ShardTally, &[ServiceState]),
    mut shards: impl Iterator<Item = &'s ShardState> + Clone,
) -> Option<bool> {
    if !tally.active_positions().is_empty() || services.iter().any(ServiceState::is_active) {
        return None;
    }
    // What a node has may still run there.
    if gpus.0.deals() && shards.clone().any(ShardState::is_dealt) {
        return None;
    }
    match stage {
        // A requeue lets a run go on without those that a stop had cut short.
        RunStage::Active if tally.all_final() => Some(shards.all(at_its_end)),
        RunStage::Active => (!can_go_on(gpus, run_holds, services, shards)).then_some(false),
        RunStage::Draining | RunStage::Stopping => Some(shards.all(at_its_end)),
        RunStage::Ended { .. } => None,
    }
}

fn at_its_end(shard: &ShardState) -> bool {
    shard.phase.kind().is_final() && !was_cut_short(shard)
}

/// Reports whether something will be started by and by. What starts only after a user has seen to it keeps no run
/// going: a client that waits for the end has to know.
fn can_go_on<'s>(
    (policy, devices): (&SchedulingPolicy, Option<&[String]>),
    run_holds: &RunHolds,
    services: &[ServiceState],
    shards: impl Iterator<Item = &'s ShardState>,
) -> bool {
    // What a user took away is given back by the next choice: until then its shards wait.
    let given: Vec<GpuIndex> = match devices {
        Some(_) => policy.gpus.clone(),
        None => policy.chosen_gpus(None).collect(),
    };
    let given: Vec<GpuIndex> =
        given.into_iter().filter(|gpu| run_holds.avoid_reason(*gpu).is_none()).collect();
    let left = given.len();
    let is_barred = |position: usize, shard: &ShardState| {
        policy.services.iter().any(|rule| rule.is_barred(services, &given, position, &shard.edit))
    };
    let has_gpus = |position: usize| {
        let slots = policy.kind_of.get(position).map_or(0, |kind| policy.kinds[*kind].slots.len());
        // What nodes have is not known here.
        policy.deals() || left >= slots.min(policy.gpus.len())
    };
    let is_held = |shard: &ShardState| run_holds.hold_of(&shard.id).is_some();
    let may_start = |(position, shard): (usize, &ShardState)| {
        !shard.phase.kind().is_final() && !is_held(shard) && has_gpus(position) && !is_barred(position, shard)
    };
    shards.enumerate().any(may_start)
}

/// The run was stopped under this shard's attempt; going on takes it up again.
pub fn was_cut_short(shard: &ShardState) -> bool {
    matches!(&shard.phase, Phase::Cancelled { ended: Some(ended), .. } if ended.outcome.verdict == Verdict::Cancelled)
}
