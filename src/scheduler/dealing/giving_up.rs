//! A node whose lease is over is asked to end everything, and given up once nothing of it can be running any more: only then
//! its shards may run elsewhere.

use super::deal::give_order;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::nodes::order::OrderTask;
use crate::model::outcome::{Failure, FailureReason, Outcome, Verdict};
use crate::model::state::fact::Event;
use crate::model::state::phase::{Phase, StopCause};
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::node_spec::NodeId;
use crate::model::units::duration_between;
use crate::scheduler::decision_builder::DecisionBuilder;

/// Takes in whether a node is at work.
pub fn follow_standing(builder: &mut DecisionBuilder, node: &NodeId, standing: &NodePhase) {
    let Some(place) =
        builder.policy.nodes.iter().find(|place| builder.nodes().current(place) == node).cloned()
    else {
        // It was given up.
        return;
    };
    match standing {
        NodePhase::Gone { reason } => return give_up(builder, &place, node, reason),
        NodePhase::Expired if !builder.nodes().find(node).is_some_and(|known| known.released) => {
            let reason = "it gave no sign of life for longer than its lease".to_owned();
            give_order(builder, node, OrderTask::Release { reason });
        }
        NodePhase::Expired
        | NodePhase::Idle
        | NodePhase::Waiting { .. }
        | NodePhase::Up
        | NodePhase::Draining
        | NodePhase::Unreachable { .. }
        | NodePhase::Silent => {}
    }
    let (node, standing) = (node.clone(), standing.clone());
    builder.record(Event::Node(Box::new(NodeEvent::StandingChanged { node, standing })));
}

/// What it had and did not finish waits to be dealt again.
fn give_up(builder: &mut DecisionBuilder, place: &NodeId, node: &NodeId, reason: &str) {
    let is_its = |position: &usize| {
        let shard = builder.shard(*position);
        shard.is_dealt() && shard.node.as_ref() == Some(node)
    };
    for position in builder.positions().filter(is_its).collect::<Vec<_>>() {
        take_back(builder, position, node, reason);
    }
    let next = builder.nodes().further_name(place, &builder.policy.nodes);
    let limits = builder.nodes().find(node).map(|known| known.limits.clone()).unwrap_or_default();
    let (node, reason) = (node.clone(), reason.to_owned());
    builder.record(Event::Node(Box::new(NodeEvent::GivenUp { node, reason, next: next.clone() })));
    limits.into_iter().for_each(|limit| give_order(builder, &next, limit));
}

fn take_back(builder: &mut DecisionBuilder, position: usize, node: &NodeId, reason: &str) {
    let shard = builder.shard(position).clone();
    if let Some(attempt) = shard.phase.attempt() {
        let is_unwanted = was_killed(&shard);
        let outcome = Box::new(outcome_there(builder, &shard, node, reason));
        builder.record(Event::AttemptEnded { shard: shard.id.clone(), attempt, outcome });
        if is_unwanted {
            return;
        }
    }
    builder.record(Event::Node(Box::new(NodeEvent::ShardTakenBack { shard: shard.id, refused: None })));
}

/// The user did not want it to go on.
fn was_killed(shard: &ShardState) -> bool {
    matches!(shard.phase, Phase::Stopping { cause: StopCause::Killed, .. })
}

fn outcome_there(builder: &DecisionBuilder, shard: &ShardState, node: &NodeId, why: &str) -> Outcome {
    let reason = if was_killed(shard) { FailureReason::Killed } else { FailureReason::Lost };
    let message = format!("node {node} was given up: {why}");
    let elapsed = shard.phase.live().map(|live| duration_between(live.started, builder.now));
    Outcome { elapsed, ..Outcome::of_verdict(Verdict::Failed(Failure { reason, message })) }
}
