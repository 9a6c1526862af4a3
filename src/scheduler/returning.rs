//! At a node: what waits for its turn goes back to the run.

use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::state::fact::Event;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::scheduler::decision_builder::DecisionBuilder;

/// Gives back all that waits, so that another node may get it.
pub fn return_waiting(turn: &mut DecisionBuilder) {
    return_shards(turn, |_| true);
}

/// Gives back what came to wait after this node began to end, such as a shard whose attempt was lost meanwhile: it is not
/// started here any more, and the run would wait for it in vain.
pub fn return_late(turn: &mut DecisionBuilder) {
    if turn.own_node().is_some() && turn.stage() != RunStage::Active {
        return_waiting(turn);
    }
}

/// Gives back those that are meant and wait.
pub fn return_shards(turn: &mut DecisionBuilder, is_meant: impl Fn(&ShardState) -> bool) {
    let waits = |shard: &&ShardState| shard.phase.kind() == PhaseKind::Queued && is_meant(shard);
    let waiting: Vec<ShardId> = turn.shards().filter(waits).map(|shard| shard.id.clone()).collect();
    for shard in waiting {
        turn.record(Event::Node(Box::new(NodeEvent::ShardReturned { shard })));
    }
}
