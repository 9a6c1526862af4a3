//! How many shards run side by side where the sweep leaves that to the machine.

use super::recall;
use super::sweep::Sweep;
use crate::autotune::auto::{self, SideBySide};
use crate::autotune::machine::MachineResources;
use crate::cli::error::CliError;
use crate::cli::gpu_survey::GpuSurvey;
use crate::model::sweep::plan::{Parallel, Plan};
use crate::model::sweep::tuning::Tuning;
use crate::rundir::machine_wide::tunings;
use crate::rundir::residence;

/// Values that the machine decided for a sweep, without those that the sweep itself sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedParallel {
    /// Why `parallel` is what it is.
    pub parallel: Option<String>,
    /// Explanation of the number that `shards` of the episodes came to.
    pub shards: Option<String>,
}

/// Replaces `auto` in the sweep by numbers. The machine is looked at only where it is asked.
pub fn resolve_parallel(sweep: &mut Sweep) -> Result<ResolvedParallel, CliError> {
    let (count, parallel) = auto::resolve_parallel(&sweep.plan, || choose_parallel(&sweep.plan));
    let shards = sweep.slice_for(count)?;
    sweep.plan.schedule.parallel = Parallel::Fixed(count);
    Ok(ResolvedParallel { parallel, shards })
}

fn choose_parallel(plan: &Plan) -> SideBySide {
    let gpus = GpuSurvey::for_plan(plan);
    let machine = MachineResources::with_gpus(&gpus.chosen_gpus(plan), &gpus.readings);
    let tuning = find_tuning(plan, &machine);
    let mut plan = plan.clone();
    recall::recall_history(&mut plan, &gpus.permitted_gpus());
    auto::side_by_side(&plan, &machine, tuning.as_ref())
}

/// Returns what was measured of this very command on this very machine.
fn find_tuning(plan: &Plan, machine: &MachineResources) -> Option<Tuning> {
    let tuning = tunings::load_tuning(&plan.name, &plan.sweep_dir)?;
    tuning.is_of(&plan.template, &residence::host_name(), &machine.gpu_names()).then_some(tuning)
}
