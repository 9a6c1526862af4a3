//! What earlier runs of a sweep taught, taken from the user's state folder into a plan.

use crate::cli::output;
use crate::config::needs;
use crate::model::history::{ComboHistory, ShardHistory};
use crate::model::ids::RunId;
use crate::model::machine::sample::GpuInventory;
use crate::model::sweep::plan::{PackSizing, Plan};
use crate::model::sweep::split;
use crate::rundir::machine_wide::history;
use crate::rundir::residence;
use crate::scheduler::history::{Works, apply_history, split_too_large};

/// Notes it with the shards; a file that cannot be read is reported, and nothing is known then.
pub fn recall_history(plan: &mut Plan, inventory: &GpuInventory) {
    if let Some((works, known)) = read_history(plan, inventory) {
        apply_history(&mut plan.shards, &works, &known);
    }
}

/// Notes it with the shards of a run that is about to be created, and splits packs that did not fit before.
pub fn recall_for_run(plan: &mut Plan, inventory: &GpuInventory) {
    split_by_history(plan, inventory);
    if !plan.nodes.is_empty() {
        let first = split::free_number(&plan.shards);
        split::reserve_numbers(&mut plan.shards, first);
    }
}

fn split_by_history(plan: &mut Plan, inventory: &GpuInventory) {
    let Some((works, known)) = read_history(plan, inventory) else { return };
    apply_history(&mut plan.shards, &works, &known);
    let shards = plan.shards.len();
    split_too_large(plan);
    if plan.shards.len() > shards {
        output::print_message(&format!(
            "{shards} packs become {}: larger ones ran out of memory before",
            plan.shards.len()
        ));
        needs::renew_packs(plan);
        apply_history(&mut plan.shards, &works, &known);
    }
}

fn read_history(plan: &Plan, inventory: &GpuInventory) -> Option<(Works, Vec<ComboHistory>)> {
    match history::read_history(&plan.name) {
        Ok(known) => Some((Works::from_plan(plan, inventory, &residence::host_name()), known)),
        Err(error) => {
            output::print_message(&format!("what earlier runs taught is not used: {error}"));
            None
        }
    }
}

/// Numbers of values learned from one run.
#[derive(Default)]
struct HistoryCounts {
    times: usize,
    footprints: usize,
    failures: usize,
    /// The smallest size of packs that ran out of memory.
    too_large: Option<usize>,
    /// The largest size that fits in all combos where that is known, of packs whose size is found by trying.
    fits: Option<usize>,
}

/// Formats the sources of durations and footprints, a line each run: `learned from RUN: 8 durations, the VRAM of 8`.
pub fn format_sources(plan: &Plan) -> Vec<String> {
    let mut runs: Vec<(&RunId, HistoryCounts)> = Vec::new();
    let uses_vram = plan.measures_vram();
    for shard in &plan.shards {
        let ShardHistory { time, vram, failure, pack } = &shard.learned;
        time.iter().for_each(|time| of_run(&mut runs, &time.run).times += 1);
        vram.iter().filter(|_| uses_vram).for_each(|vram| of_run(&mut runs, &vram.run).footprints += 1);
        failure.iter().for_each(|failure| of_run(&mut runs, &failure.run).failures += 1);
        if let Some((pack, size)) = pack.as_ref().and_then(|pack| Some((pack, pack.sizes.too_large?))) {
            let known = &mut of_run(&mut runs, &pack.run).too_large;
            *known = Some(known.map_or(size, |known| known.min(size)));
        }
        let is_auto = shard.pack.as_ref().is_some_and(|pack| pack.sizing == PackSizing::Auto);
        if let Some((pack, size)) = pack.as_ref().and_then(|pack| Some((pack, pack.sizes.fits?)))
            && is_auto
        {
            let known = &mut of_run(&mut runs, &pack.run).fits;
            *known = Some(known.map_or(size, |known| known.min(size)));
        }
    }
    runs.retain(|(_, counts)| !counts.to_text().is_empty());
    runs.into_iter().map(|(run, counts)| format!("learned from {run}: {}", counts.to_text())).collect()
}

fn of_run<'a, 'p>(runs: &'a mut Vec<(&'p RunId, HistoryCounts)>, run: &'p RunId) -> &'a mut HistoryCounts {
    let position = runs.iter().position(|(known, _)| *known == run).unwrap_or_else(|| {
        runs.push((run, HistoryCounts::default()));
        runs.len() - 1
    });
    &mut runs[position].1
}

fn format_values(size: usize) -> String {
    if size == 1 { "1 value".to_owned() } else { format!("{size} values") }
}

impl HistoryCounts {
    fn to_text(&self) -> String {
        let count = |number: usize, word: &str| {
            (number > 0).then(|| format!("{number} {word}{}", if number == 1 { "" } else { "s" }))
        };
        let footprints = (self.footprints > 0).then(|| format!("the VRAM of {}", self.footprints));
        let packs = self.too_large.map(|size| format!("packs of {} do not fit", format_values(size)));
        let fits = self.fits.map(|size| format!("packs of {} fit", format_values(size)));
        let words = [count(self.times, "duration"), footprints, count(self.failures, "failure"), packs, fits];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
