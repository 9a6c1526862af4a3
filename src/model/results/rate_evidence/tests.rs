//! The evidence against published figures, and its level and saving over thousands of simulated runs.

use std::collections::HashMap;

use super::*;

/// Pairs of single episodes: what both did is known.
fn pairs(only_first: u64, only_second: u64, episodes: u64) -> RateEvidence {
    let mut evidence = RateEvidence::default();
    let ends = [((1, 0), only_first), ((0, 1), only_second), ((0, 0), episodes - only_first - only_second)];
    for ((first, second), times) in ends {
        (0..times).for_each(|_| evidence.add_block(EpisodeBlock { episodes: 1, first, second }));
    }
    evidence
}

#[test]
fn of_single_pairs_it_is_robbins_mixture() {
    for ((first, second), expected) in [
        ((5, 0), 5.333_333_333_333),
        ((7, 0), 16.0),
        ((8, 0), 28.444_444_444_444),
        ((12, 2), 12.002_930_402_930),
        ((70, 30), 427.306_646_936_897),
    ] {
        let e = pairs(first, second, first + second).e_value();
        // The stakes are 256 and not all there are.
        assert!((e / expected - 1.0).abs() < 2e-4, "{e} is not {expected}");
    }
}

#[test]
fn the_interval_is_that_of_the_reference() {
    for ((first, second, episodes), low, high) in [
        ((12, 2, 50), -0.015_294_877_120, 0.418_878_212_870),
        ((70, 30, 200), 0.042_952_369_865, 0.350_403_763_270),
        ((0, 0, 50), -0.099_027_216_712, 0.099_027_216_712),
    ] {
        let interval = pairs(first, second, episodes).confidence_interval(20.0).unwrap();
        let close = |is: f64, should: f64| (is - should).abs() < 1e-8;
        assert!(close(interval.low, low) && close(interval.high, high), "{interval:?}");
    }
    assert_eq!(RateEvidence::default().confidence_interval(20.0), None);
}

#[test]
fn counts_alone_say_what_the_mean_over_all_pairings_says() {
    // Two of three against one of three: both succeed in one pair with the chance of 2/3.
    let mut counted = RateEvidence::default();
    counted.add_block(EpisodeBlock { episodes: 3, first: 2, second: 1 });
    let known = [(1.0 / 3.0, pairs(2, 1, 3)), (2.0 / 3.0, pairs(1, 0, 3))];
    for difference in [-0.4, 0.0, 0.3] {
        let mean: f64 = known.iter().map(|(chance, one)| chance * one.ln_capital(difference).exp()).sum();
        assert!((counted.ln_capital(difference).exp() / mean - 1.0).abs() < 1e-9);
    }
    counted.add_block(EpisodeBlock { episodes: 2, first: 3, second: 0 });
    assert_eq!(counted.episodes(), 3, "counts that cannot be say nothing");
}

#[test]
fn the_mean_of_the_capital_is_one_where_rates_are_equal() {
    // Exactly, over all counts of a block of 8 at a rate of 0.3.
    let chance = |k: u64| (ln_choose(8, k) + k as f64 * 0.3_f64.ln() + (8 - k) as f64 * 0.7_f64.ln()).exp();
    let mut mean = 0.0;
    for (first, second) in (0..=8).flat_map(|first| (0..=8).map(move |second| (first, second))) {
        let mut evidence = RateEvidence::default();
        evidence.add_block(EpisodeBlock { episodes: 8, first, second });
        mean += chance(first) * chance(second) * evidence.e_value();
    }
    assert!((mean - 1.0).abs() < 1e-9, "{mean}");
}

const RUNS: u32 = 10_000;

/// Episodes of each side, in blocks.
const PLANNED: u64 = 200;
const IN_BLOCK: u64 = 10;

/// A generator for the simulation: SplitMix64.
struct Chance(u64);

impl Chance {
    fn part(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Successes of a block at rates `p` and `q`; with `shared`, a part of the episodes has one fate on both sides.
    fn block(&mut self, p: f64, q: f64, shared: f64) -> (u64, u64) {
        let mut block = (0, 0);
        for _ in 0..IN_BLOCK {
            let (first, second) = self.pair(p, q, shared);
            block.0 += u64::from(first);
            block.1 += u64::from(second);
        }
        block
    }

    /// How one episode ends on both sides.
    fn pair(&mut self, p: f64, q: f64, shared: f64) -> (bool, bool) {
        let (one, is_shared) = (self.part(), self.part() < shared);
        let other = if is_shared { one } else { self.part() };
        (one < p, other < q)
    }
}

/// How often a run is decided, and after how many episodes it ends in the mean.
fn simulate(p: f64, q: f64, shared: f64, limit: f64) -> (f64, f64) {
    let mut chance = Chance(2024);
    let mut factors: HashMap<(u64, u64), Vec<f64>> = HashMap::new();
    let (mut decided, mut used) = (0_u32, 0_u64);
    for _ in 0..RUNS {
        let mut capital = vec![0.0; STAKES];
        for look in 1..=PLANNED / IN_BLOCK {
            let (first, second) = chance.block(p, q, shared);
            let factors = factors.entry((first, second)).or_insert_with(|| {
                let pairings = Pairings::from_block(EpisodeBlock { episodes: IN_BLOCK, first, second });
                (0..STAKES).map(|number| pairings.ln_factor(stake_at(number, 0.0), 0.0)).collect()
            });
            capital.iter_mut().zip(factors.iter()).for_each(|(capital, factor)| *capital += *factor);
            // The mean is at most the largest, which is cheaper to look at.
            let may_be = capital.iter().any(|capital| *capital >= limit.ln());
            let is_decided = may_be && ln_mean_exp(&capital) >= limit.ln();
            decided += u32::from(is_decided);
            if is_decided || look == PLANNED / IN_BLOCK {
                used += look * IN_BLOCK;
                break;
            }
        }
    }
    (f64::from(decided) / f64::from(RUNS), used as f64 / f64::from(RUNS))
}

/// The same where every pair is known: only those that ended differently count.
fn simulate_pairs(p: f64, q: f64, shared: f64, limit: f64) -> (f64, f64) {
    let mut chance = Chance(2025);
    let mut known: HashMap<(u64, u64), bool> = HashMap::new();
    let (mut decided, mut used) = (0_u32, 0_u64);
    for _ in 0..RUNS {
        let mut alone = (0, 0);
        for look in 1..=PLANNED / IN_BLOCK {
            for _ in 0..IN_BLOCK {
                let (first, second) = chance.pair(p, q, shared);
                alone.0 += u64::from(first && !second);
                alone.1 += u64::from(second && !first);
            }
            let decides = || pairs(alone.0, alone.1, alone.0 + alone.1).e_value() >= limit;
            let is_decided = *known.entry(alone).or_insert_with(decides);
            decided += u32::from(is_decided);
            if is_decided || look == PLANNED / IN_BLOCK {
                used += look * IN_BLOCK;
                break;
            }
        }
    }
    (f64::from(decided) / f64::from(RUNS), used as f64 / f64::from(RUNS))
}

#[test]
fn the_level_is_kept_at_every_look_by_pairs_too() {
    for (rate, shared) in [(0.5, 0.0), (0.8, 0.0), (0.95, 0.0), (0.5, 0.5), (0.8, 0.5), (0.8, 0.9)] {
        let (false_alarms, _) = simulate_pairs(rate, rate, shared, 20.0);
        assert!(false_alarms <= 0.05, "{false_alarms} at {rate}, {shared} shared");
    }
}

#[test]
fn pairs_that_are_known_save_more_than_counts() {
    for (p, q, shared, most) in [(0.9, 0.8, 0.5, 0.9), (0.7, 0.5, 0.5, 0.8), (0.9, 0.8, 0.8, 0.75)] {
        let (of_counts, of_pairs) = (simulate(p, q, shared, 40.0), simulate_pairs(p, q, shared, 40.0));
        assert!(of_pairs.0 > of_counts.0 && of_pairs.1 < most * of_counts.1, "{of_counts:?}, {of_pairs:?}");
    }
}

#[test]
fn the_level_is_kept_at_every_look() {
    for (rate, shared) in [(0.5, 0.0), (0.8, 0.0), (0.95, 0.0), (0.8, 0.5)] {
        let (false_alarms, _) = simulate(rate, rate, shared, 20.0);
        assert!(false_alarms <= 0.05, "{false_alarms} at {rate}, {shared} shared");
    }
}

#[test]
fn a_decided_comparison_saves_episodes() {
    // Half of the level is kept for the end of the plan.
    let (decided, used) = simulate(0.7, 0.5, 0.0, 40.0);
    assert!(decided > 0.75 && used < 140.0, "decided {decided}, {used} episodes of {PLANNED}");
    let (decided, used) = simulate(0.9, 0.5, 0.0, 40.0);
    assert!(decided > 0.99 && used < 60.0, "decided {decided}, {used} episodes of {PLANNED}");
}
