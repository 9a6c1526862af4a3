//! How sure the difference of two success rates is.

use serde::Serialize;

use crate::results::interval::WilsonInterval;

/// Successes among a number of episodes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// Number of episodes that succeeded.
    pub successes: f64,
    /// Number of all episodes of the sample.
    pub episodes: f64,
}

impl Sample {
    /// Adds up both samples.
    #[must_use]
    pub fn combined_with(self, other: Self) -> Self {
        Self { successes: self.successes + other.successes, episodes: self.episodes + other.episodes }
    }

    /// The part that succeeded.
    pub fn rate(self) -> f64 {
        self.successes / self.episodes
    }
}

/// The difference of two rates, the first less the second, from -1 to 1, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Best guess of the difference.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
}

impl Difference {
    /// Newcombe's hybrid score interval (Statistics in Medicine 17, 873-890, 1998, method 10): it is made of the two
    /// Wilson intervals and stays sensible where these do. None without episodes on either side.
    pub fn between_samples(first: Sample, second: Sample) -> Option<Self> {
        let a = WilsonInterval::wilson(first.successes, first.episodes)?;
        let b = WilsonInterval::wilson(second.successes, second.episodes)?;
        let (p, q) = (first.rate(), second.rate());
        let value = p - q;
        Some(Self {
            value,
            low: value - (p - a.low).hypot(b.high - q),
            high: value + (a.high - p).hypot(q - b.low),
        })
    }

    /// Computes the mean difference over strata, pairs of samples of like with like: each stratum is weighted by the
    /// information in its episodes (Mantel and Haenszel's `n m / (n + m)`), and the distances to the ends add up like
    /// independent errors (Zou and Donner's MOVER, Statistics in Medicine 27, 1693-1702, 2008). Of one stratum it is
    /// [`Self::between_samples`]. Pairs without episodes on either side are skipped.
    pub fn stratified(strata: &[(Sample, Sample)]) -> Option<Self> {
        let parts: Vec<(f64, Self)> = strata
            .iter()
            .filter_map(|(first, second)| {
                let (n, m) = (first.episodes, second.episodes);
                Some((n * m / (n + m), Self::between_samples(*first, *second)?))
            })
            .collect();
        let whole: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let sum = |term: &dyn Fn(f64, &Self) -> f64| -> f64 {
            parts.iter().map(|(weight, part)| term(weight / whole, part)).sum()
        };
        let value = sum(&|weight, part| weight * part.value);
        let below = sum(&|weight, part| (weight * (part.value - part.low)).powi(2)).sqrt();
        let above = sum(&|weight, part| (weight * (part.high - part.value)).powi(2)).sqrt();
        (!parts.is_empty()).then_some(Self {
            value,
            low: (value - below).max(-1.0),
            high: (value + above).min(1.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    fn sample(successes: u32, episodes: u32) -> Sample {
        Sample { successes: f64::from(successes), episodes: f64::from(episodes) }
    }

    #[test]
    fn the_interval_is_that_of_the_published_table() {
        // Newcombe 1998, table II, method 10.
        let published = [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((6, 7), (2, 7), 0.0582, 0.8062),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((0, 10), (0, 20), -0.1611, 0.2775),
            ((0, 10), (0, 10), -0.2775, 0.2775),
            ((10, 10), (0, 20), 0.6791, 1.0),
            ((10, 10), (0, 10), 0.6075, 1.0),
        ];
        for ((a, n), (b, m), low, high) in published {
            let difference = Difference::between_samples(sample(a, n), sample(b, m)).unwrap();
            let close = |is: f64, should: f64| (is - should).abs() < 5e-5 + 1e-9;
            assert!(
                close(difference.low, low) && close(difference.high, high),
                "{a}/{n} - {b}/{m}: {difference:?}"
            );
        }
    }

    #[test]
    fn like_is_compared_with_like() {
        // Simpson's paradox: the first is better on every env, and was tried more often on the hard one.
        let easy = (sample(19, 20), sample(170, 200));
        let hard = (sample(60, 200), sample(4, 20));
        let difference = Difference::stratified(&[easy, hard]).unwrap();
        assert!((difference.value - 0.1).abs() < 1e-12, "{difference:?}");
        let pooled = Difference::between_samples(sample(79, 220), sample(174, 220)).unwrap();
        assert!(pooled.value < -0.4);
    }

    #[test]
    fn without_episodes_nothing_is_said() {
        assert_eq!(Difference::between_samples(sample(1, 2), sample(0, 0)), None);
        assert_eq!(Difference::stratified(&[]), None);
        let one = (sample(5, 10), sample(2, 10));
        let nothing = (sample(0, 0), sample(3, 10));
        assert_eq!(Difference::stratified(&[one, nothing]), Difference::stratified(&[one]));
    }

    proptest! {
        #[test]
        fn the_ends_hold_the_value_and_turn_with_the_sides(n in 1_u32..400, m in 1_u32..400, a in 0.0..1.0, b in 0.0..1.0) {
            let first = sample((f64::from(n) * a) as u32, n);
            let second = sample((f64::from(m) * b) as u32, m);
            let there = Difference::between_samples(first, second).unwrap();
            let back = Difference::between_samples(second, first).unwrap();
            prop_assert!(there.low <= there.value && there.value <= there.high);
            prop_assert!(-1.0 - 1e-12 <= there.low && there.high <= 1.0 + 1e-12);
            prop_assert!((there.low + back.high).abs() < 1e-12 && (there.value + back.value).abs() < 1e-12);
            let one = Difference::stratified(&[(first, second)]).unwrap();
            prop_assert!((one.low - there.low).abs() < 1e-9 && (one.high - there.high).abs() < 1e-9);
            let many = Difference::stratified(&[(first, second); 4]).unwrap();
            prop_assert!((many.value - there.value).abs() < 1e-9);
            prop_assert!(many.high - many.low <= there.high - there.low + 1e-12, "four times the episodes tell more");
        }
    }
}
