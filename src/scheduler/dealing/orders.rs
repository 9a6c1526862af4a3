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
pub fn carry_out_order(turn: &mut DecisionBuilder, order: &Order) {
    if order.number <= turn.orders_done() {
        return;
    }
    let notes = match &order.task {
        OrderTask::Deal { shards, grown, splits } => receive_shards(turn, shards, (grown, splits)),
        OrderTask::Return { shards } => {
            return_shards(turn, |shard| shards.contains(&shard.id));
            Vec::new()
        }
        OrderTask::Stop { now, by } => {
            stop_node(turn, *now, by);
            Vec::new()
        }
        OrderTask::Release { .. } => {
            return_waiting(turn);
            turn.record(Event::StopRequested { now: true, by: None, job: None });
            stop_all(turn, None);
            Vec::new()
        }
        OrderTask::Relay { asked: command, by } => match asked::execute_command(turn, command, by) {
            ControlReply::Done { notes, .. } => notes,
            ControlReply::Refused { message, .. } => vec![message],
        },
    };
    turn.record(Event::Node(Box::new(NodeEvent::OrderDone { number: order.number, notes })));
}

fn receive_shards(
    turn: &mut DecisionBuilder,
    shards: &[DealtShard],
    (grown, splits): (&[Growth], &[PackSplit]),
) -> Vec<String> {
    match turn.stage() {
        RunStage::Active => {}
        RunStage::Draining | RunStage::Stopping | RunStage::Ended { .. } => {
            turn.record(Event::RunContinued { by: None });
        }
    }
    let mut new = take_growth(turn, grown);
    new.extend(take_splits(turn, splits));
    let mut notes = Vec::new();
    for dealt in shards {
        match turn.position(&dealt.shard) {
            // It has been here since an order that was cut off.
            Some(position) if !turn.shard(position).phase.kind().is_final() => {}
            Some(_) => turn.record(Event::Node(Box::new(NodeEvent::ShardReceived(dealt.clone())))),
            None if new.contains(&dealt.shard) => {
                turn.record(Event::Node(Box::new(NodeEvent::ShardReceived(dealt.clone()))));
            }
            None => notes.push(format!("this node knows no shard `{}`", dealt.shard)),
        }
    }
    notes
}

/// Adds to the plan of this node what it does not have yet, and returns the shards.
fn take_growth(turn: &mut DecisionBuilder, grown: &[Growth]) -> Vec<ShardId> {
    let mut new = Vec::new();
    for growth in grown {
        let is_new = |spec: &&ShardSpec| turn.position(&spec.id).is_none();
        let shards: Vec<ShardSpec> = growth.shards.iter().filter(is_new).cloned().collect();
        if !shards.is_empty() {
            new.extend(shards.iter().map(|spec| spec.id.clone()));
            turn.record(Event::ValuesAdded(Box::new(Growth { shards, ..growth.clone() })));
            // The new shards are there once the fact is recorded.
            turn.wake_at(turn.now);
        }
    }
    new
}

/// Splits packs as other nodes have split them, and returns the parts that are new here.
fn take_splits(turn: &mut DecisionBuilder, splits: &[PackSplit]) -> Vec<ShardId> {
    let is_new = |split: &&PackSplit| turn.position(&split.other).is_none();
    let new: Vec<PackSplit> = splits.iter().filter(is_new).cloned().collect();
    for split in &new {
        turn.record(Event::PackSplit(PackSplit { cause: SplitCause::Elsewhere, ..split.clone() }));
        // How many values each part has is known once the facts are recorded.
        turn.wake_at(turn.now);
    }
    new.into_iter().map(|split| split.other).collect()
}

/// Gives back what waits, and lets the rest end.
fn stop_node(turn: &mut DecisionBuilder, now: bool, by: &Actor) {
    return_waiting(turn);
    turn.record(Event::StopRequested { now, by: Some(by.clone()), job: None });
    if now {
        stop_all(turn, Some(by));
    }
}
