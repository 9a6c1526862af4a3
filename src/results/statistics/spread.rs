//! The middle and the spread of one metric over several shards.

use serde::Serialize;

use super::middle::{Median, interquartile_mean};

/// A metric over several shards; each weighs as much as the episodes it ran, however they were cut into shards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MetricSpread {
    /// The mean over all episodes; `None` if several shards do not report their number.
    pub mean: Option<f64>,
    /// The standard deviation of the sample of shards; of one shard nothing is known.
    pub deviation: Option<f64>,
    /// The median shard with the interval of the median.
    pub median: Median,
    /// The mean of the middle half of the shards.
    pub interquartile_mean: f64,
    /// The smallest of a shard.
    pub min: f64,
    /// The largest of a shard.
    pub max: f64,
    /// Number of shards with the metric.
    pub shards: usize,
}

impl MetricSpread {
    /// The spread of values with the episodes behind each; none without values.
    pub fn from_values(values: &[(f64, Option<f64>)]) -> Option<Self> {
        let values: Vec<(f64, Option<f64>)> =
            values.iter().copied().filter(|(value, _)| value.is_finite()).collect();
        let numbers = || values.iter().map(|(value, _)| *value);
        let min = numbers().reduce(f64::min)?;
        let max = numbers().reduce(f64::max)?;
        let mean =
            if let [(value, _)] = values[..] { Some(value) } else { weighted_mean(&values, |value| value) };
        let deviation = mean.and_then(|mean| weighted_deviation(&values, mean));
        let all: Vec<f64> = numbers().collect();
        let (median, interquartile_mean) = (Median::from_values(&all)?, interquartile_mean(&all)?);
        Some(Self { mean, deviation, median, interquartile_mean, min, max, shards: values.len() })
    }
}

/// The deviation of a sample whose members weigh differently; of equal ones it is the usual one with n - 1.
fn weighted_deviation(values: &[(f64, Option<f64>)], mean: f64) -> Option<f64> {
    let square = weighted_mean(values, |value| (value - mean).powi(2))?;
    let weights = || values.iter().filter_map(|(_, episodes)| *episodes);
    let part = weights().map(|weight| weight * weight).sum::<f64>() / weights().sum::<f64>().powi(2);
    (values.len() > 1 && part < 1.0).then(|| (square / (1.0 - part)).sqrt())
}

fn weighted_mean(values: &[(f64, Option<f64>)], term: impl Fn(f64) -> f64) -> Option<f64> {
    let episodes: f64 = values.iter().map(|(_, episodes)| *episodes).sum::<Option<f64>>()?;
    let sum: f64 = values.iter().map(|(value, episodes)| term(*value) * episodes.unwrap_or(0.0)).sum();
    (episodes > 0.0).then(|| sum / episodes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn episodes_weigh_and_shards_do_not() {
        let spread = MetricSpread::from_values(&[(1.0, Some(90.0)), (2.0, Some(10.0))]).unwrap();
        assert!((spread.mean.unwrap() - 1.1).abs() < 1e-12);
        assert!((spread.deviation.unwrap() - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!((spread.min, spread.max, spread.shards), (1.0, 2.0, 2));
    }

    #[test]
    fn without_episodes_only_the_ends_are_known() {
        let spread = MetricSpread::from_values(&[(1.0, Some(3.0)), (2.0, None)]).unwrap();
        assert_eq!((spread.mean, spread.deviation, spread.max), (None, None, 2.0));
        assert_eq!(MetricSpread::from_values(&[(1.0, None)]).unwrap().mean, Some(1.0));
        assert_eq!(MetricSpread::from_values(&[]), None);
    }

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        // numpy, `std(ddof=1)` of 2, 4, 4, 4, 5, 5, 7, 9.
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].map(|value| (value, Some(10.0)));
        let spread = MetricSpread::from_values(&values).unwrap();
        assert!((spread.deviation.unwrap() - 2.138_089_935_299).abs() < 1e-9, "{spread:?}");
        assert_eq!((spread.median.value, spread.median.low), (4.5, Some(2.0)));
        assert!((spread.interquartile_mean - 4.5).abs() < 1e-12);
        assert_eq!(MetricSpread::from_values(&[(f64::NAN, Some(1.0)), (3.0, Some(1.0))]).unwrap().shards, 1);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_episodes_are_cut_into_shards(value in -1e3..1e3, other in -1e3..1e3, n in 1_u32..50, m in 1_u32..50) {
            let (n, m) = (f64::from(n), f64::from(m));
            let whole = MetricSpread::from_values(&[(value, Some(2.0 * n)), (other, Some(m))]).unwrap();
            let cut = MetricSpread::from_values(&[(value, Some(n)), (value, Some(n)), (other, Some(m))]).unwrap();
            prop_assert!((whole.mean.unwrap() - cut.mean.unwrap()).abs() < 1e-9);
        }
    }
}
