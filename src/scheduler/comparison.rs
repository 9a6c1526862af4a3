//! Comparisons that end as soon as they are decided: the evidence of the finished blocks, and which shards
//! are not needed any more. A node leaves that to its run, which knows all blocks.

use crate::model::cancel_cause::CancelCause;
use crate::model::decided::DecidedComparison;
use crate::model::state::comparison_blocks::ComparisonBlocks;
use crate::model::state::fact::Event;
use crate::model::state::phase::{Phase, PhaseKind, QueueCause};
use crate::model::state::run_state::RunStage;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::volatile_state::VolatileState;

/// Decides what can be decided, and takes out what was queued for it. Nothing that runs is ended: its work is nearly done.
pub fn decide_due(builder: &mut DecisionBuilder, volatile: &mut VolatileState) {
    let policy = builder.policy;
    let Some(plan) = &policy.comparison else { return };
    if builder.stage() != RunStage::Active || builder.own_node().is_some() {
        return;
    }
    let ended = [PhaseKind::Succeeded, PhaseKind::Failed, PhaseKind::Cancelled];
    let ended: usize = ended.iter().map(|kind| builder.tally().count(*kind)).sum();
    // The evidence is another one only where a shard has ended.
    if volatile.compared_at != Some(ended) {
        volatile.compared_at = Some(ended);
        plan.value_pairs().for_each(|pair| decide_pair(builder, plan, pair));
    }
    for position in find_unneeded(builder) {
        let shard = builder.shard(position);
        // What waits at a node is taken back first.
        if !shard.is_dealt() {
            let shard = shard.id.clone();
            builder.record(Event::ShardCancelled { shard, by: None, cause: CancelCause::ComparisonDecided });
        }
    }
}

fn decide_pair(builder: &mut DecisionBuilder, plan: &ComparisonBlocks, pair: (usize, usize)) {
    let (first, second) = (&plan.values[pair.0], &plan.values[pair.1]);
    if builder.decisions().of_pair(first, second).is_some() {
        return;
    }
    let look = plan.weigh_evidence(pair, |position| {
        builder.positions().contains(&position).then(|| builder.shard(position))
    });
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
    builder.record(Event::ComparisonDecided(Box::new(DecidedComparison {
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

/// Finds the queued shards of values whose comparisons are all decided. What a user queued again stays, and what was
/// added after the decision.
pub fn find_unneeded(builder: &DecisionBuilder) -> Vec<usize> {
    let Some(plan) = &builder.policy.comparison else { return Vec::new() };
    if builder.decisions().is_empty() || builder.tally().count(PhaseKind::Queued) == 0 {
        return Vec::new();
    }
    let settled: Vec<_> =
        plan.values.iter().map(|value| builder.decisions().decided_at(value, &plan.values)).collect();
    if settled.iter().all(Option::is_none) {
        return Vec::new();
    }
    let is_unneeded = |position: &usize| {
        let Some(decided) = plan.value_at(*position).and_then(|value| settled[value]) else { return false };
        match &builder.shard(*position).phase {
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
    builder.positions().filter(is_unneeded).collect()
}
