//! At a node: what waits for its turn goes back to the run.

use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::state::fact::Event;
use crate::model::state::phase::PhaseKind;
use crate::scheduler::turn::DecisionBuilder;

/// Gives back what waits, so that another node may get it.
pub fn return_waiting(turn: &mut DecisionBuilder) {
    let waiting: Vec<ShardId> = turn
        .shards()
        .filter(|shard| shard.phase.kind() == PhaseKind::Queued)
        .map(|shard| shard.id.clone())
        .collect();
    for shard in waiting {
        turn.record(Event::Node(Box::new(NodeEvent::ShardReturned { shard })));
    }
}
