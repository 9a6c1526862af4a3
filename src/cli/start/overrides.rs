//! A sweep as it is wished on the home screen: other values of axes, another limit, and combos that are left out.

use std::collections::BTreeSet;

use super::resolve_parallel::{self, ResolvedParallel};
use super::sweep::Sweep;
use crate::cli::error::CliError;
use crate::model::sweep::plan::{Parallel, Plan, ShardSpec};
use crate::tui::model::overlays::sweep_plan::SweepRequest;

/// Reads the sweep with the wished values and limit; combos that are left out are still there.
pub fn read_sweep(wish: &SweepRequest, colour: bool) -> Result<(Sweep, ResolvedParallel), CliError> {
    let mut sweep = Sweep::read_with(&wish.path, colour, &wish.axes)?;
    if let Some(parallel) = wish.parallel {
        sweep.plan.schedule.parallel = Parallel::Fixed(parallel);
    }
    let fitted = resolve_parallel::resolve_parallel(&mut sweep)?;
    Ok((sweep, fitted))
}

/// Takes out what is left out.
pub fn leave_out(plan: &mut Plan, left_out: &BTreeSet<String>) {
    if !left_out.is_empty() {
        let names: Vec<String> = plan.shards.iter().map(|shard| combo_name(plan, shard)).collect();
        let mut names = names.into_iter();
        plan.shards.retain(|_| names.next().is_none_or(|name| !left_out.contains(&name)));
    }
}

/// `policy=flat env=stairs`, or the id of a shard without axes; slices of one combo have one name, packs each their
/// own.
pub fn combo_name(plan: &Plan, shard: &ShardSpec) -> String {
    let packed = shard.pack.iter().flat_map(|pack| &pack.axes);
    let axes = plan.axes.iter().chain(packed);
    let name: Vec<String> = axes.map(|axis| format!("{axis}={}", shard.value_of(axis))).collect();
    if name.is_empty() { shard.id.to_string() } else { name.join(" ") }
}
