//! Whether two rates that were measured over the same strata differ by more than chance.

use super::difference::Sample;
use super::distributions::normal::two_sided_p;

/// The two-sided p-value of Cochran, Mantel and Haenszel's test without continuity correction: how likely a difference
/// at least as large is where both succeed equally often within every stratum. Strata in which one side has no episode,
/// or in which all or none succeed, have no weight; where all are so, it is 1.
///
/// Mantel and Haenszel, Journal of the National Cancer Institute 22, 719-748 (1959).
pub fn p_value(strata: &[(Sample, Sample)]) -> f64 {
    let mut surplus = 0.0;
    let mut variance = 0.0;
    for (first, second) in strata {
        let episodes = first.episodes + second.episodes;
        let successes = first.successes + second.successes;
        if first.episodes > 0.0 && second.episodes > 0.0 && episodes > 1.0 {
            surplus += first.successes - first.episodes * successes / episodes;
            variance += first.episodes * second.episodes * successes * (episodes - successes)
                / (episodes * episodes * (episodes - 1.0));
        }
    }
    if variance > 0.0 { two_sided_p(surplus / variance.sqrt()) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    fn sample(successes: u32, episodes: u32) -> Sample {
        Sample { successes: f64::from(successes), episodes: f64::from(episodes) }
    }

    #[test]
    fn the_p_value_is_that_of_statsmodels() {
        // statsmodels 0.14, `StratifiedTable(…).test_null_odds(correction=False)`.
        let one = p_value(&[(sample(92, 100), sample(81, 100))]);
        assert!((one - 0.023_179_549_889).abs() < 1e-10, "{one}");
        let two = p_value(&[(sample(19, 20), sample(170, 200)), (sample(60, 200), sample(4, 20))]);
        assert!((two - 0.136_967_456_470).abs() < 1e-10, "{two}");
    }

    #[test]
    fn strata_that_say_nothing_change_nothing() {
        let telling = (sample(9, 10), sample(3, 10));
        let silent = [telling, (sample(0, 0), sample(5, 9)), (sample(7, 7), sample(7, 7))];
        assert!((p_value(&silent) - p_value(&[telling])).abs() < f64::EPSILON);
        assert!((p_value(&silent[1..]) - 1.0).abs() < f64::EPSILON);
        assert!((p_value(&[]) - 1.0).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn it_is_a_probability_and_does_not_know_which_side_is_first(n in 0_u32..60, m in 0_u32..60, a in 0.0..1.0, b in 0.0..1.0) {
            let (first, second) = (sample((f64::from(n) * a) as u32, n), sample((f64::from(m) * b) as u32, m));
            let p = p_value(&[(first, second)]);
            prop_assert!((0.0..=1.0).contains(&p), "{}", p);
            prop_assert!((p - p_value(&[(second, first)])).abs() < 1e-12);
        }
    }
}
