//! The budget of a run before its start: the machine is read as a supervisor reads it, and nothing is promised.

use std::collections::HashSet;

use super::gpu_choice;
use super::machine::{self, MachineSurvey};
use super::reservations::Reservations;
use crate::model::claims::budget::Budget;
use crate::model::ids::RunId;
use crate::model::machine::gpu_permit::GpuPermit;
use crate::model::machine::sample::GpuInventory;
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::rundir::clock;
use crate::scheduler::budget;
use crate::scheduler::input::SchedulerInput;
use crate::scheduler::machine::{MachineState, OtherClaim};
use crate::telemetry::gpu_source::GpuReadings;
use crate::telemetry::host::HostMonitor;
use crate::telemetry::shards::OnGpus;
use crate::telemetry::topology;

/// Returns what the run would claim with that parallel limit; `None` where nothing that it claims depends on the
/// machine.
pub fn foresee_budget(
    plan: &Plan,
    permit: &GpuPermit,
    (inventory, readings): (&GpuInventory, &GpuReadings),
    parallel: u32,
) -> Option<Budget> {
    let mut policy = gpu_choice::build_policy(plan, permit);
    policy.schedule.neighbours.announce = false;
    if !policy.weighs_machine() {
        return None;
    }
    if policy.pin {
        policy = policy.pinned_to(topology::read_topology(inventory.cards()));
    }
    let now = clock::now();
    let on_gpus = OnGpus { others: readings.processes.clone(), ..OnGpus::default() };
    let look = machine::combine_readings(readings, &HostMonitor::new().read_sample(now), &[], &on_gpus);
    let run = RunId("budget".to_owned());
    let (machine, others) = match Reservations::open(&run, Vec::new(), &policy, inventory) {
        Ok(reservations) => with_others(reservations, look),
        // Without the folder of promises nothing is known of other runs.
        Err(_) => (look.with_strangers(&HashSet::new()), Vec::new()),
    };
    let shards = plan.shards.iter().map(|shard| shard.id.clone()).collect();
    let event = Event::RunCreated { version: JOURNAL_VERSION, run, shards, parallel };
    let state = RunState::fold_facts(&[Fact::new(now, event)]).ok()?;
    budget::forecast_budget((plan, &policy), state, (&machine, &others), now).ok()
}

fn with_others(mut reservations: Reservations, look: MachineSurvey) -> (MachineState, Vec<OtherClaim>) {
    let alone = look.with_strangers(&HashSet::new());
    reservations.set_look(look);
    let (_lock, inputs) = reservations.collect_inputs(true);
    let mut found = (alone, Vec::new());
    for input in inputs {
        match input {
            SchedulerInput::Others(others) => found.1 = others,
            SchedulerInput::Machine(machine) => found.0 = *machine,
            SchedulerInput::Wake
            | SchedulerInput::Command { .. }
            | SchedulerInput::Started { .. }
            | SchedulerInput::Ended { .. }
            | SchedulerInput::PutBack { .. }
            | SchedulerInput::Activity { .. }
            | SchedulerInput::Load { .. }
            | SchedulerInput::Asking { .. }
            | SchedulerInput::WallClock(_)
            | SchedulerInput::Allocation(_)
            | SchedulerInput::Order(_)
            | SchedulerInput::Node { .. }
            | SchedulerInput::EndedAway { .. }
            | SchedulerInput::Add { .. }
            | SchedulerInput::Came(_)
            | SchedulerInput::WatchOver { .. }
            | SchedulerInput::ServiceReady { .. }
            | SchedulerInput::ServiceDied { .. }
            | SchedulerInput::Adopted { .. }
            | SchedulerInput::Continue { .. } => {}
        }
    }
    found
}
