//! Comparisons that end as soon as they are decided: the evidence of the finished blocks, and which shards
//! are not needed any more.

use crate::model::cancel_cause::CancelCause;
use crate::model::decided::DecidedComparison;
use crate::model::state::comparison_blocks::ComparisonBlocks;
use crate::model::state::fact::Event;
use crate::model::state::phase::{Phase, PhaseKind, QueueCause};
use crate::model::state::run_state::RunStage;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::volatile_state::VolatileState;

/// Decides what can be decided, and takes out what was queued for it. Nothing that runs is ended: its work is nearly done.
pub fn decide_due(turn: &mut DecisionBuilder, memory: &mut VolatileState) {
    let policy = turn.policy;
    let Some(plan) = &policy.comparison else { return };
    if turn.stage() != RunStage::Active {
        return;
    }
    let ended = [PhaseKind::Succeeded, PhaseKind::Failed, PhaseKind::Cancelled];
    let ended: usize = ended.iter().map(|kind| turn.tally().count(*kind)).sum();
    // The evidence is another one only where a shard has ended.
    if memory.compared_at != Some(ended) {
        memory.compared_at = Some(ended);
        plan.value_pairs().for_each(|pair| decide_pair(turn, plan, pair));
    }
    if !turn.decisions().is_empty() && turn.tally().count(PhaseKind::Queued) > 0 {
        take_out_settled(turn, plan);
    }
}

fn decide_pair(turn: &mut DecisionBuilder, plan: &ComparisonBlocks, pair: (usize, usize)) {
    let (first, second) = (&plan.values[pair.0], &plan.values[pair.1]);
    if turn.decisions().of_pair(first, second).is_some() {
        return;
    }
    let look = plan
        .weigh_evidence(pair, |position| turn.positions().contains(&position).then(|| turn.shard(position)));
    let (e_value, limit) = (look.evidence.e_value(), plan.e_value_limit());
    // Of a plan that is done the usual test has the last word.
    if look.open == 0 || e_value < limit {
        return;
    }
    let Some(difference) = look.evidence.confidence_interval(limit) else { return };
    let (of_first, of_second) = look.evidence.successes();
    let is_first_better = of_first >= of_second;
    let (better, worse) = if is_first_better { (first, second) } else { (second, first) };
    let difference = if is_first_better { difference } else { difference.swap_sides() };
    turn.record(Event::ComparisonDecided(Box::new(DecidedComparison {
        axis: plan.axis.clone(),
        better: better.clone(),
        worse: worse.clone(),
        blocks: look.blocks,
        episodes: look.evidence.episodes(),
        pairs: look.pairs,
        better_successes: of_first.max(of_second),
        worse_successes: of_first.min(of_second),
        e_value,
        limit,
        difference,
    })));
}

/// Takes out the queued shards of values whose comparisons are all decided. What a user queued again stays, and what was
/// added after the decision.
fn take_out_settled(turn: &mut DecisionBuilder, plan: &ComparisonBlocks) {
    let settled: Vec<_> =
        plan.values.iter().map(|value| turn.decisions().decided_at(value, &plan.values)).collect();
    if settled.iter().all(Option::is_none) {
        return;
    }
    let is_unneeded = |position: &usize| {
        let Some(decided) = plan.value_at(*position).and_then(|value| settled[value]) else { return false };
        match &turn.shard(*position).phase {
            Phase::Queued { cause: QueueCause::User, .. } => false,
            Phase::Queued { since, cause: QueueCause::New, .. } => *since <= decided,
            Phase::Queued { .. } => true,
            Phase::Starting { .. }
            | Phase::Running(_)
            | Phase::Paused { .. }
            | Phase::Stopping { .. }
            | Phase::Succeeded(_)
            | Phase::Failed { .. }
            | Phase::Cancelled { .. } => false,
        }
    };
    let unneeded: Vec<usize> = turn.positions().filter(is_unneeded).collect();
    for position in unneeded {
        let shard = turn.shard(position).id.clone();
        turn.record(Event::ShardCancelled { shard, by: None, cause: CancelCause::ComparisonDecided });
    }
}
