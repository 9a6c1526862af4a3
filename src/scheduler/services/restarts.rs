//! What users ask of services: to be started again.

use jiff::Timestamp;

use crate::model::command::{ControlReply, RefusalKind, Selection};
use crate::model::ids::ShardId;
use crate::model::needs::demand::Demand;
use crate::model::state::fact::{Actor, Event};
use crate::model::state::phase::{QueueCause, StopCause};
use crate::model::state::run_state::RunStage;
use crate::model::state::service_state::{FIRST_SERVICE, ServicePhase};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::stops::stop_attempt;

/// The fact that a service waits to be started.
pub fn queued_event(
    shard: ShardId,
    cause: QueueCause,
    by: Option<&Actor>,
    not_before: Option<Timestamp>,
) -> Event {
    Event::ShardQueued {
        shard,
        cause,
        by: by.cloned(),
        not_before,
        demand: Demand::default(),
        edit: None,
        step: None,
    }
}

/// Lets services that failed for good be started again: a user who continues a run, or asks for a shard, has seen to
/// them.
pub fn release_failed(turn: &mut DecisionBuilder, by: Option<&Actor>) {
    let failed: Vec<ShardId> = turn
        .services()
        .iter()
        .filter(|service| service.phase() == ServicePhase::Failed)
        .map(|service| service.id().clone())
        .collect();
    for service in failed {
        turn.record(queued_event(service, QueueCause::User, by, None));
    }
}

/// Starts services again: those that run are ended first, and their shards with them.
pub fn restart_services(turn: &mut DecisionBuilder, selection: &Selection, by: &Actor) -> ControlReply {
    let is_meant = |at: usize| {
        let service = &turn.services()[at];
        match selection {
            Selection::All => service.is_active(),
            Selection::Failed => service.phase() == ServicePhase::Failed,
            Selection::These(names) => names.contains(service.id()),
        }
    };
    let meant: Vec<usize> = (0..turn.services().len()).filter(|at| is_meant(*at)).collect();
    if let Selection::These(names) = selection
        && let Some(other) = names.iter().find(|name| turn.service(name).is_none())
    {
        let is_shard = turn.position(other).is_some();
        let (kind, message) = if is_shard {
            (RefusalKind::Unusable, format!("`{other}` is a shard: requeue it when it has ended"))
        } else {
            (RefusalKind::UnknownShard, format!("the run has no service `{other}`; nothing was done"))
        };
        return ControlReply::Refused { kind, message };
    }
    if meant.is_empty() {
        let message = "no service to start again".to_owned();
        return ControlReply::Refused { kind: RefusalKind::Unusable, message };
    }
    if let RunStage::Ended { .. } = turn.stage() {
        turn.record(Event::RunContinued { by: Some(by.clone()) });
    }
    for at in &meant {
        let service = &turn.services()[*at];
        if service.is_active() {
            stop_attempt(turn, FIRST_SERVICE + at, StopCause::Restarted, Some(by));
        } else {
            let id = service.id().clone();
            turn.record(queued_event(id, QueueCause::User, Some(by), None));
        }
    }
    ControlReply::Done { shards: meant.len(), notes: Vec::new() }
}
