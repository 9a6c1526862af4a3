//! Facts of a node become facts of the run, as far as they are about shards and services.

use crate::model::ids::{AttemptKey, ShardId};
use crate::model::nodes::node_event::{NodeEvent, Refusal};
use crate::model::nodes::node_phase::FactOrigin;
use crate::model::nodes::node_state::NodeState;
use crate::model::outcome::Verdict;
use crate::model::state::event_groups::events;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::run_state::RunState;
use crate::model::state::service_state::ServiceState;
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
            || known.released
                && !release_is_to_come(known, node, before)
                && !counts_after_release(&fact.event))
    {
        return None;
    }
    let event = match fact.event {
        Event::Node(event) => Event::Node(Box::new(forward_node_event(node, *event)?)),
        // The run has it from the node that split the pack.
        Event::PackSplit(PackSplit { cause: SplitCause::Elsewhere, .. }) => return None,
        event @ events!(attempts | outcomes | queue | services) => event,
        Event::Remarked { about: Some(about), text } => Event::Remarked { about: Some(about), text },
        // What a user asked for, the run has itself.
        event @ (Event::AllocationChanged { .. }
        | Event::ParallelChanged { by: None, .. }
        | Event::GpuAvoided { .. }) => event,
        Event::RunCreated { .. }
        | Event::SupervisorStarted { .. }
        | events!(plan | stages)
        | Event::ParallelChanged { by: Some(_), .. }
        | Event::ReserveChanged { .. }
        | Event::GpusChosen { .. }
        | Event::StartsClosed { .. }
        | Event::StartsOpened { .. }
        | Event::ShardsHeld { .. }
        | Event::RunHeld { .. }
        | Event::HoldsReleased { .. }
        | Event::RunWarned { .. }
        | Event::PreflightWarned { .. }
        | Event::EpisodesRepeated { .. }
        | Event::ReporterEnded { .. }
        | Event::Remarked { about: None, .. } => return None,
    };
    // Parts of packs and services of the node may be as new as the fact.
    let brings = |event: &Event, id: &ShardId| {
        matches!(event, Event::PackSplit(split) if split.other == *id)
            || matches!(event, Event::ServiceAdded { shard, .. } if shard == id)
    };
    // Other nodes may have services of the same name.
    let is_new = |id: &ShardId| events_of(node, before).any(|event| brings(event, id)) || brings(&event, id);
    let is_service = |id: &ShardId| {
        let is_meant =
            |service: &ServiceState| service.id() == id && service.life.node.as_ref() == Some(node);
        state.services.iter().any(is_meant)
    };
    let is_of_run =
        event.shard().is_none_or(|id| state.position(id).is_some() || is_service(id) || is_new(id));
    let origin = Some(FactOrigin { node: node.clone(), line });
    is_of_run.then_some(Fact { at: fact.at, event, origin })
}

/// Those that the node had first.
fn events_of<'f>(node: &NodeId, facts: &'f [Fact]) -> impl Iterator<Item = &'f Event> {
    let is_from_there = |fact: &&Fact| fact.origin.as_ref().is_some_and(|origin| origin.node == *node);
    facts.iter().filter(is_from_there).map(|fact| &fact.event)
}

/// The node was asked to end everything and did not know it yet at this line: what it says there is as true as before.
fn release_is_to_come(known: &NodeState, node: &NodeId, before: &[Fact]) -> bool {
    let Some(release) = known.pending_release() else { return false };
    let is_done = |event: &Event| {
        matches!(event, Event::Node(event)
            if matches!(**event, NodeEvent::OrderDone { number, .. } if number == release))
    };
    !events_of(node, before).any(is_done)
}

/// A node that ends everything ends its shards before they are done: that is no end of theirs, and they are dealt again once
/// it is given up. What was done is done.
fn counts_after_release(event: &Event) -> bool {
    match event {
        Event::AttemptEnded { outcome, .. } => outcome.verdict == Verdict::Succeeded,
        Event::Node(event) => matches!(**event, NodeEvent::OrderDone { .. }),
        // What runs on or is done afterwards is a part.
        Event::PackSplit(_) | events!(attempts | services) => true,
        events!(queue | plan | limits | holds | beginnings | stages | reports) => false,
    }
}

fn forward_node_event(node: &NodeId, event: NodeEvent) -> Option<NodeEvent> {
    match event {
        NodeEvent::ShardReturned { shard, lacks } => {
            let refused = lacks.map(|lacks| Refusal { node: node.clone(), lacks });
            Some(NodeEvent::ShardTakenBack { shard, refused })
        }
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

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::claims::claim::Claim;
    use crate::model::ids::{AttemptNumber, RunId};
    use crate::model::needs::demand::Demand;
    use crate::model::nodes::order::{ORDER_VERSION, Order, OrderNumber, OrderTask};
    use crate::model::outcome::{Failure, FailureReason, Outcome};
    use crate::model::state::fact::JOURNAL_VERSION;
    use crate::model::state::phase::QueueCause;

    fn node() -> NodeId {
        NodeId::new("gpu1".to_owned()).unwrap()
    }

    fn shard() -> ShardId {
        ShardId::new("a").unwrap()
    }

    /// A run whose node was asked to end everything.
    fn released_state() -> RunState {
        let release = OrderTask::Release { reason: "silent".to_owned() };
        let order = Order { version: ORDER_VERSION, number: OrderNumber(2), task: release };
        let events = [
            Event::RunCreated {
                version: JOURNAL_VERSION,
                run: RunId("r".to_owned()),
                shards: vec![shard()],
                parallel: 1,
            },
            Event::Node(Box::new(NodeEvent::OrderGiven { node: node(), order })),
        ];
        let facts: Vec<Fact> =
            events.into_iter().map(|event| Fact::new(Timestamp::UNIX_EPOCH, event)).collect();
        RunState::fold_facts(&facts).unwrap()
    }

    fn forward_all(state: &RunState, events: Vec<Event>) -> Vec<Event> {
        let mut before = Vec::new();
        for (line, event) in (1..).zip(events) {
            let fact = Fact::new(Timestamp::UNIX_EPOCH, event);
            before.extend(forward_fact((state, &before), &node(), line, fact));
        }
        before.into_iter().map(|fact| fact.event).collect()
    }

    fn starting(attempt: u32) -> Event {
        Event::AttemptStarting {
            shard: shard(),
            attempt: AttemptNumber(attempt),
            gpus: Vec::new(),
            claim: Claim::default(),
            previous: None,
        }
    }

    fn lost(attempt: u32) -> Event {
        let verdict =
            Verdict::Failed(Failure { reason: FailureReason::Lost, message: "its holder died".to_owned() });
        let outcome = Box::new(Outcome::of_verdict(verdict));
        Event::AttemptEnded { shard: shard(), attempt: AttemptNumber(attempt), outcome }
    }

    #[test]
    fn what_a_node_says_counts_until_it_has_read_that_it_is_to_end_everything() {
        let queued = Event::ShardQueued {
            shard: shard(),
            cause: QueueCause::Lost,
            by: None,
            not_before: None,
            demand: Demand::default(),
            edit: None,
            step: None,
        };
        let done = Event::Node(Box::new(NodeEvent::OrderDone { number: OrderNumber(2), notes: Vec::new() }));
        let returned = Event::Node(Box::new(NodeEvent::ShardReturned { shard: shard(), lacks: None }));
        let before = vec![starting(1), lost(1), queued.clone(), starting(2), done];
        let after = vec![lost(2), queued, returned];
        let state = released_state();
        let all = before.iter().cloned().chain(after).collect();
        assert_eq!(forward_all(&state, all), before, "the second attempt ends when the node is given up");
    }
}
