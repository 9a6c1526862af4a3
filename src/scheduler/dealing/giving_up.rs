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
pub fn follow_standing(turn: &mut DecisionBuilder, node: &NodeId, standing: &NodePhase) {
    let Some(place) = turn.policy.nodes.iter().find(|place| turn.nodes().current(place) == node).cloned()
    else {
        // It was given up.
        return;
    };
    match standing {
        NodePhase::Gone { reason } => return give_up(turn, &place, node, reason),
        NodePhase::Expired if !turn.nodes().find(node).is_some_and(|known| known.released) => {
            let reason = "it gave no sign of life for longer than its lease".to_owned();
            give_order(turn, node, OrderTask::Release { reason });
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
    turn.record(Event::Node(Box::new(NodeEvent::StandingChanged { node, standing })));
}

/// What it had and did not finish waits to be dealt again.
fn give_up(turn: &mut DecisionBuilder, place: &NodeId, node: &NodeId, reason: &str) {
    let is_its = |position: &usize| {
        let shard = turn.shard(*position);
        shard.is_dealt() && shard.node.as_ref() == Some(node)
    };
    for position in turn.positions().filter(is_its).collect::<Vec<_>>() {
        take_back(turn, position, node, reason);
    }
    let next = turn.nodes().further_name(place, &turn.policy.nodes);
    let limits = turn.nodes().find(node).map(|known| known.limits.clone()).unwrap_or_default();
    let (node, reason) = (node.clone(), reason.to_owned());
    turn.record(Event::Node(Box::new(NodeEvent::GivenUp { node, reason, next: next.clone() })));
    limits.into_iter().for_each(|limit| give_order(turn, &next, limit));
}

fn take_back(turn: &mut DecisionBuilder, position: usize, node: &NodeId, reason: &str) {
    let shard = turn.shard(position).clone();
    if let Some(attempt) = shard.phase.attempt() {
        let is_unwanted = was_killed(&shard);
        let outcome = Box::new(outcome_there(turn, &shard, node, reason));
        turn.record(Event::AttemptEnded { shard: shard.id.clone(), attempt, outcome });
        if is_unwanted {
            return;
        }
    }
    turn.record(Event::Node(Box::new(NodeEvent::ShardTakenBack { shard: shard.id })));
}

/// The user did not want it to go on.
fn was_killed(shard: &ShardState) -> bool {
    matches!(shard.phase, Phase::Stopping { cause: StopCause::Killed, .. })
}

fn outcome_there(turn: &DecisionBuilder, shard: &ShardState, node: &NodeId, why: &str) -> Outcome {
    let reason = if was_killed(shard) { FailureReason::Killed } else { FailureReason::Lost };
    let message = format!("node {node} was given up: {why}");
    let elapsed = shard.phase.live().map(|live| duration_between(live.started, turn.now));
    Outcome { elapsed, ..Outcome::of_verdict(Verdict::Failed(Failure { reason, message })) }
}
