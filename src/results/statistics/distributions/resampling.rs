//! Bootstrap intervals of any statistic: what it would be in other runs of the same tasks.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bootstrap::{SplitMix64, seed_of};

/// Fewer runs of a task than this are too few to estimate what others would give: with 5, a 95 % interval
/// holds the truth in 91 of 100 cases, with 3 in 86.
pub const LEAST_RUNS: usize = 5;

/// A bootstrap interval and what is needed to compute it again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BootstrapInterval {
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Number of replicates behind it.
    pub replicates: usize,
    /// Seed of all replicates, the FNV-1a of a label.
    pub seed: u64,
}

/// Intervals of several metrics, by name.
pub type Intervals = BTreeMap<String, BootstrapInterval>;

/// How many replicates are drawn of so many values: each tail of 9999 is 2.5 ± 0.16 %, and large samples need fewer to
/// be as sure of their ends as the writing of results may take.
pub fn replicates_for(values: usize) -> usize {
    match values {
        0..=30 => 9999,
        31..=300 => 1999,
        _ => 999,
    }
}

/// The 95 % percentile interval of a statistic over tasks, of which each keeps its number of runs. None where a task
/// has fewer than [`LEAST_RUNS`].
pub fn percentile_interval(
    tasks: &[Vec<f64>],
    label: &str,
    replicates: usize,
    mut statistic: impl FnMut(&mut [Vec<f64>]) -> f64,
) -> Option<BootstrapInterval> {
    if tasks.is_empty() || tasks.iter().any(|runs| runs.len() < LEAST_RUNS) {
        return None;
    }
    let seed = seed_of(label);
    let mut sample: Vec<Vec<f64>> = tasks.to_vec();
    let mut found: Vec<f64> = (0..replicates)
        .map(|number| {
            let mut stream = SplitMix64::of_replicate(seed, number);
            for (drawn, runs) in sample.iter_mut().zip(tasks) {
                drawn.clear();
                drawn.extend((0..runs.len()).map(|_| runs[stream.next_below(runs.len())]));
            }
            statistic(&mut sample)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let rank = (replicates + 1) * 25 / 1000;
    let (low, high) = (*found.get(rank.checked_sub(1)?)?, *found.get(replicates - rank)?);
    Some(BootstrapInterval { low, high, replicates, seed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::statistics::middle::interquartile_mean;

    pub(crate) fn tasks() -> Vec<Vec<f64>> {
        vec![
            vec![0.61, 0.72, 0.55, 0.68, 0.70],
            vec![0.20, 0.35, 0.28, 0.31, 0.22],
            vec![0.91, 0.88, 0.97, 0.93, 0.90],
        ]
    }

    #[test]
    fn the_interval_is_that_of_the_reference() {
        let of = |sample: &mut [Vec<f64>]| interquartile_mean(&sample.concat()).unwrap();
        let interval = percentile_interval(&tasks(), "return/policy=a", 9999, of).unwrap();
        assert!((interval.low - 0.596_666_666_666_7).abs() < 1e-9, "{interval:?}");
        assert!((interval.high - 0.663_333_333_333_3).abs() < 1e-9, "{interval:?}");
        assert_eq!(percentile_interval(&tasks(), "return/policy=a", 9999, of), Some(interval));
    }

    #[test]
    fn few_runs_have_no_interval() {
        let few = [vec![1.0, 2.0, 3.0, 4.0]];
        assert_eq!(percentile_interval(&few, "few", 999, |sample| sample[0][0]), None);
        assert_eq!(percentile_interval(&[], "none", 999, |_| 0.0), None);
    }
}
