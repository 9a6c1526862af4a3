//! At a node: carrying out orders, each once.

use crate::model::command::ControlReply;
use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::order::{DealtShard, Order, OrderTask};
use crate::model::state::fact::{Actor, Event};
use crate::model::state::run_state::RunStage;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::plan::ShardSpec;
use crate::model::sweep::split::{PackSplit, SplitCause};
use crate::scheduler::commands::asked;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::returning::{return_shards, return_waiting};
use crate::scheduler::stops::stop_all;

/// Carries out an order that was not carried out yet.
pub fn carry_out_order(builder: &mut DecisionBuilder, order: &Order) {
    if order.number <= builder.orders_done() {
        return;
    }
    let notes = match &order.task {
        OrderTask::Deal { shards, grown, splits } => receive_shards(builder, shards, (grown, splits)),
        OrderTask::Return { shards } => {
            return_shards(builder, |shard| shards.contains(&shard.id));
            Vec::new()
        }
        OrderTask::Stop { now, by } => {
            stop_node(builder, *now, by);
            Vec::new()
        }
        OrderTask::Release { .. } => {
            return_waiting(builder);
            builder.record(Event::StopRequested { now: true, by: None, job: None });
            stop_all(builder, None);
            Vec::new()
        }
        OrderTask::Relay { asked: command, by } => match asked::execute_command(builder, command, by) {
            ControlReply::Done { notes, .. } => notes,
            ControlReply::Refused { message, .. } => vec![message],
        },
    };
    builder.record(Event::Node(Box::new(NodeEvent::OrderDone { number: order.number, notes })));
}

fn receive_shards(
    builder: &mut DecisionBuilder,
    shards: &[DealtShard],
    (grown, splits): (&[Growth], &[PackSplit]),
) -> Vec<String> {
    match builder.stage() {
        RunStage::Active => {}
        RunStage::Draining | RunStage::Stopping | RunStage::Ended { .. } => {
            builder.record(Event::RunContinued { by: None });
        }
    }
    let mut new = take_growth(builder, grown);
    new.extend(take_splits(builder, splits));
    let mut notes = Vec::new();
    for dealt in shards {
        match builder.position(&dealt.shard) {
            // It has been here since an order that was cut off.
            Some(position) if !builder.shard(position).phase.kind().is_final() => {}
            Some(_) => builder.record(Event::Node(Box::new(NodeEvent::ShardReceived(dealt.clone())))),
            None if new.contains(&dealt.shard) => {
                builder.record(Event::Node(Box::new(NodeEvent::ShardReceived(dealt.clone()))));
            }
            None => notes.push(format!("this node knows no shard `{}`", dealt.shard)),
        }
    }
    notes
}

/// Adds to the plan of this node what it does not have yet, and returns the shards.
fn take_growth(builder: &mut DecisionBuilder, grown: &[Growth]) -> Vec<ShardId> {
    let mut new = Vec::new();
    for growth in grown {
        let is_new = |spec: &&ShardSpec| builder.position(&spec.id).is_none();
        let shards: Vec<ShardSpec> = growth.shards.iter().filter(is_new).cloned().collect();
        if !shards.is_empty() {
            new.extend(shards.iter().map(|spec| spec.id.clone()));
            builder.record(Event::ValuesAdded(Box::new(Growth { shards, ..growth.clone() })));
            // The new shards are there once the fact is recorded.
            builder.wake_at(builder.now);
        }
    }
    new
}

/// Splits packs as other nodes have split them, and returns the parts that are new here.
fn take_splits(builder: &mut DecisionBuilder, splits: &[PackSplit]) -> Vec<ShardId> {
    let is_new = |split: &&PackSplit| builder.position(&split.other).is_none();
    let new: Vec<PackSplit> = splits.iter().filter(is_new).cloned().collect();
    for split in &new {
        builder.record(Event::PackSplit(PackSplit { cause: SplitCause::Elsewhere, ..split.clone() }));
        // How many values each part has is known once the facts are recorded.
        builder.wake_at(builder.now);
    }
    new.into_iter().map(|split| split.other).collect()
}

/// Gives back what waits, and lets the rest end.
fn stop_node(builder: &mut DecisionBuilder, now: bool, by: &Actor) {
    return_waiting(builder);
    builder.record(Event::StopRequested { now, by: Some(by.clone()), job: None });
    if now {
        stop_all(builder, Some(by));
    }
}
