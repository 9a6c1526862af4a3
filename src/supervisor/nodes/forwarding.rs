//! Facts of a node become facts of the run, as far as they are about its shards.

use crate::model::ids::{AttemptKey, ShardId};
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_phase::FactOrigin;
use crate::model::outcome::Verdict;
use crate::model::state::event_groups::events;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::run_state::RunState;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::split::{PackSplit, SplitCause};

/// What a line of a node's journal means for the run; `None` for what is the node's own affair. `before` are facts that the
/// state does not have yet.
pub(in crate::supervisor) fn forward_fact(
    (state, before): (&RunState, &[Fact]),
    node: &NodeId,
    line: u64,
    fact: Fact,
) -> Option<Fact> {
    if let Some(known) = state.nodes.find(node)
        && (line <= known.read
            || known.next.is_some()
            || known.released && !counts_after_release(&fact.event))
    {
        return None;
    }
    let event = match fact.event {
        Event::Node(event) => Event::Node(Box::new(forward_node_event(*event)?)),
        // The run has it from the node that split the pack.
        Event::PackSplit(PackSplit { cause: SplitCause::Elsewhere, .. }) => return None,
        event @ events!(attempts | outcomes | queue) => event,
        Event::Remarked { about: Some(about), text } => Event::Remarked { about: Some(about), text },
        event @ Event::AllocationChanged { .. } => event,
        Event::RunCreated { .. }
        | Event::SupervisorStarted { .. }
        | events!(plan | services | limits | holds | stages)
        | Event::RunWarned { .. }
        | Event::PreflightWarned { .. }
        | Event::EpisodesRepeated { .. }
        | Event::ReporterEnded { .. }
        | Event::Remarked { about: None, .. } => return None,
    };
    // Services are the node's own; parts of packs may be as new as the fact.
    let is_new = |shard: &ShardId| {
        let brings = |fact: &Fact| matches!(&fact.event, Event::PackSplit(split) if split.other == *shard);
        before.iter().any(brings)
    };
    let is_of_run = event.shard().is_none_or(|shard| state.position(shard).is_some() || is_new(shard));
    let origin = Some(FactOrigin { node: node.clone(), line });
    is_of_run.then_some(Fact { at: fact.at, event, origin })
}

/// A node that is to end everything ends its shards before they are done: that is no end of theirs. What was done is
/// done.
fn counts_after_release(event: &Event) -> bool {
    match event {
        Event::AttemptEnded { outcome, .. } => outcome.verdict == Verdict::Succeeded,
        // What runs on or is done afterwards is a part.
        Event::PackSplit(_) | events!(attempts | nodes) => true,
        events!(queue | plan | services | limits | holds | beginnings | stages | reports) => false,
    }
}

fn forward_node_event(event: NodeEvent) -> Option<NodeEvent> {
    match event {
        NodeEvent::ShardReturned { shard } => Some(NodeEvent::ShardTakenBack { shard }),
        NodeEvent::OrderDone { .. } => Some(event),
        NodeEvent::Begun { .. }
        | NodeEvent::OrderGiven { .. }
        | NodeEvent::StandingChanged { .. }
        | NodeEvent::GivenUp { .. }
        | NodeEvent::ShardReceived(_)
        | NodeEvent::ShardTakenBack { .. } => None,
    }
}

/// The attempt that begins with this fact of a node.
pub(in crate::supervisor) fn begun_attempt(fact: &Fact) -> Option<(AttemptKey, NodeId)> {
    let (Event::AttemptStarting { shard, attempt, .. }, Some(origin)) = (&fact.event, &fact.origin) else {
        return None;
    };
    Some((AttemptKey { shard: shard.clone(), attempt: *attempt }, origin.node.clone()))
}
