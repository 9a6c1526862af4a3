//! A metric of the same episodes on both sides of a comparison: the mean of its differences episode by episode, with a
//! paired bootstrap interval.
//!
//! Pairs are drawn again with replacement. A percentile interval of the mean is too narrow for few pairs: resamples
//! vary by (n - 1) / n of what samples do, and the deviation is itself a guess. So its ends are those of the wider
//! level that Student's t would have (Hesterberg, The American Statistician 69, 371-386, 2015: the expanded percentile
//! interval).

use serde_json::{Value, json};

use super::pairing::{JoinedMeasure, PairedSide, join_measures};
use crate::model::sweep::plan::Plan;
use crate::results::axes;
use crate::results::outcome::ShardOutcome;
use crate::results::scale::format_short;
use crate::results::statistics::any_time::EarlyStop;
use crate::results::statistics::contrast::{ValuePair, value_pairs};
use crate::results::statistics::distributions::bootstrap::{SplitMix64, seed_of};
use crate::results::statistics::distributions::normal;
use crate::results::statistics::distributions::resampling::{BootstrapInterval, replicates_for};
use crate::results::statistics::distributions::student::quantile_95;

/// Fewer pairs have no interval: where differences are skewed or most are 0, it would hold the truth in 87 to 92 of 100
/// cases. From 20 on it holds it in 92 to 96, from 50 in 94 to 96 (by simulation).
pub const LEAST_PAIRS: usize = 20;

/// Most draws of single differences for an interval; where there would be more, it has fewer replicates.
const MOST_DRAWS: usize = 2_000_000;

/// A metric of the same episodes on two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedMetric {
    /// Name of the metric.
    pub metric: String,
    /// Episodes that both sides have.
    pub pairs: usize,
    /// Episodes without a partner, or of which a side has several.
    pub left_out: u64,
    /// The means of both sides over these.
    pub means: (f64, f64),
    /// The mean of the first less the second.
    pub difference: f64,
    /// Its 95 % interval, of enough pairs.
    pub interval: Option<BootstrapInterval>,
    /// Whether episodes were saved, for which the interval is not adjusted.
    pub early_stop: EarlyStop,
}

/// A metric of two values of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisMetric {
    /// Name of the compared axis.
    pub axis: String,
    /// The value that is asked about.
    pub first: String,
    /// The value it is compared with.
    pub second: String,
    /// Comparison over the same episodes.
    pub paired: PairedMetric,
}

/// Compares each metric that both sides of these cells report of the same episodes; `label` seeds the intervals. None
/// where trainings are clusters: pairs of episodes know nothing of other trainings.
pub fn paired_metrics(cells: &[(PairedSide<'_, '_>, PairedSide<'_, '_>)], label: &str) -> Vec<PairedMetric> {
    let is_clustered = |side: &PairedSide<'_, '_>| side.shards.iter().any(|shard| shard.cluster.is_some());
    if cells.iter().any(|(first, second)| is_clustered(first) || is_clustered(second)) {
        return Vec::new();
    }
    let shards = cells.iter().flat_map(|(first, second)| first.shards.iter().chain(&second.shards));
    let early_stop = EarlyStop::of_fixed_plan(shards.copied());
    let joined = join_measures(cells);
    joined.into_iter().map(|(metric, joined)| of_pairs(metric, &joined, label, early_stop)).collect()
}

/// The same for every two values of every axis.
pub fn of_axes(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Vec<AxisMetric> {
    let of_pair = |pair: ValuePair<'_, '_>| {
        let label = format!("{0}={1}/{0}={2}/paired", pair.axis, pair.first, pair.second);
        let told = paired_metrics(&pair.cells, &label).into_iter();
        let of_axis = |paired| AxisMetric {
            axis: pair.axis.to_owned(),
            first: pair.first.clone(),
            second: pair.second.clone(),
            paired,
        };
        told.map(of_axis).collect::<Vec<_>>()
    };
    // No episode of one task is the same as one of another.
    let pairs = value_pairs(plan, outcomes).into_iter().flatten().filter(|pair| !axes::is_task(pair.axis));
    pairs.flat_map(of_pair).collect()
}

fn of_pairs(metric: &str, joined: &JoinedMeasure, label: &str, early_stop: EarlyStop) -> PairedMetric {
    let pairs = &joined.pairs;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let differences: Vec<f64> = pairs.iter().map(|(first, second)| first - second).collect();
    PairedMetric {
        metric: metric.to_owned(),
        pairs: pairs.len(),
        left_out: joined.left_out,
        means: (mean(|pair| pair.0), mean(|pair| pair.1)),
        difference: mean(|(first, second)| first - second),
        interval: paired_interval(
            &differences,
            &format!("{metric}/{label}"),
            replicate_count(differences.len()),
        ),
        early_stop,
    }
}

fn replicate_count(pairs: usize) -> usize {
    let affordable = (MOST_DRAWS / pairs.max(1)).max(999);
    replicates_for(pairs).min(affordable)
}

/// The 95 % interval of the mean of these differences; `label` seeds it. None of fewer than [`LEAST_PAIRS`].
pub fn paired_interval(differences: &[f64], label: &str, replicates: usize) -> Option<BootstrapInterval> {
    let count = differences.len();
    if count < LEAST_PAIRS {
        return None;
    }
    let seed = seed_of(label);
    let mut means: Vec<f64> = (0..replicates)
        .map(|replicate| {
            let mut stream = SplitMix64::of_replicate(seed, replicate);
            let sum: f64 = (0..count).map(|_| differences[stream.next_below(count)]).sum();
            sum / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let rank = ((replicates + 1) as f64 * tail_share(count)).floor().max(1.0) as usize;
    let (low, high) = (*means.get(rank - 1)?, *means.get(replicates.checked_sub(rank)?)?);
    Some(BootstrapInterval { low, high, replicates, seed })
}

/// The share of resamples on either side of the interval of so many pairs.
pub fn tail_share(pairs: usize) -> f64 {
    let n = pairs as f64;
    normal::two_sided_p((n / (n - 1.0)).sqrt() * quantile_95(n - 1.0)) / 2.0
}

impl PairedMetric {
    /// `+1.2 [+0.4, +2.0]`, the difference with its interval.
    pub fn difference_text(&self) -> String {
        let signed = |value: f64| {
            let sign = if value > 0.0 { "+" } else { "" };
            format!("{sign}{}", format_short(value)).replace('-', "−")
        };
        let difference = signed(self.difference);
        let early = self.early_stop.suffix();
        match self.interval {
            Some(interval) => {
                format!("{difference} [{}, {}]{early}", signed(interval.low), signed(interval.high))
            }
            None => format!("{difference}, fewer than {LEAST_PAIRS} pairs"),
        }
    }

    /// `500`, and how many are left out.
    pub fn pairs_text(&self) -> String {
        match self.left_out {
            0 => self.pairs.to_string(),
            more => format!("{}, {more} without a partner", self.pairs),
        }
    }

    /// As a part of a document.
    pub fn to_json(&self) -> Value {
        let Self { metric, pairs, left_out, means, difference, interval, early_stop } = self;
        json!({
            "metric": metric,
            "pairs": pairs,
            "left_out": left_out,
            "first_mean": means.0,
            "second_mean": means.1,
            "difference": difference,
            "interval_95": interval,
            "interval": "paired-bootstrap",
            "stopped_early": early_stop.key(),
        })
    }
}

impl AxisMetric {
    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        let mut told = self.paired.to_json();
        if let Value::Object(told) = &mut told {
            let axis = [("axis", &self.axis), ("first", &self.first), ("second", &self.second)];
            told.extend(axis.map(|(name, value)| (name.to_owned(), json!(value))));
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of `count` episodes: the luck of an episode is shared by both sides and gone.
    fn drawn(number: usize, count: usize, of: fn(&mut SplitMix64) -> f64) -> Vec<f64> {
        let mut stream = SplitMix64::of_replicate(20_261_122, number);
        (0..count).map(|_| of(&mut stream)).collect()
    }

    /// Twelve shares make nearly a normal one.
    fn normal(stream: &mut SplitMix64) -> f64 {
        (0..12).map(|_| stream.next_fraction()).sum::<f64>() - 6.0
    }

    fn laplace(stream: &mut SplitMix64) -> f64 {
        stream.next_fraction().ln() - stream.next_fraction().ln()
    }

    #[test]
    fn intervals_hold_the_truth_in_95_of_100_cases() {
        const RUNS: usize = 2000;
        for (name, count, of) in [
            ("normal", 20, normal as fn(&mut SplitMix64) -> f64),
            ("normal", 40, normal),
            ("laplace", 20, laplace),
            ("laplace", 60, laplace),
        ] {
            let holds = |run: &usize| {
                let interval = paired_interval(&drawn(*run, count, of), "coverage", 499).unwrap();
                interval.low <= 0.0 && 0.0 <= interval.high
            };
            let share = (0..RUNS).filter(holds).count() as f64 / RUNS as f64;
            assert!((0.94..=0.96).contains(&share), "{name}, {count} pairs: {share}");
        }
    }

    #[test]
    fn few_pairs_have_no_interval_and_equal_ones_a_point() {
        assert_eq!(paired_interval(&[1.0; LEAST_PAIRS - 1], "few", 999), None);
        let equal = paired_interval(&[0.5; LEAST_PAIRS], "equal", 999).unwrap();
        assert_eq!((equal.low, equal.high), (0.5, 0.5));
        assert!((tail_share(1_000_000) - 0.025).abs() < 1e-5 && tail_share(20) < 0.02);
    }
}
