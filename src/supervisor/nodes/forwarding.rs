//! Facts of a node become facts of the run, as far as they are about its shards.

use crate::model::ids::AttemptKey;
use crate::model::nodes::node_spec::NodeId;
use crate::model::nodes::node_state::FactOrigin;
use crate::model::state::event_groups::events;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::run_state::RunState;

/// What a line of a node's journal means for the run; `None` for what is the node's own affair.
pub(in crate::supervisor) fn forward_fact(
    state: &RunState,
    node: &NodeId,
    line: u64,
    fact: Fact,
) -> Option<Fact> {
    if state.nodes.find(node).is_some_and(|known| line <= known.read) {
        return None;
    }
    let is_shard = |event: &Event| event.shard().is_some_and(|shard| state.position(shard).is_some());
    let event = match fact.event {
        Event::ShardReturned { shard } => Event::ShardTakenBack { shard },
        event @ (events!(attempts | outcomes | queue) | Event::OrderDone { .. }) => event,
        Event::Remarked { about: Some(about), text } => Event::Remarked { about: Some(about), text },
        events!(plan | services | limits | holds | beginnings | stages)
        | Event::RunWarned { .. }
        | Event::PreflightWarned { .. }
        | Event::EpisodesRepeated { .. }
        | Event::ReporterEnded { .. }
        | Event::Remarked { about: None, .. }
        | Event::NodeBegun { .. }
        | Event::OrderGiven { .. }
        | Event::NodeChanged { .. }
        | Event::ShardReceived(_)
        | Event::ShardTakenBack { .. } => return None,
    };
    let is_about_run = matches!(event, Event::OrderDone { .. } | Event::Remarked { .. });
    let origin = Some(FactOrigin { node: node.clone(), line });
    (is_about_run || is_shard(&event)).then_some(Fact { at: fact.at, event, origin })
}

/// The attempt that begins with this fact of a node.
pub(in crate::supervisor) fn begun_attempt(fact: &Fact) -> Option<(AttemptKey, &NodeId)> {
    let (Event::AttemptStarting { shard, attempt, .. }, Some(origin)) = (&fact.event, &fact.origin) else {
        return None;
    };
    Some((AttemptKey { shard: shard.clone(), attempt: *attempt }, &origin.node))
}
