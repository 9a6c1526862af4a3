//! What the sweep does about failures, step by step: `on_oom`, `on_stall` and `on_fail`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::edit::{Edit, EnvironmentEdit, VariableEdit};
use crate::model::outcome::{FailureReason, Outcome, Verdict};
use crate::model::value::{Value, Variables};

/// A step of a ladder: the action on a failure that it fits, up to so many times for each shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LadderStep {
    /// The key of the sweep that it is a step of.
    pub on: Trigger,
    /// The action that is taken.
    #[serde(rename = "do")]
    pub action: LadderAction,
    /// Only failures with these reasons; any that the key is about where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<FailureReason>,
    /// Only failures whose log shows this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Highest number of times that it is taken for one shard.
    pub times: u32,
}

/// The key of the sweep that a step belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trigger {
    /// Running out of GPU or main memory.
    #[serde(rename = "on_oom")]
    Oom,
    /// Silence for longer than `stall_after`.
    #[serde(rename = "on_stall")]
    Stall,
    /// Any failure, also one that the other keys leave over.
    #[serde(rename = "on_fail")]
    Fail,
}

/// The action that a step takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LadderAction {
    /// All that is known about a lack of memory: a pack is split, then more room, then alone.
    BackOff,
    /// A pack is cut into halves, down to single values.
    Split,
    /// A larger claim of GPU memory.
    MoreRoom,
    /// GPUs of its own; without GPUs fewer side by side.
    Alone,
    /// Tried again as it is.
    Retry,
    /// Tried again with other values.
    Edit(StepEdit),
    /// No further step of this key.
    Fail,
}

/// Other values for variables of the matrix and of the environment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepEdit {
    /// Variables of the matrix.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, ValueChange>,
    /// Environment variables, as templates.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

/// How a value changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueChange {
    /// Half of the value in force, rounded down; a 1 has none.
    Half,
    /// Twice the value in force.
    Double,
    /// The value that is given here.
    To(Value),
}

/// A step that was taken, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTaken {
    /// The key of the sweep that it is a step of.
    pub on: Trigger,
    /// Its place among all steps of the sweep, from 0.
    pub place: usize,
    /// Change that it made, in words for people.
    pub words: String,
}

impl Trigger {
    /// The key of `[schedule]`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Oom => "on_oom",
            Self::Stall => "on_stall",
            Self::Fail => "on_fail",
        }
    }

    fn is_about(self, reason: FailureReason) -> bool {
        match self {
            Self::Oom => matches!(reason, FailureReason::GpuOom | FailureReason::HostOom),
            Self::Stall => reason == FailureReason::Stalled,
            // A kill is a wish, and a loss is not the shard's fault.
            Self::Fail => !matches!(reason, FailureReason::Killed | FailureReason::Lost),
        }
    }
}

impl LadderStep {
    /// A step without conditions.
    pub fn new(on: Trigger, action: LadderAction) -> Self {
        Self { on, action, reasons: Vec::new(), pattern: None, times: 1 }
    }

    /// The step is for an end like this.
    pub fn matches_outcome(&self, outcome: &Outcome) -> bool {
        let Verdict::Failed(failure) = &outcome.verdict else { return false };
        let has_reason = self.reasons.is_empty() || self.reasons.contains(&failure.reason);
        let is_seen = |pattern| outcome.patterns.contains(pattern);
        self.on.is_about(failure.reason) && has_reason && self.pattern.as_ref().is_none_or(is_seen)
    }
}

impl StepEdit {
    /// The edit of a shard after this one, and what it changes in words; `None` where nothing would change.
    pub fn next_edit(
        &self,
        vars: &Variables,
        env: &BTreeMap<String, String>,
        current: &Edit,
    ) -> Option<(Edit, String)> {
        let mut edit = Edit { needs: None, ..current.clone() };
        let mut words = Vec::new();
        for (name, change) in &self.set {
            let matrix = vars.get(name)?;
            let known = edit.variables.iter().find(|edit| edit.name == *name);
            let old = known.map_or(matrix, |edit| &edit.new).clone();
            let Some(new) = change.apply_to(&old).filter(|new| *new != old) else { continue };
            words.push(format!("{name}: {old} → {new}"));
            edit.variables.retain(|edit| edit.name != *name);
            if new != *matrix {
                edit.variables.push(VariableEdit { name: name.clone(), old: matrix.clone(), new });
            }
        }
        for (name, new) in &self.env {
            let sweep = env.get(name);
            let known = edit.environment.iter().find(|edit| edit.name == *name);
            if known.map(|edit| &edit.new).or(sweep) == Some(new) {
                continue;
            }
            words.push(format!("${name} → {new}"));
            edit.environment.retain(|edit| edit.name != *name);
            if sweep != Some(new) {
                let (name, old) = (name.clone(), sweep.cloned());
                edit.environment.push(EnvironmentEdit { name, old, new: new.clone() });
            }
        }
        (!words.is_empty()).then(|| (edit, words.join(", ")))
    }
}

impl ValueChange {
    /// The value after the change; `None` where there is none.
    fn apply_to(&self, old: &Value) -> Option<Value> {
        match (self, old) {
            (Self::To(new), _) => Some(new.clone()),
            (Self::Half, Value::Integer(old)) => Some(old / 2).filter(|new| *new != 0).map(Value::Integer),
            (Self::Double, Value::Integer(old)) => old.checked_mul(2).map(Value::Integer),
            (Self::Half, Value::Float(old)) => Some(Value::Float(old / 2.0)),
            (Self::Double, Value::Float(old)) => {
                Some(old * 2.0).filter(|new: &f64| new.is_finite()).map(Value::Float)
            }
            (Self::Half | Self::Double, Value::Boolean(_) | Value::String(_)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_value_is_taken_again_and_again_down_to_one() {
        let vars = Variables(vec![("num_envs".to_owned(), Value::Integer(5))]);
        let half =
            StepEdit { set: [("num_envs".to_owned(), ValueChange::Half)].into(), ..StepEdit::default() };
        let (first, words) = half.next_edit(&vars, &BTreeMap::new(), &Edit::default()).unwrap();
        assert_eq!(
            (words.as_str(), first.to_lines()),
            ("num_envs: 5 → 2", vec!["num_envs: 5 → 2".to_owned()])
        );
        let (second, words) = half.next_edit(&vars, &BTreeMap::new(), &first).unwrap();
        assert_eq!(
            (words.as_str(), second.to_lines()),
            ("num_envs: 2 → 1", vec!["num_envs: 5 → 1".to_owned()])
        );
        assert_eq!(half.next_edit(&vars, &BTreeMap::new(), &second), None);
    }

    #[test]
    fn a_value_that_is_in_force_already_changes_nothing() {
        let env = BTreeMap::from([("MUJOCO_GL".to_owned(), "egl".to_owned())]);
        let to = |value: &str| StepEdit {
            env: [("MUJOCO_GL".to_owned(), value.to_owned())].into(),
            ..StepEdit::default()
        };
        let none = Variables::default();
        assert_eq!(to("egl").next_edit(&none, &env, &Edit::default()), None);
        let (edit, words) = to("osmesa").next_edit(&none, &env, &Edit::default()).unwrap();
        assert_eq!(words, "$MUJOCO_GL → osmesa");
        assert_eq!(to("osmesa").next_edit(&none, &env, &edit), None);
        assert!(to("egl").next_edit(&none, &env, &edit).unwrap().0.is_empty(), "back to the sweep");
    }
}
