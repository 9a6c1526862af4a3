//! Which shards of a sweep an earlier run has done already.

use crate::model::ids::ShardId;
use crate::model::phase::PhaseKind;
use crate::model::plan::{Plan, ShardSpec};
use crate::model::run_state::RunState;

/// The shards of `plan` that succeeded in the earlier run under the same name and with the same command, in the
/// order of `plan`. One whose command has changed since is not done.
pub fn done_before(plan: &Plan, earlier: &Plan, state: &RunState) -> Vec<ShardId> {
    let succeeded =
        |id: &ShardId| state.shard(id).is_some_and(|shard| shard.phase.kind() == PhaseKind::Succeeded);
    plan.shards
        .iter()
        .filter(|shard| {
            earlier.shards.iter().any(|before| is_same_work(shard, before)) && succeeded(&shard.id)
        })
        .map(|shard| shard.id.clone())
        .collect()
}

fn is_same_work(one: &ShardSpec, other: &ShardSpec) -> bool {
    one.id == other.id && one.command == other.command && one.cwd == other.cwd
}
