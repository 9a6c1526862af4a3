//! Batch sizes, where an axis of the sweep is one: each value is tried alone, and the smallest of those advised that do
//! the most work in a second. A batch or an iteration is as much work as the axis gives.

use serde::Serialize;

use super::measured::TrialResult;
use super::scaling::format_figure;
use super::setting::{AdvisedSetting, SettingValue};
use super::work_rates::WorkRate;
use crate::model::logs::work::{UnitWorth, is_batch_axis};
use crate::model::sweep::plan::{Plan, Slice};
use crate::model::value::Value;

/// A larger batch must be faster by this much to be worth its memory.
const WORTH: f64 = 0.05;

/// The axis, and the shards that differ in nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Name of the axis in the sweep.
    pub name: String,
    /// Its values, the smallest first, each with the position of a shard that has it.
    pub values: Vec<(Value, usize)>,
}

/// Results of the values that were tried, the smallest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchTrials {
    /// Name of the axis in the sweep.
    pub axis: String,
    /// Each value with its trial.
    pub trials: Vec<(Value, TrialResult)>,
}

impl Axis {
    /// The axis of batch sizes with at least two values for the shard at that position.
    pub fn for_shard(plan: &Plan, shard: usize) -> Option<Self> {
        let name = plan.axes.iter().find(|axis| is_batch_axis(axis))?;
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
        if !values.iter().all(|(value, _)| numeric_value(value).is_some()) {
            return None;
        }
        values.sort_by(|a, b| {
            numeric_value(&a.0).unwrap_or(0.0).total_cmp(&numeric_value(&b.0).unwrap_or(0.0))
        });
        values.dedup_by(|a, b| a.0 == b.0);
        (values.len() > 1).then(|| Self { name: name.clone(), values })
    }
}

fn numeric_value(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Boolean(_) | Value::String(_) => None,
    }
}

/// Work in a second at each value that was tried; a trial that failed has none.
#[derive(Debug, Clone, PartialEq)]
struct Speeds {
    /// The unit of the work.
    unit: String,
    /// In the order of the trials.
    per_s: Vec<Option<f64>>,
}

impl BatchTrials {
    /// A larger one is worth a trial: the last one worked, and was faster than the one before.
    pub fn goes_on(&self) -> bool {
        let Some((_, last)) = self.trials.last() else { return true };
        let Some(speeds) = self.compare_speeds().filter(|_| last.end.is_sound()) else { return false };
        match speeds.per_s[..] {
            [.., Some(before), Some(now)] => now >= before * (1.0 + WORTH),
            [.., now] => now.is_some(),
            [] => false,
        }
    }

    /// The position among the trials of the smallest that is about as fast as the fastest.
    pub fn best_index(&self) -> Option<usize> {
        let speeds = self.compare_speeds()?.per_s;
        let fastest = speeds.iter().copied().flatten().reduce(f64::max)?;
        speeds.iter().position(|speed| speed.is_some_and(|speed| speed * (1.0 + WORTH) >= fastest))
    }

    /// The one value of the axis that is advised.
    pub fn advised_setting(&self) -> Option<AdvisedSetting> {
        let best = self.best_index()?;
        let speeds = self.compare_speeds()?;
        let shown = self.trials.iter().zip(&speeds.per_s).filter_map(|((value, _), speed)| {
            Some(format!("{value}: {} {}/s", format_figure((*speed)?), speeds.unit))
        });
        let because = format!("alone, {}", shown.collect::<Vec<_>>().join(", "));
        let value = SettingValue::Only(self.trials[best].0.to_string());
        Some(AdvisedSetting::new(&["matrix", &self.axis], value, because))
    }

    /// Why no value is advised, where trials worked that cannot be compared.
    pub fn explain_unknown(&self) -> Option<String> {
        if self.compare_speeds().is_some() {
            return None;
        }
        let axis = &self.axis;
        let (_, trial) =
            self.trials.iter().find(|(_, trial)| trial.end.is_sound() && trial.throughput().is_some())?;
        let counted = trial.throughput_unit();
        Some(format!(
            "{axis}: the log counts {counted}, which may hold more work the larger {axis} is; add a [[metric]] that counts up, \
             `episodes`, `env_steps` or `samples` (or `batches`, each as large as {axis}), or a rate, `episodes_per_s`, \
             `env_steps_per_s` or `samples_per_s`"
        ))
    }

    /// Work per second, by the best rate that all trials have; `None` if it cannot be known.
    fn compare_speeds(&self) -> Option<Speeds> {
        // One that counted nothing in its time does not spoil the others.
        let sound =
            || self.trials.iter().filter(|(_, trial)| trial.end.is_sound() && !trial.rates.is_empty());
        let (_, first) = sound().next()?;
        let in_all = |rate: &&WorkRate| {
            rate.worth != UnitWorth::Unknown
                && sound().all(|(_, trial)| find_same_rate(trial, rate).is_some())
        };
        let by = first.rates.iter().find(in_all)?;
        let speed = |(value, trial): &(Value, TrialResult)| {
            let per_s = find_same_rate(trial, by).filter(|_| trial.end.is_sound())?;
            match by.worth {
                UnitWorth::Work(_) => Some(per_s),
                UnitWorth::Batch(_) => Some(per_s * numeric_value(value)?),
                UnitWorth::Unknown => None,
            }
        };
        let unit = match by.worth {
            UnitWorth::Work(unit) | UnitWorth::Batch(Some(unit)) => unit.to_owned(),
            UnitWorth::Batch(None) | UnitWorth::Unknown => format!("{} x {}", self.axis, by.counted),
        };
        Some(Speeds { unit, per_s: self.trials.iter().map(speed).collect() })
    }
}

/// The trial's rate of the same things.
fn find_same_rate(trial: &TrialResult, rate: &WorkRate) -> Option<f64> {
    let same = |other: &&WorkRate| other.counted == rate.counted && other.worth == rate.worth;
    trial.rates.iter().find(same).map(|rate| rate.per_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::autotune::measured::TrialEnd;
    use crate::config::plan::{PlanOrigin, read_plan};

    fn plan(source: &str) -> Plan {
        let origin =
            PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
        read_plan(source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn trial(done_per_s: f64) -> TrialResult {
        rated("episodes", UnitWorth::Work("episodes"), done_per_s)
    }

    fn rated(counted: &str, worth: UnitWorth, per_s: f64) -> TrialResult {
        TrialResult {
            count: 1,
            shards: Vec::new(),
            done_per_s: Some(per_s),
            counted: Some(counted.to_owned()),
            steps_per_s: None,
            rates: vec![WorkRate { counted: counted.to_owned(), worth, per_s }],
            is_steady: true,
            startup_s: None,
            vram: None,
            rss: None,
            cpu_percent: None,
            gpu_percent: None,
            host_cpu_percent: None,
            end: TrialEnd::Settled,
        }
    }

    fn batches(speeds: &[f64]) -> BatchTrials {
        let trials = speeds.iter().zip(0..).map(|(speed, power)| (Value::Integer(1 << power), trial(*speed)));
        BatchTrials { axis: "batch_size".to_owned(), trials: trials.collect() }
    }

    #[test]
    fn an_axis_of_batch_sizes_is_found_by_its_name_and_tried_upwards_for_one_combo() {
        let source = "[matrix]\ntask = ['a', 'b']\nbatch_size = [16, 1, 4]\n[shard]\ncommand = 'x {{ task }} {{ batch_size }}'";
        let sweep = plan(source);
        let axis = Axis::for_shard(&sweep, 4).unwrap();
        let ids: Vec<&str> =
            axis.values.iter().map(|(_, position)| sweep.shards[*position].id.as_str()).collect();
        assert_eq!((axis.name.as_str(), ids), ("batch_size", vec!["b_1", "b_4", "b_16"]));
        assert_eq!(Axis::for_shard(&plan(&source.replace("batch_size", "size")), 0), None);
        assert_eq!(Axis::for_shard(&plan(&source.replace("[16, 1, 4]", "[4]")), 0), None);
        assert_eq!(Axis::for_shard(&plan(&source.replace("[16, 1, 4]", "['few', 'many']")), 0), None);
    }

    #[test]
    fn larger_ones_are_tried_as_long_as_they_are_faster_and_the_smallest_of_the_fastest_is_advised() {
        assert!(batches(&[]).goes_on() && batches(&[1.0]).goes_on() && batches(&[1.0, 2.0]).goes_on());
        let flat = batches(&[1.0, 2.0, 2.05]);
        assert!(!flat.goes_on());
        assert_eq!(flat.best_index(), Some(1));
        let setting = flat.advised_setting().unwrap();
        assert_eq!(
            (setting.path.join("."), setting.value.to_toml()),
            ("matrix.batch_size".to_owned(), "[2]".to_owned())
        );
        assert_eq!(setting.because, "alone, 1: 1.00 episodes/s, 2: 2.00 episodes/s, 4: 2.05 episodes/s");
        let mut failed = batches(&[1.0, 9.0]);
        failed.trials[1].1.end = TrialEnd::TimeUp;
        assert_eq!(failed.best_index(), Some(1));
        failed.trials[1].1.end = TrialEnd::NotStarted { waiting: "memory".to_owned() };
        assert_eq!((failed.goes_on(), failed.best_index()), (false, Some(0)));
    }

    /// Builds the batches of an axis from a measurement at each value.
    fn tried(axis: &str, trials: &[(i64, TrialResult)]) -> BatchTrials {
        let trials = trials.iter().map(|(value, trial)| (Value::Integer(*value), trial.clone()));
        BatchTrials { axis: axis.to_owned(), trials: trials.collect() }
    }

    #[test]
    fn batches_and_iterations_are_worth_as_much_as_the_axis_says() {
        let batch = |per_s| rated("batches", UnitWorth::Batch(Some("episodes")), per_s);
        let batches = tried("batch_size", &[(1, batch(1.0)), (8, batch(0.225))]);
        assert!(batches.goes_on(), "eight at once are 1.8 times as fast");
        let setting = batches.advised_setting().unwrap();
        assert_eq!(setting.value.to_toml(), "[8]");
        assert_eq!(setting.because, "alone, 1: 1.00 episodes/s, 8: 1.80 episodes/s");
        let iteration = |per_s| rated("iterations", UnitWorth::Batch(None), per_s);
        let envs = tried("num_envs", &[(1024, iteration(10.0)), (8192, iteration(5.0))]);
        let setting = envs.advised_setting().unwrap();
        assert_eq!(setting.value.to_toml(), "[8192]");
        assert_eq!(
            setting.because,
            "alone, 1024: 10240 num_envs x iterations/s, 8192: 40960 num_envs x iterations/s"
        );
        let slow = tried("batch_size", &[(1, batch(1.0)), (8, batch(0.1))]);
        assert_eq!((slow.goes_on(), slow.best_index()), (false, Some(0)), "the knee holds");
    }

    #[test]
    fn a_rate_of_work_is_taken_before_one_of_batches_and_only_one_that_all_have() {
        let both = |iterations: f64, steps: Option<f64>| {
            let mut trial = rated("iterations", UnitWorth::Batch(None), iterations);
            let work =
                |per_s| WorkRate { counted: "steps".to_owned(), worth: UnitWorth::Work("env steps"), per_s };
            steps.into_iter().for_each(|per_s| trial.rates.insert(0, work(per_s)));
            trial
        };
        let envs = tried("num_envs", &[(1024, both(10.0, Some(9000.0))), (8192, both(5.0, Some(36000.0)))]);
        assert_eq!(
            envs.advised_setting().unwrap().because,
            "alone, 1024: 9000 env steps/s, 8192: 36000 env steps/s"
        );
        let one = tried("num_envs", &[(1024, both(10.0, Some(9000.0))), (8192, both(5.0, None))]);
        assert!(one.advised_setting().unwrap().because.ends_with("8192: 40960 num_envs x iterations/s"));
    }

    #[test]
    fn one_that_counted_nothing_in_its_time_ends_the_search_and_spoils_nothing() {
        let silent = TrialResult { done_per_s: None, rates: Vec::new(), end: TrialEnd::TimeUp, ..trial(1.0) };
        let batches = tried("batch_size", &[(1, trial(1.0)), (8, trial(2.0)), (64, silent)]);
        assert_eq!((batches.goes_on(), batches.best_index()), (false, Some(1)));
    }

    #[test]
    fn what_may_be_a_batch_or_not_is_not_advised() {
        let batches = tried("batch_size", &[(1, rated("steps", UnitWorth::Unknown, 5.0))]);
        assert_eq!((batches.goes_on(), batches.best_index(), batches.advised_setting()), (false, None, None));
        let why = batches.explain_unknown().unwrap();
        assert!(why.starts_with("batch_size: the log counts steps, which may hold more work"), "{why}");
        assert!(why.contains("[[metric]]") && why.contains("`env_steps_per_s`"), "{why}");
    }
}
