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
        let because = format!("alone, {}", told.collect::<Vec<_>>().join(", "));
        let value = SettingValue::Only(self.trials[best].0.to_string());
        Some(Setting::new(&["matrix", &self.axis], value, because))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::autotune::measured::End;
    use crate::config::plan::{Origin, read};

    fn plan(source: &str) -> Plan {
        let origin = Origin { file: "/sweeps/eval.toml".into(), home: None, cores: 2 };
        read(source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn trial(done_per_s: f64) -> Measured {
        Measured {
            count: 1,
            shards: Vec::new(),
            done_per_s: Some(done_per_s),
            steps_per_s: None,
            is_steady: true,
            startup_s: None,
            vram: None,
            rss: None,
            cpu_percent: None,
            gpu_percent: None,
            host_cpu_percent: None,
            end: End::Settled,
        }
    }

    fn batches(speeds: &[f64]) -> Batches {
        let trials = speeds.iter().zip(0..).map(|(speed, power)| (Value::Integer(1 << power), trial(*speed)));
        Batches { axis: "batch_size".to_owned(), trials: trials.collect() }
    }

    #[test]
    fn an_axis_of_batch_sizes_is_found_by_its_name_and_tried_upwards_for_one_combo() {
        let source = "[matrix]\ntask = ['a', 'b']\nbatch_size = [16, 1, 4]\n[shard]\ncommand = 'x {{ task }} {{ batch_size }}'";
        let sweep = plan(source);
        let axis = Axis::of(&sweep, 4).unwrap();
        let ids: Vec<&str> =
            axis.values.iter().map(|(_, position)| sweep.shards[*position].id.as_str()).collect();
        assert_eq!((axis.name.as_str(), ids), ("batch_size", vec!["b_1", "b_4", "b_16"]));
        assert_eq!(Axis::of(&plan(&source.replace("batch_size", "size")), 0), None);
        assert_eq!(Axis::of(&plan(&source.replace("[16, 1, 4]", "[4]")), 0), None);
        assert_eq!(Axis::of(&plan(&source.replace("[16, 1, 4]", "['few', 'many']")), 0), None);
    }

    #[test]
    fn larger_ones_are_tried_as_long_as_they_are_faster_and_the_smallest_of_the_fastest_is_advised() {
        assert!(batches(&[]).goes_on() && batches(&[1.0]).goes_on() && batches(&[1.0, 2.0]).goes_on());
        let flat = batches(&[1.0, 2.0, 2.05]);
        assert!(!flat.goes_on());
        assert_eq!(flat.best(), Some(1));
        let setting = flat.setting().unwrap();
        assert_eq!(
            (setting.path.join("."), setting.value.toml()),
            ("matrix.batch_size".to_owned(), "[2]".to_owned())
        );
        assert_eq!(setting.because, "alone, 1: 1.00 done/s, 2: 2.00 done/s, 4: 2.05 done/s");
        let mut failed = batches(&[1.0, 9.0]);
        failed.trials[1].1.end = End::TimeUp;
        assert_eq!(failed.best(), Some(1));
        failed.trials[1].1.end = End::NotStarted { waiting: "memory".to_owned() };
        assert_eq!((failed.goes_on(), failed.best()), (false, Some(0)));
    }
}
