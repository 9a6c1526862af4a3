//! Batch sizes, where an axis of the sweep is one: each value is tried alone, and the smallest of the fastest advised.

use serde::Serialize;

use super::measured::Measured;
use super::scaling::figure;
use super::setting::{Setting, SettingValue};
use crate::model::plan::{Plan, Slice};
use crate::model::value::Value;

/// Axes by these names say how many episodes or environments a shard runs at once.
const NAMES: &[&str] = &["batch_size", "batch", "eval_batch_size", "num_envs", "n_envs", "envs"];

/// A larger batch must be faster by this much to be worth its memory.
const WORTH: f64 = 0.05;

/// The axis, and the shards that differ in nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its values, the smallest first, each with the position of a shard that has it.
    pub values: Vec<(Value, usize)>,
}

/// What became of the values that were tried, the smallest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Batches {
    /// The axis.
    pub axis: String,
    /// Each value with its trial.
    pub trials: Vec<(Value, Measured)>,
}

impl Axis {
    /// The axis of batch sizes with at least two values for the shard at that position.
    pub fn of(plan: &Plan, shard: usize) -> Option<Self> {
        let name = plan.axes.iter().find(|axis| NAMES.contains(&axis.to_lowercase().as_str()))?;
        let base = plan.shards.get(shard)?;
        let is_kin = |position: &usize| {
            let other = &plan.shards[*position];
            let index = |slice: Option<&Slice>| slice.map(|slice| slice.index);
            index(other.slice.as_ref()) == index(base.slice.as_ref())
                && other.vars.iter().zip(base.vars.iter()).all(|(a, b)| a.0 == name || a == b)
        };
        let kin = (0..plan.shards.len()).filter(is_kin);
        let mut values: Vec<(Value, usize)> = kin
            .filter_map(|position| Some((plan.shards[position].vars.get(name)?.clone(), position)))
            .collect();
        if !values.iter().all(|(value, _)| number(value).is_some()) {
            return None;
        }
        values.sort_by(|a, b| number(&a.0).unwrap_or(0.0).total_cmp(&number(&b.0).unwrap_or(0.0)));
        values.dedup_by(|a, b| a.0 == b.0);
        (values.len() > 1).then(|| Self { name: name.clone(), values })
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Boolean(_) | Value::String(_) => None,
    }
}

impl Batches {
    /// A larger one is worth a trial: the last one worked, and was not slower than the one before.
    pub fn goes_on(&self) -> bool {
        let Some((_, last)) = self.trials.last() else { return true };
        let is_slower = match &self.trials[..] {
            [.., (_, before), _] => before
                .throughput()
                .zip(last.throughput())
                .is_some_and(|(before, now)| now < before * (1.0 + WORTH)),
            [_] | [] => false,
        };
        last.end.is_sound() && last.throughput().is_some() && !is_slower
    }

    /// The position among the trials of the smallest that is about as fast as the fastest.
    pub fn best(&self) -> Option<usize> {
        let speed = |trial: &Measured| trial.throughput().filter(|_| trial.end.is_sound());
        let fastest = self.trials.iter().filter_map(|(_, trial)| speed(trial)).reduce(f64::max)?;
        self.trials
            .iter()
            .position(|(_, trial)| speed(trial).is_some_and(|speed| speed * (1.0 + WORTH) >= fastest))
    }

    /// The one value of the axis that is advised.
    pub fn setting(&self) -> Option<Setting> {
        let best = self.best()?;
        let told = self.trials.iter().filter_map(|(value, trial)| {
            Some(format!("{value}: {} {}/s", figure(trial.throughput()?), trial.unit()))
        });
        let because = format!("alone on its GPU, {}", told.collect::<Vec<_>>().join(", "));
        let value = SettingValue::Only(self.trials[best].0.to_string());
        Some(Setting::new(&["matrix", &self.axis], value, because))
    }
}
