//! How sure the middle of a metric is: its interquartile mean over the runs of a group with a bootstrap interval.

use std::collections::HashMap;

use super::distributions::resampling::{BootstrapInterval, percentile_interval, replicates_for};
use super::middle::interquartile_mean;
use crate::model::state::phase::PhaseKind;
use crate::results::outcome::ShardOutcome;

/// The values of a metric over these shards, those of one task together: runs that have the same values of
/// these axes, and differ by their seed or slice alone.
/// Shards that did not succeed, and those without the metric, are left out.
pub fn values_by_task(
    axes: &[&str],
    outcomes: &[ShardOutcome<'_>],
    members: &[usize],
    metric: &str,
) -> Vec<Vec<f64>> {
    let mut tasks: Vec<Vec<f64>> = Vec::new();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    let shards = members.iter().filter_map(|position| outcomes.get(*position));
    for outcome in shards.filter(|outcome| outcome.phase == PhaseKind::Succeeded) {
        let Some(value) = outcome.metrics.get(metric).filter(|value| value.is_finite()) else { continue };
        let task: Vec<String> = axes.iter().map(|axis| outcome.value_of(axis)).collect();
        let place = *known.entry(task).or_insert_with(|| {
            tasks.push(Vec::new());
            tasks.len() - 1
        });
        tasks[place].push(*value);
    }
    tasks
}

/// The 95 % interval of the interquartile mean over these tasks, for these tasks only; `label` seeds it.
pub fn interquartile_interval(tasks: &[Vec<f64>], label: &str) -> Option<BootstrapInterval> {
    let values = tasks.iter().map(Vec::len).sum();
    let mut all = Vec::with_capacity(values);
    percentile_interval(tasks, label, replicates_for(values), |sample| {
        all.clear();
        sample.iter().for_each(|runs| all.extend_from_slice(runs));
        interquartile_mean(&all).unwrap_or(f64::NAN)
    })
}
