//! The plan of a run as it is now: splits, additions and edits are in the journal and no part of `plan.json`.

use std::borrow::Cow;

use super::run_state::RunState;
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::sweep::expansion::AxisWatch;
use crate::model::sweep::growth::PlanChange;
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::model::value::Variables;

impl Plan {
    /// Brings the plan up to the given state; changes that it has seen already are skipped.
    pub fn catch_up(&mut self, state: &RunState) {
        // Nearly every change brings a shard, so that in the usual case their number shows whether there is one.
        if self.shards.len() < state.shards.len() || state.changes.iter().any(PlanChange::is_bare) {
            self.follow_changes(&state.changes);
        }
        for (spec, shard) in self.shards.iter_mut().zip(&state.shards) {
            if spec.edit != shard.edit && spec.id == shard.id {
                spec.edit.clone_from(&shard.edit);
            }
        }
    }
}

impl Plan {
    /// The axes that take up new files by now; none of a run that is over.
    pub fn open_watches<'p>(&'p self, state: &RunState) -> impl Iterator<Item = &'p AxisWatch> {
        let is_over = state.stage.is_over();
        let watches = self.expansion.iter().flat_map(|expansion| &expansion.watches);
        watches.filter(move |watch| !is_over && !state.unwatched.contains(&watch.axis))
    }
}

impl ShardSpec {
    /// Returns how the next attempt of the shard departs from what the sweep sets for all: by its own values,
    /// or as edited.
    pub fn needs_in_force(&self) -> &OwnNeeds {
        self.edit.needs.as_deref().unwrap_or(&self.needs)
    }

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
