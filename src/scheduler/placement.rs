//! Which GPUs the next attempt gets.

use crate::model::ids::GpuIndex;
use crate::scheduler::turn::Turn;

/// The GPUs with the fewest attempts on them, the lowest numbers first among equals. The only place that knows
/// how shards share GPUs: the one to change when memory is to be weighed as well.
pub fn placement(turn: &Turn) -> Vec<GpuIndex> {
    let mut load: Vec<(usize, GpuIndex)> =
        turn.policy.gpus.iter().map(|gpu| (tenants(turn, *gpu), *gpu)).collect();
    load.sort_unstable();
    let mut chosen: Vec<GpuIndex> =
        load.into_iter().take(turn.policy.gpus_per_shard).map(|(_, gpu)| gpu).collect();
    chosen.sort_unstable();
    chosen
}

fn tenants(turn: &Turn, gpu: GpuIndex) -> usize {
    turn.shards().filter(|shard| shard.phase.kind().is_active() && shard.phase.gpus().contains(&gpu)).count()
}
