//! The ladder of a sweep: its steps, and what they need to know of its shards.

use std::collections::BTreeMap;

use crate::model::outcome::Outcome;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::ladder::{LadderAction, LadderStep, StepEdit, Trigger};
use crate::model::sweep::plan::Plan;
use crate::model::value::Variables;

/// The steps of a sweep, and what they need to know of its shards.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ladder {
    steps: Vec<LadderStep>,
    /// Variables of each shard; empty where no step changes one.
    vars: Vec<Variables>,
    /// Environment variables of the sweep.
    env: BTreeMap<String, String>,
}

impl Ladder {
    /// The ladder of a plan.
    pub fn from_plan(plan: &Plan) -> Self {
        let steps = plan.schedule.ladder_steps();
        let edits =
            |step: &LadderStep| matches!(&step.action, LadderAction::Edit(edit) if !edit.set.is_empty());
        let vars = if steps.iter().any(edits) {
            plan.shards.iter().map(|shard| shard.vars.clone()).collect()
        } else {
            Vec::new()
        };
        Self { steps, vars, env: plan.template.env.clone() }
    }

    /// The shard at that position got a twin, the last of all shards.
    pub fn add_split(&mut self, position: usize) {
        if let Some(vars) = self.vars.get(position).cloned() {
            self.vars.push(vars);
        }
    }

    /// Packs that run out of memory are cut into halves.
    pub fn splits_packs(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, LadderAction::BackOff | LadderAction::Split))
    }

    /// The sweep has an answer of its own to an end like this: it is expected, and holds nothing up.
    pub fn has_answer(&self, outcome: &Outcome) -> bool {
        self.steps.iter().any(|step| step.action != LadderAction::Fail && step.matches_outcome(outcome))
    }

    /// The sweep itself sets what running out of memory does, or leaves it to what is known about that.
    pub fn answers_oom(&self) -> bool {
        self.steps.iter().any(|step| step.on == Trigger::Oom)
    }

    /// Applies a step to the values of the shard at that position, and describes the change; `None` if it
    /// would change none.
    pub fn apply_step(
        &self,
        position: Option<usize>,
        step: &StepEdit,
        so_far: &Edit,
    ) -> Option<(Edit, String)> {
        let none = Variables::default();
        let vars = position.and_then(|position| self.vars.get(position)).unwrap_or(&none);
        step.next_edit(vars, &self.env, so_far)
    }

    /// All steps, in their order.
    pub fn steps(&self) -> &[LadderStep] {
        &self.steps
    }
}
