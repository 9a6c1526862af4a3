//! At a node: carrying out orders, each once.

use super::returning::{return_shards, return_waiting};
use crate::model::command::ControlReply;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::order::{DealtShard, Order, OrderTask};
use crate::model::state::fact::{Actor, Event};
use crate::model::state::run_state::RunStage;
use crate::scheduler::commands::asked;
use crate::scheduler::stops::stop_all;
use crate::scheduler::turn::DecisionBuilder;

/// Carries out an order that was not carried out yet.
pub fn carry_out_order(turn: &mut DecisionBuilder, order: &Order) {
    if order.number <= turn.orders_done() {
        return;
    }
    let notes = match &order.task {
        OrderTask::Deal { shards } => receive_shards(turn, shards),
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

fn receive_shards(turn: &mut DecisionBuilder, shards: &[DealtShard]) -> Vec<String> {
    match turn.stage() {
        RunStage::Active => {}
        RunStage::Draining | RunStage::Stopping | RunStage::Ended { .. } => {
            turn.record(Event::RunContinued { by: None });
        }
    }
    let mut notes = Vec::new();
    for dealt in shards {
        match turn.position(&dealt.shard) {
            // It has been here since an order that was cut off.
            Some(position) if !turn.shard(position).phase.kind().is_final() => {}
            Some(_) => turn.record(Event::Node(Box::new(NodeEvent::ShardReceived(dealt.clone())))),
            None => notes.push(format!("this node knows no shard `{}`", dealt.shard)),
        }
    }
    notes
}

/// Gives back what waits, and lets the rest end.
fn stop_node(turn: &mut DecisionBuilder, now: bool, by: &Actor) {
    return_waiting(turn);
    turn.record(Event::StopRequested { now, by: Some(by.clone()), job: None });
    if now {
        stop_all(turn, Some(by));
    }
}
