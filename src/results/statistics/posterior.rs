//! The posterior of a rate from counts by Bayes' rule, with every rate as likely as any other before.

use serde::Serialize;
use serde_json::{Value, json};

use super::difference::Sample;
use super::distributions::beta::{beta_quantile, ln_beta};

/// So many points make a smooth shape.
const POINTS: usize = 101;

/// The distribution Beta(1 + k, 1 + n - k) of a rate after k successes in n episodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Posterior {
    a: f64,
    b: f64,
}

impl Posterior {
    /// After so many successes and failures; `None` if counts are none.
    pub fn from_sample(sample: Sample) -> Option<Self> {
        let is_count = (0.0..=sample.episodes).contains(&sample.successes) && sample.episodes > 0.0;
        is_count.then_some(Self { a: 1.0 + sample.successes, b: 1.0 + sample.episodes - sample.successes })
    }

    /// The rate below which it lies with this probability.
    pub fn quantile(self, part: f64) -> f64 {
        beta_quantile(part, self.a, self.b)
    }

    /// Median and the ends of the middle 95 %.
    pub fn median_and_interval(self) -> [f64; 3] {
        [0.5, 0.025, 0.975].map(|part| self.quantile(part))
    }

    /// Rates and how likely each is, of the likeliest: from 0 to 1, over the middle 99.8 %.
    pub fn density_curve(self) -> Vec<(f64, f64)> {
        let (low, high) = (self.quantile(0.001), self.quantile(0.999));
        let mode = (self.a - 1.0) / (self.a + self.b - 2.0);
        let most = self.ln_density(mode);
        (0..POINTS)
            .map(|number| low + (high - low) * number as f64 / (POINTS - 1) as f64)
            .map(|rate| (rate, (self.ln_density(rate) - most).exp()))
            .collect()
    }

    /// Up to a constant. On an edge with no counts against it, 0 times an infinite logarithm is nothing.
    fn ln_density(self, rate: f64) -> f64 {
        let term = |power: f64, base: f64| if power == 0.0 { 0.0 } else { power * base.ln() };
        term(self.a - 1.0, rate) + term(self.b - 1.0, 1.0 - rate)
    }

    /// How likely this rate is the larger one of two that were measured on episodes of their own.
    pub fn probability_above(self, other: Self) -> f64 {
        // Both counts are whole where programs count; a rate that a log rounds is taken to the nearest.
        let terms = self.a.round() as u64;
        let tail = ln_beta(other.a, other.b);
        let sum: f64 = (0..terms)
            .map(|i| {
                let i = i as f64;
                let ln = ln_beta(other.a + i, self.b + other.b)
                    - (self.b + i).ln()
                    - ln_beta(1.0 + i, self.b)
                    - tail;
                ln.exp()
            })
            .sum();
        sum.clamp(0.0, 1.0)
    }

    /// As a part of `summary.json`.
    pub fn to_json(self) -> Value {
        let [median, low, high] = self.median_and_interval();
        json!({"prior": "Beta(1, 1)", "median": median, "low_95": low, "high_95": high})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posterior(successes: f64, episodes: f64) -> Posterior {
        Posterior::from_sample(Sample { successes, episodes }).unwrap()
    }

    #[test]
    fn the_better_one_is_better_as_often_as_exact_fractions_say() {
        for ((k, n), (l, m), expected) in [
            ((33.0, 50.0), (41.0, 50.0), 0.964_260_029_243),
            ((0.0, 10.0), (3.0, 10.0), 0.954_887_218_045),
            ((170.0, 200.0), (180.0, 200.0), 0.933_305_293_218),
            ((20.0, 20.0), (19.0, 20.0), 0.243_902_439_024),
            ((0.0, 10.0), (0.0, 10.0), 0.5),
        ] {
            let (first, second) = (posterior(k, n), posterior(l, m));
            let above = second.probability_above(first);
            assert!((above - expected).abs() < 1e-9, "{above} is not {expected}");
            assert!((above + first.probability_above(second) - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_shape_has_its_peak_at_the_rate() {
        let shape = posterior(41.0, 50.0).density_curve();
        let (peak, height) = shape.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!((peak - 0.82).abs() < 0.01 && (0.99..=1.0).contains(&height), "{peak} {height}");
        assert!(
            shape.iter().all(|(rate, height)| (0.0..=1.0).contains(rate) && (0.0..=1.0).contains(height))
        );
        let edge = posterior(0.0, 10.0).density_curve();
        assert!(edge.iter().all(|(_, height)| height.is_finite()), "nothing succeeded");
        assert!(edge[0].1 > 0.98 && edge[100].1 < 0.01);
    }

    #[test]
    fn what_is_no_count_has_no_posterior() {
        assert_eq!(Posterior::from_sample(Sample { successes: 3.0, episodes: 2.0 }), None);
        assert_eq!(Posterior::from_sample(Sample { successes: 0.0, episodes: 0.0 }), None);
    }
}
