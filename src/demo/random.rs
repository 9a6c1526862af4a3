//! A seeded generator of random numbers: the same seed gives the same episode on every machine.

/// The generator xoshiro256++ of Blackman and Vigna, filled by splitmix64.
#[derive(Debug, Clone)]
pub struct Random([u64; 4]);

impl Random {
    /// A stream of its own for each pair of numbers.
    pub fn new(seed: u64, stream: u64) -> Self {
        // Two rounds of mixing keep neighbouring seeds and streams from running alike.
        let mut state = seed;
        let mixed = split_mix(&mut state);
        let mut state = mixed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03);
        Self(std::array::from_fn(|_| split_mix(&mut state)))
    }

    /// Evenly spread over a range.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True in this part of all cases.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// At least 0, below 1: the upper 53 bits are all that a float can hold.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.0 = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        // The first outputs of xoshiro256++ from the state 1, 2, 3, 4, and of splitmix64 from 0.
        let mut random = Random([1, 2, 3, 4]);
        assert_eq!([random.next(), random.next()], [41_943_041, 58_720_359]);
        assert_eq!(split_mix(&mut 0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_stream_gives_others() {
        let draw = |seed, stream| {
            let mut random = Random::new(seed, stream);
            [random.between(-1.0, 1.0), random.between(-1.0, 1.0)]
        };
        assert_eq!(draw(7, 0), draw(7, 0));
        assert_ne!(draw(7, 0), draw(7, 1));
        assert_ne!(draw(7, 0), draw(8, 0));
    }

    #[test]
    fn numbers_are_spread_evenly() {
        let mut random = Random::new(1, 1);
        let mean = (0..10_000).map(|_| random.between(2.0, 4.0)).sum::<f64>() / 10_000.0;
        assert!((mean - 3.0).abs() < 0.03, "{mean}");
        let hits = (0..10_000).filter(|_| random.chance(0.2)).count();
        assert!((1800..2200).contains(&hits), "{hits}");
    }
}
