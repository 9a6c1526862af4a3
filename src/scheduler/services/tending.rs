//! What becomes due of services with time: those that are not ready in time, those that no shard needs any more, and
//! ends of shards that wait to be blamed.

use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::state::fact::Event;
use crate::model::state::phase::{Phase, PhaseKind, StopCause};
use crate::model::state::run_state::RunStage;
use crate::model::state::service_state::{FIRST_SERVICE, ServicePhase, ServiceState};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::services::ends;
use crate::scheduler::services::roster::Roster;
use crate::scheduler::stops::stop_attempt;
use crate::scheduler::volatile_state::VolatileState;

/// Looks at every service. To be asked before anything is started.
pub fn tend_services(builder: &mut DecisionBuilder, volatile: &mut VolatileState) {
    if builder.services().is_empty() {
        return;
    }
    volatile.dead_services.retain(|key| builder.present_shard(key).is_some());
    ends::settle_doubtful_ends(builder, volatile);
    for at in 0..builder.services().len() {
        stop_late(builder, at);
    }
    stop_unneeded(builder);
}

/// Stops an instance that does not become ready in time: it has failed.
fn stop_late(builder: &mut DecisionBuilder, at: usize) {
    let service = &builder.services()[at];
    let (ServicePhase::Starting { live: Some(live) }, Some(rule)) =
        (service.phase(), builder.policy.service_rule(&service.instance.service))
    else {
        return;
    };
    let begun = live.started.checked_add(live.paused);
    let Some(due) = begun.ok().and_then(|begun| begun.checked_add(rule.ready_timeout).ok()) else { return };
    if due <= builder.now {
        stop_attempt(builder, FIRST_SERVICE + at, StopCause::NotReady, None);
    } else {
        builder.wake_at(due);
    }
}

fn stop_unneeded(builder: &mut DecisionBuilder) {
    let roster = Roster::for_decision(builder);
    let idle: Vec<usize> = builder
        .services()
        .iter()
        .enumerate()
        .filter(|(at, service)| roster.served_count(*at) == 0 && can_stop(service))
        .map(|(at, _)| at)
        .collect();
    let chosen = builder.chosen_gpus();
    for at in idle {
        if !is_awaited(builder, &builder.services()[at], &chosen) {
            stop_attempt(builder, FIRST_SERVICE + at, StopCause::Unneeded, None);
        }
    }
}

fn can_stop(service: &ServiceState) -> bool {
    match service.phase() {
        ServicePhase::Starting { .. } | ServicePhase::Ready { .. } | ServicePhase::Paused => true,
        ServicePhase::Waiting { .. }
        | ServicePhase::Stopping
        | ServicePhase::Ended
        | ServicePhase::Failed => false,
    }
}

/// A shard that may still start uses the instance.
fn is_awaited(builder: &DecisionBuilder, service: &ServiceState, chosen: &[GpuIndex]) -> bool {
    if builder.stage() != RunStage::Active || builder.tally().count(PhaseKind::Queued) == 0 {
        return false;
    }
    if service.instance.gpu.is_some_and(|gpu| !chosen.contains(&gpu)) {
        return false;
    }
    let Some(rule) = builder.policy.service_rule(&service.instance.service) else { return false };
    let uses = |position: usize| {
        let shard = builder.shard(position);
        matches!(shard.phase, Phase::Queued { .. })
            && builder.run_holds().hold_of(&shard.id).is_none()
            && rule.matches_instance(&service.instance, &rule.instance_values(position, &shard.edit))
            && !builder
                .policy
                .services
                .iter()
                .any(|rule| rule.is_barred(builder.services(), chosen, position, &shard.edit))
    };
    builder.positions().any(uses)
}

/// Shards may use the instance from now on.
pub fn handle_ready(builder: &mut DecisionBuilder, key: &AttemptKey, port: Option<u16>) {
    // Also one that was paused while it started: it goes on as a ready one.
    let is_starting = |service: &&ServiceState| {
        let phase = service.phase();
        let may_become = matches!(phase, ServicePhase::Starting { .. } | ServicePhase::Paused);
        service.life.is_at(key.attempt) && may_become
    };
    if builder.service(&key.shard).filter(is_starting).is_some() {
        builder.record(Event::ServiceReady { shard: key.shard.clone(), attempt: key.attempt, port });
    }
}
