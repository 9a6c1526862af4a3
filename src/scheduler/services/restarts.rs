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
pub fn release_failed(builder: &mut DecisionBuilder, by: Option<&Actor>) {
    let failed: Vec<ShardId> = builder
        .services()
        .iter()
        .filter(|service| service.phase() == ServicePhase::Failed)
        .map(|service| service.id().clone())
        .collect();
    for service in failed {
        builder.record(queued_event(service, QueueCause::User, by, None));
    }
}

/// Refuses to start something again that is no service.
pub fn refuse_unknown(builder: &DecisionBuilder, name: &ShardId) -> ControlReply {
    let (kind, message) = match builder.position(name) {
        Some(_) => (RefusalKind::Unusable, format!("`{name}` is a shard: requeue it when it has ended")),
        None => (RefusalKind::UnknownShard, format!("the run has no service `{name}`; nothing was done")),
    };
    ControlReply::Refused { kind, message }
}

/// Starts services again: those that run are ended first, and their shards with them.
pub fn restart_services(builder: &mut DecisionBuilder, selection: &Selection, by: &Actor) -> ControlReply {
    let is_meant = |at: usize| {
        let service = &builder.services()[at];
        match selection {
            Selection::All => service.is_active(),
            Selection::Failed => service.phase() == ServicePhase::Failed,
            Selection::These(names) => names.contains(service.id()),
        }
    };
    let meant: Vec<usize> = (0..builder.services().len()).filter(|at| is_meant(*at)).collect();
    if let Selection::These(names) = selection
        && let Some(other) = names.iter().find(|name| builder.service(name).is_none())
    {
        return refuse_unknown(builder, other);
    }
    if meant.is_empty() {
        let message = "no service to start again".to_owned();
        return ControlReply::Refused { kind: RefusalKind::Unusable, message };
    }
    if let RunStage::Ended { .. } = builder.stage() {
        builder.record(Event::RunContinued { by: Some(by.clone()) });
    }
    for at in &meant {
        let service = &builder.services()[*at];
        if service.is_active() {
            stop_attempt(builder, FIRST_SERVICE + at, StopCause::Restarted, Some(by));
        } else {
            let id = service.id().clone();
            builder.record(queued_event(id, QueueCause::User, Some(by), None));
        }
    }
    ControlReply::Done { shards: meant.len(), notes: Vec::new() }
}
