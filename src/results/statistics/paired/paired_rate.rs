//! Two rates over the same episodes: how often exactly one of both succeeded, and what that shows.

use serde::Serialize;

use crate::results::statistics::difference::Difference;
use crate::results::statistics::distributions::normal::Z_95;

/// Halvings of the range in which an end of an interval lies: then nothing of it is left between two numbers.
const HALVINGS: usize = 100;

/// How pairs of episodes ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pairs {
    /// Episodes in which both succeeded.
    pub both: u32,
    /// Only the first did.
    pub first_only: u32,
    /// Only the second did.
    pub second_only: u32,
    /// Episodes in which neither succeeded.
    pub neither: u32,
}

impl Pairs {
    /// Counts one more pair by how both ended.
    pub fn add_pair(&mut self, first: bool, second: bool) {
        let count = match (first, second) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.first_only,
            (false, true) => &mut self.second_only,
            (false, false) => &mut self.neither,
        };
        *count += 1;
    }

    /// Counts all of the pairs.
    pub fn count(self) -> u32 {
        self.both + self.count_discordant() + self.neither
    }

    /// Counts the pairs that ended differently.
    pub fn count_discordant(self) -> u32 {
        self.first_only + self.second_only
    }

    /// The pairs of both counts.
    #[must_use]
    pub fn combined_with(self, other: Self) -> Self {
        Self {
            both: self.both + other.both,
            first_only: self.first_only + other.first_only,
            second_only: self.second_only + other.second_only,
            neither: self.neither + other.neither,
        }
    }

    /// McNemar's exact test: how likely chance alone splits the pairs that ended differently at least so unevenly.
    pub fn exact_p(self) -> f64 {
        (2.0 * self.binomial_tail().0).min(1.0)
    }

    /// The same with half the weight of what was seen itself: the exact test is needlessly careful, and this one has
    /// not been found to be wrong more often than its level (Fagerland and others, BMC Medical Research
    /// Methodology 13:91, 2013).
    pub fn mid_p(self) -> f64 {
        let (tail, at) = self.binomial_tail();
        if self.count_discordant() == 0 { 1.0 } else { (2.0 * tail - at).clamp(0.0, 1.0) }
    }

    /// How likely a fair coin falls at most as often to the rarer side, and exactly as often.
    fn binomial_tail(self) -> (f64, f64) {
        let tosses = f64::from(self.count_discordant());
        let rarer = self.first_only.min(self.second_only);
        // Counted in logarithms: half to the power of 1100 is less than the smallest number.
        let chance = |seen: f64| {
            let ways =
                libm::lgamma(tosses + 1.0) - libm::lgamma(seen + 1.0) - libm::lgamma(tosses - seen + 1.0);
            (ways - tosses * std::f64::consts::LN_2).exp()
        };
        let at = chance(f64::from(rarer));
        // Each next one towards nothing is smaller by a known share, so that one logarithm serves for all.
        let mut tail = 0.0;
        let mut term = at;
        for seen in (0..=rarer).rev() {
            tail += term;
            let seen = f64::from(seen);
            term *= seen / (tosses - seen + 1.0);
        }
        (tail.min(1.0), at)
    }

    /// The first rate less the second with Tango's score interval (Statistics in Medicine 17, 891-908, 1998), which
    /// needs nothing but the pairs that ended differently and stays honest where nearly all ended alike. None without
    /// pairs.
    pub fn difference(self) -> Option<Difference> {
        self.difference_at(Z_95)
    }

    /// The same for another deviation of the normal distribution.
    pub fn difference_at(self, z: f64) -> Option<Difference> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let value = (f64::from(self.first_only) - f64::from(self.second_only)) / f64::from(count);
        let low = if self.second_only == count { -1.0 } else { self.bisect_end(z, -1.0, value) };
        let high = if self.first_only == count { 1.0 } else { self.bisect_end(z, 1.0, value) };
        Some(Difference { value, low, high })
    }

    /// The difference between `outside`, which is too far away to be true, and `inside`, where the deviation becomes
    /// `z`.
    fn bisect_end(self, z: f64, mut outside: f64, mut inside: f64) -> f64 {
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(outside, inside);
            if self.score_deviation(middle).abs() > z { outside = middle } else { inside = middle }
        }
        f64::midpoint(outside, inside)
    }

    /// How many standard errors the counts lie from what they are where the difference is `difference`.
    fn score_deviation(self, difference: f64) -> f64 {
        let n = f64::from(self.count());
        let (b, c) = (f64::from(self.first_only), f64::from(self.second_only));
        let spread = difference * (1.0 - difference);
        let linear = (2.0 * n - b + c) * difference - b - c;
        let root = (linear * linear + 8.0 * n * c * spread).max(0.0).sqrt();
        let second_only = ((root - linear) / (4.0 * n)).max(0.0);
        let variance = (n * (2.0 * second_only + spread)).max(f64::MIN_POSITIVE);
        (b - c - n * difference) / variance.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    fn pairs(first_only: u32, second_only: u32, count: u32) -> Pairs {
        Pairs { both: count - first_only - second_only, first_only, second_only, neither: 0 }
    }

    #[test]
    fn pairs_that_all_ended_alike_are_no_certainty() {
        let none = pairs(0, 0, 50);
        let difference = none.difference().unwrap();
        let bound = Z_95 * Z_95 / (50.0 + Z_95 * Z_95);
        assert!((difference.high - bound).abs() < 1e-12 && (difference.low + bound).abs() < 1e-12);
        assert_eq!((none.mid_p(), none.exact_p()), (1.0, 1.0));
        assert_eq!(Pairs::default().difference(), None);
    }

    #[test]
    fn at_the_edges_it_ends() {
        let all = pairs(9, 0, 9).difference().unwrap();
        assert!(
            (all.value - 1.0).abs() < 1e-12 && (all.high - 1.0).abs() < 1e-12 && all.low > 0.4,
            "{all:?}"
        );
        let many = pairs(30_000, 29_000, 100_000);
        assert!((0.0..1e-3).contains(&many.mid_p()), "{}", many.mid_p());
    }

    #[test]
    fn five_hundred_paired_episodes_tell_more_than_as_many_that_are_not() {
        use crate::results::statistics::difference::Sample;
        // 336 of 500 succeed, and 305 of the same 500.
        let pairs = Pairs { both: 300, first_only: 36, second_only: 5, neither: 159 };
        let points = |difference: Difference| {
            [difference.low, difference.high].map(|end| (1000.0 * end).round() / 10.0)
        };
        let sample = |successes: u32| Sample { successes: f64::from(successes), episodes: 500.0 };
        assert_eq!(points(Difference::between_samples(sample(336), sample(305)).unwrap()), [0.3, 12.1]);
        assert_eq!(points(pairs.difference().unwrap()), [3.9, 8.9]);
        assert!(pairs.mid_p() < 1e-6);
    }

    proptest! {
        #[test]
        fn swapping_both_turns_the_interval_around(b in 0_u32..40, c in 0_u32..40, rest in 0_u32..60) {
            let pairs = Pairs { both: rest, first_only: b, second_only: c, neither: 1 };
            let swapped = Pairs { first_only: c, second_only: b, ..pairs };
            let (one, other) = (pairs.difference().unwrap(), swapped.difference().unwrap());
            prop_assert!((one.low + other.high).abs() < 1e-9 && (one.high + other.low).abs() < 1e-9);
            prop_assert!(one.low <= one.value && one.value <= one.high);
            prop_assert!((pairs.mid_p() - swapped.mid_p()).abs() < 1e-12);
            prop_assert!(pairs.mid_p() <= pairs.exact_p() + 1e-12);
        }
    }
}
