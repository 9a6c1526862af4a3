//! What users ask of a run whose shards are at nodes: what concerns a shard goes to the node that has it.

use std::collections::{BTreeMap, BTreeSet};

use super::deal::give_order;
use crate::model::command::{Command, ControlReply, RefusalKind, Selection};
use crate::model::ids::ShardId;
use crate::model::nodes::order::OrderTask;
use crate::model::state::fact::{Actor, Event};
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::node_spec::NodeId;
use crate::scheduler::commands::asked;
use crate::scheduler::decision_builder::DecisionBuilder;

/// Carries out a command as far as possible, and returns the reply.
pub fn execute_command(turn: &mut DecisionBuilder, command: &Command, by: &Actor) -> ControlReply {
    match command {
        Command::Pause { shards } => relay(turn, shards, by, |shards| Command::Pause { shards }),
        Command::Resume { shards } => relay(turn, shards, by, |shards| Command::Resume { shards }),
        Command::Kill { shards } => relay(turn, shards, by, |shards| Command::Kill { shards }),
        Command::SetPriority { shards, priority } => {
            relay(turn, shards, by, |shards| Command::SetPriority { shards, priority: *priority })
        }
        Command::Stop { now } => stop_run(turn, *now, by),
        // The limits hold at each node.
        Command::SetParallel { .. } | Command::SetReserve { .. } => set_limit(turn, command, by),
        Command::Restart { .. } => restart_services(turn, command, by),
        // What is queued or ended is the run's own affair; a shard that is requeued is dealt again.
        Command::Requeue { .. }
        | Command::RequeueEdited { .. }
        | Command::Undo { .. }
        | Command::Continue
        | Command::StartNow
        | Command::StartAt { .. }
        | Command::Unwatch { .. }
        | Command::Ping => asked::execute_command(turn, command, by),
        Command::SetGpus { .. } => ControlReply::unusable(
            "the GPUs of a node are those of `devices` in its `[[nodes]]`: they stay as they are",
        ),
        Command::AddValues { .. } => ControlReply::unusable("values come with the shards that they bring"),
    }
}

/// Passes a command on to the nodes that have the shards, and carries it out here for the others.
fn relay(
    turn: &mut DecisionBuilder,
    shards: &Selection,
    by: &Actor,
    command: impl Fn(Selection) -> Command,
) -> ControlReply {
    let is_meant = |shard: &&ShardState| match shards {
        Selection::All => !shard.phase.kind().is_final(),
        Selection::Failed => shard.phase.kind() == PhaseKind::Failed,
        Selection::These(names) => names.contains(&shard.id),
    };
    let mut away: BTreeMap<NodeId, Vec<ShardId>> = BTreeMap::new();
    let mut here = Vec::new();
    for shard in turn.shards().filter(is_meant) {
        match &shard.node {
            Some(node) if shard.is_dealt() => away.entry(node.clone()).or_default().push(shard.id.clone()),
            Some(_) | None => here.push(shard.id.clone()),
        }
    }
    if let Selection::These(names) = shards {
        // Names that the run does not have are refused where all are.
        here.extend(names.iter().filter(|name| turn.position(name).is_none()).cloned());
    }
    if away.is_empty() {
        return asked::execute_command(turn, &command(shards.clone()), by);
    }
    let mut reply = match here.is_empty() {
        true => ControlReply::Done { shards: 0, notes: Vec::new() },
        false => asked::execute_command(turn, &command(Selection::These(here)), by),
    };
    if let ControlReply::Refused { kind: RefusalKind::UnknownShard, .. } = &reply {
        return reply;
    }
    for (node, names) in away {
        let note = format!("{node} is asked for {} of them", names.len());
        match &mut reply {
            ControlReply::Done { shards, notes } => {
                *shards += names.len();
                notes.push(note);
            }
            ControlReply::Refused { .. } => {
                reply = ControlReply::Done { shards: names.len(), notes: vec![note] };
            }
        }
        give_order(turn, &node, OrderTask::Relay { asked: command(Selection::These(names)), by: by.clone() });
    }
    reply
}

fn stop_run(turn: &mut DecisionBuilder, now: bool, by: &Actor) -> ControlReply {
    let is_news = match turn.stage() {
        RunStage::Active => true,
        RunStage::Draining => now,
        RunStage::Stopping => false,
        RunStage::Ended { .. } => return ControlReply::unusable("the run is over"),
    };
    if !is_news {
        return ControlReply::Done { shards: 0, notes: vec!["the run is being stopped already".to_owned()] };
    }
    turn.record(Event::StopRequested { now, by: Some(by.clone()), job: None });
    let shards = if now { turn.active_count() } else { 0 };
    for node in busy_nodes(turn) {
        give_order(turn, &node, OrderTask::Stop { now, by: by.clone() });
    }
    ControlReply::Done { shards, notes: Vec::new() }
}

fn set_limit(turn: &mut DecisionBuilder, command: &Command, by: &Actor) -> ControlReply {
    let reply = asked::execute_command(turn, command, by);
    if matches!(reply, ControlReply::Done { .. }) {
        let nodes = turn.policy.nodes.iter().map(|place| turn.nodes().current(place).clone());
        relay_to_all(turn, nodes.collect(), command, by);
    }
    reply
}

/// Each node has services of its own, for the shards that it runs.
fn restart_services(turn: &mut DecisionBuilder, command: &Command, by: &Actor) -> ControlReply {
    let nodes = busy_nodes(turn);
    if nodes.is_empty() {
        return ControlReply::unusable("no node is at work");
    }
    let notes = vec![format!("asked of {}", nodes.iter().map(NodeId::as_str).collect::<Vec<_>>().join(", "))];
    relay_to_all(turn, nodes, command, by);
    ControlReply::Done { shards: 0, notes }
}

fn relay_to_all(turn: &mut DecisionBuilder, nodes: Vec<NodeId>, command: &Command, by: &Actor) {
    for node in nodes {
        give_order(turn, &node, OrderTask::Relay { asked: command.clone(), by: by.clone() });
    }
}

/// The nodes that have shards which are not done.
fn busy_nodes(turn: &DecisionBuilder) -> Vec<NodeId> {
    let of_shards = turn.shards().filter(|shard| shard.is_dealt()).filter_map(|shard| shard.node.clone());
    let nodes: BTreeSet<NodeId> = of_shards.collect();
    nodes.into_iter().collect()
}
