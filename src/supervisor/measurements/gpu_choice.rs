//! Which GPUs a run gives to its shards: what its start permits, and what is chosen within that.

use crate::model::command::{Command, ControlReply};
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

/// Puts the names by which the run remembers GPUs into a command that chooses them; refuses one that cannot be.
pub(in crate::supervisor) fn name_gpus(
    permit: &GpuPermit,
    command: Command,
) -> Result<Command, ControlReply> {
    match command {
        Command::SetGpus { devices } if !devices.is_empty() => {
            let chosen = permit.choose_cards(&devices).map_err(ControlReply::unusable)?;
            Ok(Command::SetGpus { devices: card_names(chosen) })
        }
        other => Ok(other),
    }
}

fn card_names(cards: Vec<&GpuCard>) -> Vec<String> {
    cards.into_iter().map(GpuCard::own_name).collect()
}
