//! The plan of a run as it stands: splits and edits that the journal tells are no part of `plan.json`.

use std::borrow::Cow;

use super::plan::{Plan, ShardSpec};
use super::run_state::RunState;
use super::value::Variables;

impl Plan {
    /// The plan after all that the state tells; what it has seen already changes nothing.
    pub fn catch_up(&mut self, state: &RunState) {
        self.follow(&state.splits);
        for (spec, shard) in self.shards.iter_mut().zip(&state.shards) {
            if spec.edit != shard.edit && spec.id == shard.id {
                spec.edit.clone_from(&shard.edit);
            }
        }
    }
}

impl ShardSpec {
    /// The values that the shard's next attempt runs with: those of the matrix, and what was changed of them.
    pub fn values_in_force(&self) -> Cow<'_, Variables> {
        if self.edit.variables.is_empty() {
            return Cow::Borrowed(&self.vars);
        }
        let mut vars = self.vars.clone();
        for (name, value) in &mut vars.0 {
            if let Some(edit) = self.edit.variables.iter().find(|edit| edit.name == *name) {
                value.clone_from(&edit.new);
            }
        }
        Cow::Owned(vars)
    }
}
