//! Clusters such as training seeds: episodes of one are no fresh draws of the method, so that a claim about the method
//! rests on as many numbers as there are clusters.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::difference::{Difference, Sample};
use super::distributions::bootstrap;
use super::distributions::student::{MeanInterval, Welch, two_sided_p};
use crate::model::state::phase::PhaseKind;
use crate::results::interval::WilsonInterval;
use crate::results::outcome::ShardOutcome;

/// A bootstrap of fewer clusters ends at the smallest and the largest of them.
const FEWEST_FOR_BOOTSTRAP: usize = 10;

/// Summary of several clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clusters {
    /// Number of clusters, at least two.
    pub count: usize,
    /// The mean of their rates.
    pub mean: f64,
    /// How far their rates lie apart: the standard deviation, that of a sample.
    pub deviation: f64,
    /// The smallest and the largest rate.
    pub range: (f64, f64),
    /// Student's t interval of the mean, which may reach beyond 0 and 1.
    pub t: WilsonInterval,
    /// The interval to show: that of t, widened to hold the one that takes all episodes for independent, because few
    /// clusters may be equal by chance.
    pub interval: WilsonInterval,
    /// The bootstrap of clusters, of ten or more.
    pub bootstrap: Option<WilsonInterval>,
}

impl Clusters {
    /// Summarises the episodes of each cluster; none of fewer than two. A rate weighs as much as any other, whatever
    /// its episodes.
    pub fn from_samples(samples: &[Sample]) -> Option<Self> {
        let rates: Vec<f64> = samples.iter().map(|sample| sample.rate()).collect();
        let (successes, episodes) = samples
            .iter()
            .fold((0.0, 0.0), |sum, sample| (sum.0 + sample.successes, sum.1 + sample.episodes));
        Self::of_rates(&rates, WilsonInterval::wilson(successes, episodes)?)
    }

    /// Summarises the rate of each cluster, where `independent` takes all episodes for independent.
    pub fn of_rates(rates: &[f64], independent: WilsonInterval) -> Option<Self> {
        let MeanInterval { mean, deviation, low, high } = MeanInterval::from_values(rates)?;
        let interval = interval_hull((low, high), independent);
        let smallest = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = rates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let resamples = rates.len() >= FEWEST_FOR_BOOTSTRAP;
        Some(Self {
            count: rates.len(),
            mean,
            deviation,
            range: (smallest, largest),
            t: WilsonInterval { low, high },
            interval,
            bootstrap: resamples.then(|| bootstrap::of_clusters("success/clusters", rates)).flatten(),
        })
    }

    /// How many there are and how far they lie apart: `3 clusters from 16 to 84 %`.
    pub fn summary_text(&self) -> String {
        let (smallest, largest) = self.range;
        format!("{} clusters from {:.0} to {:.0} %", self.count, 100.0 * smallest, 100.0 * largest)
    }

    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        json!({
            "clusters": self.count,
            "mean": self.mean,
            "deviation": self.deviation,
            "smallest": self.range.0,
            "largest": self.range.1,
            "t_95": self.t,
            "interval_95": self.interval,
            "bootstrap_95": self.bootstrap,
            "bootstrap": self.bootstrap.map(|_| json!({
                "replicates": bootstrap::REPLICATES,
                "seed": bootstrap::seed_of("success/clusters"),
            })),
        })
    }
}

/// The interval to show of several clusters, alone; none of fewer than two.
pub fn cluster_interval(samples: &[Sample]) -> Option<WilsonInterval> {
    let all = samples.iter().copied().reduce(Sample::combined_with)?;
    let rates: Vec<f64> = samples.iter().map(|sample| sample.rate()).collect();
    let MeanInterval { low, high, .. } = MeanInterval::from_values(&rates)?;
    Some(interval_hull((low, high), WilsonInterval::wilson(all.successes.min(all.episodes), all.episodes)?))
}

fn interval_hull((low, high): (f64, f64), independent: WilsonInterval) -> WilsonInterval {
    WilsonInterval { low: low.min(independent.low).max(0.0), high: high.max(independent.high).min(1.0) }
}

/// Returns what each cluster came to among these shards, of which those count that succeeded; empty if one of
/// them has no known count, or no axis makes clusters.
pub fn by_cluster<'s>(shards: &[&'s ShardOutcome<'_>]) -> BTreeMap<&'s str, Sample> {
    let counted = shards.iter().filter(|shard| shard.phase == PhaseKind::Succeeded);
    let mut clusters: BTreeMap<&str, Sample> = BTreeMap::new();
    for shard in counted {
        let (Some(cluster), Some(successes), Some(episodes)) =
            (&shard.cluster, shard.successes, shard.episodes)
        else {
            return BTreeMap::new();
        };
        let sample = clusters.entry(cluster).or_default();
        *sample = sample.combined_with(Sample { successes, episodes });
    }
    clusters.retain(|_, sample| sample.episodes > 0.0);
    clusters
}

/// The difference of the means of both sides' clusters and how likely chance alone makes it, by Welch's test: training
/// seeds of two methods do not pair. Never surer than `independent`, which takes all episodes for independent.
pub fn cluster_difference(
    first: &[f64],
    second: &[f64],
    (independent, p): (Difference, f64),
) -> Option<(Difference, f64)> {
    let Welch { value, low, high, p_value, .. } = Welch::from_samples(first, second)?;
    Some((widen_difference((value, low, high), independent), p_value.max(p)))
}

/// The same where the clusters of both sides are the same weights: the mean of what each differs by, by Student's t.
pub fn difference_one_by_one(
    differences: &[f64],
    (independent, p): (Difference, f64),
) -> Option<(Difference, f64)> {
    let MeanInterval { mean, deviation, low, high } = MeanInterval::from_values(differences)?;
    let count = differences.len() as f64;
    // Clusters that all differ alike show no spread; the counts do.
    let p_value = if deviation > 0.0 { two_sided_p(mean / deviation * count.sqrt(), count - 1.0) } else { p };
    Some((widen_difference((mean, low, high), independent), p_value.max(p)))
}

fn widen_difference((value, low, high): (f64, f64, f64), independent: Difference) -> Difference {
    Difference { value, low: low.min(independent.low).max(-1.0), high: high.max(independent.high).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(successes: &[u32], episodes: u32) -> Clusters {
        let sample =
            |successes: &u32| Sample { successes: f64::from(*successes), episodes: f64::from(episodes) };
        Clusters::from_samples(&successes.iter().map(sample).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn three_seeds_that_differ_much_say_little() {
        let clusters = of(&[8, 25, 42], 50);
        assert!((clusters.mean - 0.5).abs() < 1e-12 && (clusters.deviation - 0.34).abs() < 1e-12);
        assert_eq!((clusters.interval.low, clusters.interval.high), (0.0, 1.0), "not 42 to 58 %");
        assert_eq!(
            (clusters.summary_text().as_str(), clusters.bootstrap),
            ("3 clusters from 16 to 84 %", None)
        );
    }

    #[test]
    fn seeds_that_are_equal_are_not_certain() {
        let clusters = of(&[50, 50, 50], 50);
        assert_eq!((clusters.t.low, clusters.t.high), (1.0, 1.0));
        assert!((clusters.interval.low - 0.975_029_755_632).abs() < 1e-9);
        let sample = Sample { successes: 1.0, episodes: 2.0 };
        assert_eq!(Clusters::from_samples(&[sample]), None, "one is none");
    }

    #[test]
    fn what_all_clusters_differ_by_is_told_though_they_lie_far_apart() {
        let independent = (Difference { value: 0.1, low: 0.05, high: 0.15 }, 0.001);
        let (first, second) = ([0.2, 0.5, 0.8], [0.1, 0.41, 0.69]);
        let apart = cluster_difference(&first, &second, independent).unwrap();
        let differences: Vec<f64> = first.iter().zip(second).map(|(one, other)| one - other).collect();
        let together = difference_one_by_one(&differences, independent).unwrap();
        assert!(apart.1 > 0.5 && apart.0.low < 0.0, "{apart:?}");
        assert!(
            together.1 < 0.01 && together.0.low > 0.0 && (together.0.value - 0.1).abs() < 1e-12,
            "{together:?}"
        );
        assert_eq!(difference_one_by_one(&[0.1, 0.1], independent).unwrap().1, 0.001);
    }

    #[test]
    fn ten_are_enough_to_draw_them_again() {
        let clusters = of(&[40, 41, 39, 45, 35, 44, 42, 38, 41, 36], 50);
        let bootstrap = clusters.bootstrap.unwrap();
        assert!(bootstrap.low > clusters.t.low && bootstrap.high < clusters.t.high, "{clusters:?}");
    }
}
