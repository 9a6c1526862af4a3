//! How many shards run side by side where the sweep leaves that to the machine.

use super::recall;
use super::sweep::Sweep;
use crate::autotune::auto::{self, SideBySide};
use crate::autotune::machine::MachineResources;
use crate::cli::error::CliError;
use crate::cli::gpu_look::GpuLook;
use crate::model::sweep::plan::{Parallel, Plan};
use crate::model::sweep::tuning::Tuning;
use crate::rundir::machine_wide::tunings;
use crate::rundir::residence;

/// Values that the machine decided for a sweep; nothing that the sweep itself says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fitted {
    /// Why `parallel` is what it is.
    pub parallel: Option<String>,
    /// Explanation of the number that `shards` of the episodes came to.
    pub shards: Option<String>,
}

/// Puts numbers where the sweep says `auto`. The machine is looked at only where it is asked.
pub fn fit(sweep: &mut Sweep) -> Result<Fitted, CliError> {
    let (count, parallel) = auto::parallel(&sweep.plan, || choose(&sweep.plan));
    let shards = sweep.slice_for(count)?;
    sweep.plan.schedule.parallel = Parallel::Fixed(count);
    Ok(Fitted { parallel, shards })
}

fn choose(plan: &Plan) -> SideBySide {
    let gpus = GpuLook::of(plan);
    let machine = MachineResources::with_gpus(&gpus.chosen(plan), &gpus.readings);
    let tuning = tuning(plan, &machine);
    let mut plan = plan.clone();
    recall::recall(&mut plan, &gpus.permitted());
    auto::side_by_side(&plan, &machine, tuning.as_ref())
}

/// Returns what was measured of this very command on this very machine.
fn tuning(plan: &Plan, machine: &MachineResources) -> Option<Tuning> {
    let tuning = tunings::kept(&plan.name, &plan.sweep_dir)?;
    tuning.is_of(&plan.template, &residence::host(), &machine.gpu_names()).then_some(tuning)
}
