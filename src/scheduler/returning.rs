//! At a node: what waits for its turn goes back to the run.

use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::shortage::Shortage;
use crate::model::state::fact::Event;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::prospects::Prospects;

/// Gives back all that waits, so that another node may get it.
pub fn return_waiting(builder: &mut DecisionBuilder) {
    return_shards(builder, |_| true);
}

/// Gives back what came to wait after this node began to end, such as a shard whose attempt was lost meanwhile: it is not
/// started here any more, and the run would wait for it in vain.
pub fn return_late(builder: &mut DecisionBuilder) {
    if builder.own_node().is_some() && builder.stage() != RunStage::Active {
        return_waiting(builder);
    }
}

/// Gives back what cannot run here before somebody has seen to what it lacks: another node may have that.
pub fn return_impossible(builder: &mut DecisionBuilder) {
    if builder.own_node().is_none() || builder.stage() != RunStage::Active {
        return;
    }
    let impossible: Vec<(ShardId, Shortage)> = {
        let prospects = Prospects::of_decision(builder);
        let waiting = builder.reported_waiting().iter();
        let by_position =
            waiting.flat_map(|group| group.shards.iter().map(|position| (*position, &group.short_of)));
        by_position
            .map(|(position, lacks)| (position, builder.shard(position), lacks))
            .filter(|(position, shard, _)| {
                shard.phase.kind() == PhaseKind::Queued && !prospects.is_possible(*position, shard)
            })
            .map(|(_, shard, lacks)| (shard.id.clone(), lacks.clone()))
            .collect()
    };
    for (shard, lacks) in impossible {
        builder.record(Event::Node(Box::new(NodeEvent::ShardReturned { shard, lacks: Some(lacks) })));
    }
}

/// Gives back those that are meant and wait.
pub fn return_shards(builder: &mut DecisionBuilder, is_meant: impl Fn(&ShardState) -> bool) {
    let waits = |shard: &&ShardState| shard.phase.kind() == PhaseKind::Queued && is_meant(shard);
    let waiting: Vec<ShardId> = builder.shards().filter(waits).map(|shard| shard.id.clone()).collect();
    for shard in waiting {
        builder.record(Event::Node(Box::new(NodeEvent::ShardReturned { shard, lacks: None })));
    }
}
