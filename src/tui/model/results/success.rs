//! Success of several shards together, so far, and how sure it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::state::phase::PhaseKind;
use crate::results::counted_success::{count_successes, is_left_out};
use crate::results::interval::WilsonInterval;
use crate::results::rate_text::{format_interval, format_percent};
use crate::results::statistics::any_time::{self, EarlyStop};
use crate::results::statistics::clusters;
use crate::results::statistics::difference::Sample;
use crate::results::statistics::headline::Headline;
use crate::tui::model::shards::shard_row::ShardRow;

/// The phases whose shards had episodes and are left out of the success of the run: see [`Success::from_readings`].
pub fn left_out<'a>(readings: impl Iterator<Item = ShardRow<'a>>) -> Vec<PhaseKind> {
    let left_out = |reading: ShardRow<'a>| {
        let kind = reading.state.phase.kind();
        (is_left_out(kind) && count_successes(reading.metrics()?, reading.episodes_done()).is_some())
            .then_some(kind)
    };
    readings.filter_map(left_out).collect::<BTreeSet<PhaseKind>>().into_iter().collect()
}

/// A rate of success and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Success {
    /// Number of episodes that the rate is based on.
    pub episodes: f64,
    /// The rate, 0 to 1.
    pub rate: f64,
    /// Its 95 % interval.
    pub interval: WilsonInterval,
    /// The effect that the early end of a comparison had on the interval.
    pub early_stop: EarlyStop,
}

impl Success {
    /// Computes the rate over shards that succeeded or are on their way; the episodes of a failed shard are no fair
    /// sample.
    pub fn from_readings<'a>(readings: impl Iterator<Item = ShardRow<'a>>) -> Option<Self> {
        let mut sums = Sums::default();
        readings.for_each(|reading| sums.add_reading(&reading));
        sums.to_success()
    }

    /// Takes the same numbers from a headline.
    pub fn of_headline(headline: &Headline) -> Self {
        let Headline { value, interval, sample, early_stop, .. } = *headline;
        Self { episodes: sample.episodes, rate: value, interval, early_stop }
    }

    /// `172/200 86.0 % [80.5, 90.1]`.
    pub fn text(&self) -> String {
        let successes = (self.rate * self.episodes).round();
        let ends = format_interval(self.interval, self.episodes);
        format!("{successes}/{} {} {ends}", self.episodes, self.percentage())
    }

    /// Formats the rate as a percentage: `86.0 %`.
    pub fn percentage(&self) -> String {
        format_percent(self.rate, self.episodes)
    }

    /// Computes the rate of so many successes in so many episodes; none without episodes.
    pub fn of_sums(successes: f64, episodes: f64) -> Option<Self> {
        let mut sums = Sums::default();
        sums.add_sample(Sample { successes, episodes }, None);
        sums.to_success()
    }
}

/// Successes and episodes on their way to a rate, by cluster where there are clusters.
#[derive(Debug, Clone, Default)]
pub struct Sums {
    all: Sample,
    is_stopped: bool,
    clusters: BTreeMap<u32, Sample>,
}

impl Sums {
    /// Adds those of a shard, where they count.
    pub fn add_reading(&mut self, reading: &ShardRow<'_>) {
        self.is_stopped |= reading.state.phase.is_unneeded();
        let Some((successes, episodes)) = reading.success_counts() else { return };
        self.add_sample(Sample { successes, episodes }, reading.cluster);
    }

    fn add_sample(&mut self, sample: Sample, cluster: Option<u32>) {
        self.all = self.all.combined_with(sample);
        if let Some(cluster) = cluster {
            let of_cluster = self.clusters.entry(cluster).or_default();
            *of_cluster = of_cluster.combined_with(sample);
        }
    }

    /// Computes the rate and its interval from the sums; none without episodes.
    pub fn to_success(&self) -> Option<Success> {
        let Sample { successes, episodes } = self.all;
        // A log that counts them apart may be one success ahead of its episodes.
        let successes = successes.min(episodes);
        let clusters: Vec<Sample> = self.clusters.values().copied().collect();
        let of_clusters = clusters::cluster_interval(&clusters);
        let early_stop = EarlyStop::for_rate(self.is_stopped, of_clusters.is_some());
        let interval = match (of_clusters, self.is_stopped) {
            (Some(interval), _) => interval,
            (None, false) => WilsonInterval::wilson(successes, episodes)?,
            (None, true) => any_time::any_time_interval(Sample { successes, episodes })?,
        };
        Some(Success { episodes, rate: successes / episodes, interval, early_stop })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn success(samples: &[(f64, Option<u32>)]) -> Success {
        let mut sums = Sums::default();
        samples.iter().for_each(|(successes, cluster)| {
            sums.add_sample(Sample { successes: *successes, episodes: 50.0 }, *cluster);
        });
        sums.to_success().unwrap()
    }

    #[test]
    fn few_trainings_that_differ_much_are_not_sure() {
        let told = success(&[(8.0, Some(0)), (25.0, Some(1)), (42.0, Some(2))]);
        assert_eq!((told.rate, told.interval.low, told.interval.high), (0.5, 0.0, 1.0));
        let alone = success(&[(8.0, None), (25.0, None), (42.0, None)]);
        assert!(alone.interval.low > 0.4 && alone.interval.high < 0.6, "{alone:?}");
        assert_eq!(
            success(&[(25.0, Some(3)), (25.0, Some(3))]).interval,
            success(&[(50.0, None), (0.0, None)]).interval
        );
    }
}
