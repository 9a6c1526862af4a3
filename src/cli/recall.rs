//! What earlier runs of a sweep taught, taken from the user's state folder into a plan.

use super::{control, output};
use crate::model::learned::Learned;
use crate::model::plan::Plan;
use crate::model::sample::GpuInventory;
use crate::rundir::experience;
use crate::scheduler::experience::{Works, teach};

/// Notes it with the shards; a file that cannot be read is told, and nothing is known then.
pub fn recall(plan: &mut Plan, inventory: &GpuInventory) {
    match experience::read(&plan.name) {
        Ok(known) => {
            let works = Works::of(plan, inventory, &control::host());
            teach(plan, &works, &known);
        }
        Err(error) => output::say(&format!("what earlier runs taught is not used: {error}")),
    }
}

/// Where durations and footprints come from, one line for each run: `learned from RUN: 8 durations, VRAM of 8 shards`.
pub fn sources(plan: &Plan) -> Vec<String> {
    let mut runs: Vec<(&str, usize, usize)> = Vec::new();
    let mut count = |run, times, footprints| match runs.iter_mut().find(|(known, ..)| *known == run) {
        Some((_, all_times, all_footprints)) => {
            *all_times += times;
            *all_footprints += footprints;
        }
        None => runs.push((run, times, footprints)),
    };
    let uses_vram = plan.resources.measures_vram();
    for Learned { time, vram } in plan.shards.iter().map(|shard| &shard.learned) {
        time.iter().for_each(|time| count(time.run.0.as_str(), 1, 0));
        vram.iter().filter(|_| uses_vram).for_each(|vram| count(vram.run.0.as_str(), 0, 1));
    }
    let line = |(run, times, footprints): (&str, usize, usize)| {
        let durations = if times == 1 { "duration" } else { "durations" };
        let times = (times > 0).then(|| format!("{times} {durations}"));
        let footprints = (footprints > 0).then(|| format!("the VRAM of {footprints}"));
        let what: Vec<String> = times.into_iter().chain(footprints).collect();
        format!("learned from {run}: {}", what.join(", "))
    };
    runs.into_iter().map(line).collect()
}
