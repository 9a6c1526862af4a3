//! Resampling that gives the same numbers each time: the seed is made of a name, never of a clock.

use crate::results::interval::WilsonInterval;

/// So many replicates; with one more than them, a fortieth lies on either side of the interval.
pub const REPLICATES: usize = 9999;

/// Steele, Lea and Flood's SplitMix64.
#[derive(Debug, Clone, Copy)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// A stream of numbers from this seed on.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream of one replicate: each has its own, so that no number depends on how many there are.
    pub fn of_replicate(seed: u64, replicate: usize) -> Self {
        let before = seed.wrapping_add(Self::STEP.wrapping_mul(replicate as u64));
        Self(Self(before).next())
    }

    /// Draws the next number of the sequence.
    #[expect(clippy::should_implement_trait, reason = "a stream without an end is no iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number below `count`.
    pub fn next_below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    /// The next number between 0 and 1.
    pub fn next_fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The seed of a name: Fowler, Noll and Vo's hash 1a of 64 bits.
pub fn seed_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The percentile interval of a mean over clusters that are drawn again with replacement. None of nothing.
pub fn of_clusters(name: &str, rates: &[f64]) -> Option<WilsonInterval> {
    if rates.is_empty() {
        return None;
    }
    let seed = seed_of(name);
    let mut means: Vec<f64> = (0..REPLICATES)
        .map(|replicate| {
            let mut stream = SplitMix64::of_replicate(seed, replicate);
            let sum: f64 = rates.iter().map(|_| rates[stream.next_below(rates.len())]).sum();
            sum / rates.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let rank = (REPLICATES + 1) / 40;
    Some(WilsonInterval { low: means[rank - 1], high: means[REPLICATES - rank] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_published_ones() {
        let mut stream = SplitMix64::new(1_234_567);
        assert_eq!([stream.next(), stream.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        assert_eq!(seed_of("foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(seed_of("return/policy=a"), 0x1b39_e623_486d_08ec);
        let mut first = SplitMix64::of_replicate(seed_of("return/policy=a"), 0);
        let drawn: Vec<usize> = (0..10).map(|_| first.next_below(5)).collect();
        assert_eq!(drawn, [4, 3, 0, 0, 2, 3, 0, 3, 3, 2]);
    }

    #[test]
    fn the_same_name_gives_the_same_interval() {
        let rates = [0.2, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.8, 0.9, 0.9];
        let interval = of_clusters("success", &rates).unwrap();
        assert_eq!(of_clusters("success", &rates), Some(interval));
        assert!(interval.low > 0.4 && interval.low < 0.55 && interval.high > 0.65 && interval.high < 0.8);
        assert_eq!(of_clusters("success", &[]), None);
    }
}
