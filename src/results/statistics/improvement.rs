//! How often a run of one value of an axis has a larger metric than a run of another one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use super::any_time::EarlyStop;
use super::contrast::compared_pairs;
use super::distributions::resampling::{BootstrapInterval, percentile_interval};
use super::group;
use crate::model::state::phase::PhaseKind;
use crate::model::sweep::plan::Plan;
use crate::results::axes;
use crate::results::outcome::ShardOutcome;

/// So many replicates are enough for a probability that is read to whole percent.
const REPLICATES: usize = 999;

/// Metrics that count how episodes ended have a place of their own.
const OUTCOME: &str = "outcome_";

/// Comparison of a metric between two values of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Improvement {
    /// Name of the compared axis.
    pub axis: String,
    /// The value that is asked about.
    pub first: String,
    /// The value it is compared with.
    pub second: String,
    /// Name of the compared metric.
    pub metric: String,
    /// So many tasks have runs of both.
    pub tasks: usize,
    /// Runs of the first and of the second there.
    pub runs: (usize, usize),
    /// How often a run of the first has the larger one of the metric, in the mean over the tasks; equal ones count
    /// half.
    pub probability: f64,
    /// The 95 % interval of that by the bootstrap, where each task has enough runs of both.
    pub interval: Option<BootstrapInterval>,
    /// Whether episodes were saved, for which the interval is not adjusted.
    #[serde(rename = "stopped_early", serialize_with = "by_key")]
    pub early_stop: EarlyStop,
}

fn by_key<S: Serializer>(early_stop: &EarlyStop, serializer: S) -> Result<S::Ok, S::Error> {
    early_stop.key().serialize(serializer)
}

/// Values of a metric by task, one pair of lists for each task that both sides have.
pub type Pairs = Vec<(Vec<f64>, Vec<f64>)>;

/// P(first > second) + P(equal) / 2, in the mean over the tasks; none without tasks.
pub fn improvement_probability(tasks: &[(&[f64], &[f64])]) -> Option<f64> {
    let of_task = |(first, second): &(&[f64], &[f64])| {
        let wins: f64 = first
            .iter()
            .flat_map(|x| second.iter().map(move |y| if x > y { 1.0 } else { f64::from(x == y) / 2.0 }))
            .sum();
        wins / (first.len() * second.len()) as f64
    };
    let sum: f64 = tasks.iter().map(of_task).sum();
    (!tasks.is_empty()).then(|| sum / tasks.len() as f64)
}

/// The probability and its interval; `label` seeds it.
pub fn measure_improvement(pairs: &Pairs, label: &str) -> Option<(f64, Option<BootstrapInterval>)> {
    let of = |sides: &[Vec<f64>]| {
        let half = sides.len() / 2;
        let tasks: Vec<(&[f64], &[f64])> =
            sides[..half].iter().zip(&sides[half..]).map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
        improvement_probability(&tasks)
    };
    // All tasks of the first, then all of the second.
    let sides: Vec<Vec<f64>> =
        pairs.iter().map(|(a, _)| a.clone()).chain(pairs.iter().map(|(_, b)| b.clone())).collect();
    let value = of(&sides)?;
    let interval = percentile_interval(&sides, label, REPLICATES, |sample| of(sample).unwrap_or(f64::NAN));
    Some((value, interval))
}

/// Every metric of every pair of values that have runs of the same task, axis by axis.
pub fn compute_improvements(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Vec<Improvement> {
    let axes = axes::axes_of_interest(plan);
    let cells = group::group_members(&axes, outcomes);
    let mut metrics: Vec<&str> = Vec::new();
    for name in outcomes.iter().flat_map(|outcome| outcome.metrics.keys()) {
        if !metrics.contains(&name.as_str()) && !name.starts_with(OUTCOME) {
            metrics.push(name);
        }
    }
    let mut all = Vec::new();
    for (position, axis) in axes.iter().enumerate() {
        for metric in &metrics {
            all.extend(of_axis((position, axis), metric, &cells, outcomes));
        }
    }
    all
}

/// The runs of one value of an axis, by the values of the others.
type Tasks<'a> = BTreeMap<Vec<&'a str>, Vec<f64>>;

fn of_axis(
    (position, axis): (usize, &str),
    metric: &str,
    cells: &[(Vec<String>, Vec<usize>)],
    outcomes: &[ShardOutcome<'_>],
) -> Vec<Improvement> {
    let mut values: Vec<&str> = Vec::new();
    let mut samples: BTreeMap<&str, Tasks<'_>> = BTreeMap::new();
    let mut stopped: BTreeSet<&str> = BTreeSet::new();
    for (cell, members) in cells {
        let value = cell[position].as_str();
        if !values.contains(&value) {
            values.push(value);
        }
        if members.iter().any(|member| outcomes[*member].is_unneeded) {
            stopped.insert(value);
        }
        let others = cell.iter().enumerate().filter(|(other, _)| *other != position);
        let runs = metric_values(members, outcomes, metric);
        if !runs.is_empty() {
            let others = others.map(|(_, value)| value.as_str()).collect();
            samples.entry(value).or_default().insert(others, runs);
        }
    }
    let of_pair = |(first, second): (&str, &str)| {
        let (ours, theirs) = (samples.get(first)?, samples.get(second)?);
        let tasks: Pairs =
            ours.iter().filter_map(|(task, runs)| Some((runs.clone(), theirs.get(task)?.clone()))).collect();
        let label = format!("{metric}/{axis}={first}/{axis}={second}");
        let (probability, interval) = measure_improvement(&tasks, &label)?;
        let count = |side: fn(&(Vec<f64>, Vec<f64>)) -> usize| tasks.iter().map(side).sum();
        Some(Improvement {
            axis: axis.to_owned(),
            first: first.to_owned(),
            second: second.to_owned(),
            metric: metric.to_owned(),
            tasks: tasks.len(),
            runs: (count(|(ours, _)| ours.len()), count(|(_, theirs)| theirs.len())),
            probability,
            interval,
            early_stop: EarlyStop::for_rate(stopped.contains(first) || stopped.contains(second), true),
        })
    };
    compared_pairs(&values).into_iter().filter_map(of_pair).collect()
}

fn metric_values(members: &[usize], outcomes: &[ShardOutcome<'_>], metric: &str) -> Vec<f64> {
    let shards = members.iter().filter_map(|position| outcomes.get(*position));
    let counted = shards.filter(|outcome| outcome.phase == PhaseKind::Succeeded);
    let values = counted.filter_map(|outcome| outcome.metrics.get(metric).copied());
    values.filter(|value| value.is_finite()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probability_is_that_of_mann_and_whitney() {
        // scipy 1.14, `mannwhitneyu(…).statistic / (n m)`.
        let close = |is: Option<f64>, should: f64| assert!((is.unwrap() - should).abs() < 1e-12, "{is:?}");
        close(improvement_probability(&[(&[1.0, 2.0, 3.0], &[2.0, 2.0, 4.0])]), 1.0 / 3.0);
        let binary = |ones: usize| (0..50).map(|n| f64::from(n < ones)).collect::<Vec<f64>>();
        close(improvement_probability(&[(&binary(41), &binary(33))]), 0.58);
        assert_eq!(improvement_probability(&[]), None);
    }

    #[test]
    fn the_mean_over_tasks_has_an_interval_where_runs_are_enough() {
        let first =
            [[0.61, 0.72, 0.55, 0.68, 0.70], [0.20, 0.35, 0.28, 0.31, 0.22], [0.91, 0.88, 0.97, 0.93, 0.90]];
        let second =
            [[0.52, 0.66, 0.55, 0.60, 0.58], [0.25, 0.30, 0.28, 0.19, 0.24], [0.92, 0.80, 0.85, 0.93, 0.79]];
        let tasks: Pairs = first.iter().zip(second).map(|(a, b)| (a.to_vec(), b.to_vec())).collect();
        let (value, interval) = measure_improvement(&tasks, "return/policy=a").unwrap();
        let interval = interval.unwrap();
        assert!(interval.low < value && value < interval.high, "{value} {interval:?}");
        assert_eq!(
            measure_improvement(&tasks, "return/policy=a").unwrap().1,
            Some(interval),
            "chance repeats"
        );
        let few: Pairs = vec![(vec![1.0], vec![2.0])];
        assert_eq!(measure_improvement(&few, "few"), Some((0.0, None)));
    }
}
