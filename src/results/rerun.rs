//! Which shards of a sweep an earlier run has done already.

use crate::model::ids::ShardId;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::{Plan, ShardSpec};

/// The shards of `plan` that succeeded in the earlier run under the same name and with the same command, in the order
/// of `plan`. One whose command has changed since is not done, nor is one that succeeded with other values than the
/// sweep gives it.
pub fn done_before(plan: &Plan, earlier: &Plan, state: &RunState) -> Vec<ShardId> {
    let succeeded = |id: &ShardId| {
        let shard = state.shard(id);
        shard.is_some_and(|shard| shard.phase.kind() == PhaseKind::Succeeded && shard.edit.is_empty())
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sweep::edit::Edit;
    use crate::model::sweep::edit::EnvironmentEdit;
    use crate::results::tests;

    #[test]
    fn a_success_with_edited_values_is_not_the_work_of_the_sweep() {
        let (_, plan, mut state) = tests::run();
        let good = plan.shards[0].id.clone();
        assert_eq!(done_before(&plan, &plan, &state), [good]);
        let change = EnvironmentEdit { name: "SEED".into(), old: None, new: "2".into() };
        state.shards[0].edit = Edit { environment: vec![change], ..Edit::default() };
        assert_eq!(done_before(&plan, &plan, &state), []);
    }
}
