//! Which GPUs a run gives to its shards: what its start permits, and what is chosen within that.

use tokio::sync::oneshot;

use crate::model::command::{Command, ControlReply, RefusalKind};
use crate::model::machine::gpu_permit::GpuPermit;
use crate::model::machine::sample::GpuCard;
use crate::model::sweep::plan::Plan;
use crate::scheduler::policy::SchedulingPolicy;

/// The rules of a plan on the GPUs that are permitted.
pub(in crate::supervisor) fn build_policy(plan: &Plan, permit: &GpuPermit) -> SchedulingPolicy {
    let gpus = permit.cards.iter().map(|card| (card.index, card.own_name())).collect();
    let policy = SchedulingPolicy::on_gpus(plan, gpus);
    let devices = &plan.resources.devices;
    // A choice that cannot be any more chooses nothing: its shards wait, and `set --gpus` names others.
    match permit.choose_cards(devices) {
        Ok(chosen) if !devices.is_empty() => SchedulingPolicy { devices: card_names(chosen), ..policy },
        Ok(_) | Err(_) => policy,
    }
}

/// A command that chooses GPUs with the names by which the run remembers them; one that cannot be is answered here.
pub(in crate::supervisor) fn name_gpus(
    permit: &GpuPermit,
    command: Command,
    reply: oneshot::Sender<ControlReply>,
) -> Option<(Command, oneshot::Sender<ControlReply>)> {
    let Command::SetGpus { devices } = &command else { return Some((command, reply)) };
    if devices.is_empty() {
        return Some((command, reply));
    }
    match permit.choose_cards(devices) {
        Ok(chosen) => Some((Command::SetGpus { devices: card_names(chosen) }, reply)),
        Err(message) => {
            // A client that did not wait for the answer does not miss it.
            let _ = reply.send(ControlReply::Refused { kind: RefusalKind::Unusable, message });
            None
        }
    }
}

fn card_names(cards: Vec<&GpuCard>) -> Vec<String> {
    cards.into_iter().map(GpuCard::own_name).collect()
}
