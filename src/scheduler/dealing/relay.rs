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
use crate::scheduler::services::restarts;

/// Carries out a command as far as possible, and returns the reply.
pub fn execute_command(builder: &mut DecisionBuilder, command: &Command, by: &Actor) -> ControlReply {
    match command {
        Command::Pause { shards } => relay(builder, shards, by, |shards| Command::Pause { shards }),
        Command::Resume { shards } => relay(builder, shards, by, |shards| Command::Resume { shards }),
        Command::Kill { shards } => relay(builder, shards, by, |shards| Command::Kill { shards }),
        Command::SetPriority { shards, priority } => {
            relay(builder, shards, by, |shards| Command::SetPriority { shards, priority: *priority })
        }
        Command::Stop { now } => stop_run(builder, *now, by),
        // The limits hold at each node.
        Command::SetParallel { .. } | Command::SetReserve { .. } => set_limit(builder, command, by),
        Command::Restart { services } => restart_services(builder, services, by),
        // What is queued or ended is the run's own affair; a shard that is requeued is dealt again.
        Command::Requeue { .. } | Command::RequeueEdited { .. } | Command::Continue => {
            retry_refused(builder, by);
            asked::execute_command(builder, command, by)
        }
        // A window closes at each node by itself.
        Command::StartNow | Command::StartAt { .. } => {
            let reply = asked::execute_command(builder, command, by);
            if matches!(reply, ControlReply::Done { .. }) {
                let nodes = busy_nodes(builder);
                relay_to_all(builder, nodes, command, by);
            }
            reply
        }
        Command::Undo { .. } | Command::Unwatch { .. } | Command::Ping => {
            asked::execute_command(builder, command, by)
        }
        Command::SetGpus { .. } => ControlReply::unusable(
            "the GPUs of a node are those of `devices` in its `[[nodes]]`: they stay as they are",
        ),
        Command::AddValues { .. } => ControlReply::unusable("values come with the shards that they bring"),
    }
}

/// Passes a command on to the nodes that have the shards, and carries it out here for the others.
fn relay(
    builder: &mut DecisionBuilder,
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
    for shard in builder.shards().filter(is_meant) {
        match &shard.node {
            Some(node) if shard.is_dealt() && concerns(&command(Selection::All), shard) => {
                away.entry(node.clone()).or_default().push(shard.id.clone())
            }
            Some(_) | None => here.push(shard.id.clone()),
        }
    }
    if let Selection::These(names) = shards {
        for name in names.iter().filter(|name| builder.position(name).is_none()) {
            let nodes = builder.nodes_with_service(name);
            // Names that the run does not have are refused where all are.
            if nodes.is_empty() {
                here.push(name.clone());
            }
            for node in nodes {
                away.entry(node).or_default().push(name.clone());
            }
        }
    }
    if away.is_empty() {
        return asked::execute_command(builder, &command(shards.clone()), by);
    }
    let mut reply = match here.is_empty() {
        true => ControlReply::Done { shards: 0, notes: Vec::new() },
        false => asked::execute_command(builder, &command(Selection::These(here)), by),
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
        give_order(
            builder,
            &node,
            OrderTask::Relay { asked: command(Selection::These(names)), by: by.clone() },
        );
    }
    reply
}

/// A node may carry out the command for the shard; else it is refused here in the same words as elsewhere.
fn concerns(command: &Command, shard: &ShardState) -> bool {
    !matches!(command, Command::SetPriority { .. }) || shard.phase.kind() == PhaseKind::Queued
}

fn stop_run(builder: &mut DecisionBuilder, now: bool, by: &Actor) -> ControlReply {
    let is_news = match builder.stage() {
        RunStage::Active => true,
        RunStage::Draining => now,
        RunStage::Stopping => false,
        RunStage::Ended { .. } => return ControlReply::unusable("the run is over"),
    };
    if !is_news {
        return ControlReply::Done { shards: 0, notes: vec!["the run is being stopped already".to_owned()] };
    }
    builder.record(Event::StopRequested { now, by: Some(by.clone()), job: None });
    let shards = if now { builder.active_count() } else { 0 };
    for node in busy_nodes(builder) {
        give_order(builder, &node, OrderTask::Stop { now, by: by.clone() });
    }
    ControlReply::Done { shards, notes: Vec::new() }
}

fn set_limit(builder: &mut DecisionBuilder, command: &Command, by: &Actor) -> ControlReply {
    let reply = asked::execute_command(builder, command, by);
    if matches!(reply, ControlReply::Done { .. }) {
        let nodes = builder.policy.nodes.iter().map(|place| builder.nodes().current(place).clone());
        relay_to_all(builder, nodes.collect(), command, by);
    }
    reply
}

/// What nodes could not run is dealt to them again: who asks has seen to it.
fn retry_refused(builder: &mut DecisionBuilder, by: &Actor) {
    let refuses = |node: &&NodeId| builder.nodes().find(node).is_some_and(|known| !known.refused.is_empty());
    let places = builder.policy.nodes.iter().map(|place| builder.nodes().current(place));
    let nodes: Vec<NodeId> = places.filter(refuses).cloned().collect();
    relay_to_all(builder, nodes, &Command::Continue, by);
}

/// Each node has services of its own, for the shards that it runs.
fn restart_services(builder: &mut DecisionBuilder, services: &Selection, by: &Actor) -> ControlReply {
    if let Selection::These(names) = services
        && let Some(name) = names.iter().find(|name| builder.nodes_with_service(name).is_empty())
    {
        return restarts::refuse_unknown(builder, name);
    }
    let nodes: BTreeSet<NodeId> = match services {
        Selection::These(names) => names.iter().flat_map(|name| builder.nodes_with_service(name)).collect(),
        Selection::All | Selection::Failed => builder.all_nodes_with_services().collect(),
    };
    if nodes.is_empty() {
        return ControlReply::unusable("no service to start again");
    }
    if let RunStage::Ended { .. } = builder.stage() {
        builder.record(Event::RunContinued { by: Some(by.clone()) });
    }
    let notes = vec![format!("asked of {}", nodes.iter().map(NodeId::as_str).collect::<Vec<_>>().join(", "))];
    let command = Command::Restart { services: services.clone() };
    relay_to_all(builder, nodes.into_iter().collect(), &command, by);
    ControlReply::Done { shards: 0, notes }
}

fn relay_to_all(builder: &mut DecisionBuilder, nodes: Vec<NodeId>, command: &Command, by: &Actor) {
    for node in nodes {
        give_order(builder, &node, OrderTask::Relay { asked: command.clone(), by: by.clone() });
    }
}

/// The nodes that have shards which are not done.
fn busy_nodes(builder: &DecisionBuilder) -> Vec<NodeId> {
    let of_shards = builder.shards().filter(|shard| shard.is_dealt()).filter_map(|shard| shard.node.clone());
    let nodes: BTreeSet<NodeId> = of_shards.collect();
    nodes.into_iter().collect()
}
