//! How many more episodes a rate needs to be known well enough.

use super::distributions::normal::Z_95;
use crate::results::interval::WilsonInterval;

/// So near, on either side, is near enough to report a rate: 5 percentage points.
pub const NEAR: f64 = 0.05;

/// Episodes after which a rate is known to `half` on either side, by Wilson's interval solved for them.
pub fn episodes_for(rate: f64, half: f64) -> f64 {
    let t = Z_95 * Z_95;
    let u = rate * (1.0 - rate) - 2.0 * half * half;
    let root = (u * u - half * half * (4.0 * half * half - 1.0)).max(0.0).sqrt();
    t * (u + root) / (2.0 * half * half)
}

/// The least and the most episodes that are still needed: the rate may lie anywhere in its interval. None where the
/// rate is known to [`NEAR`] already.
pub fn episodes_left(successes: f64, episodes: f64) -> Option<(u64, u64)> {
    let interval = WilsonInterval::wilson(successes, episodes)?;
    if interval.high - interval.low <= 2.0 * NEAR {
        return None;
    }
    let even = Some(0.5).filter(|rate| (interval.low..=interval.high).contains(rate));
    let needed: Vec<f64> = [Some(interval.low), Some(interval.high), even]
        .into_iter()
        .flatten()
        .map(|rate| (episodes_for(rate, NEAR) - episodes).max(0.0).ceil())
        .collect();
    let least = needed.iter().copied().fold(f64::MAX, f64::min);
    let most = needed.iter().copied().fold(0.0, f64::max);
    (most >= 1.0).then_some((least as u64, most as u64))
}

/// `n = 210 more for ±5 points`; `None` if it is known that well.
pub fn power_line(successes: f64, episodes: f64) -> Option<String> {
    let (least, most) = episodes_left(successes, episodes)?;
    let points = 100.0 * NEAR;
    Some(match least {
        least if least == most => format!("n = {most} more for ±{points} points"),
        least => format!("n = {least} to {most} more for ±{points} points"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_that_of_the_reference() {
        for (rate, half, expected) in [
            (0.5, 0.05, 380.304_423_248_718),
            (0.8, 0.05, 244.154_061_380_287),
            (1.0, 0.05, 34.573_129_386_247),
        ] {
            let episodes = episodes_for(rate, half);
            assert!((episodes - expected).abs() < 1e-9, "{episodes} is not {expected}");
            let interval = WilsonInterval::wilson(rate * episodes, episodes).unwrap();
            assert!(((interval.high - interval.low) / 2.0 - half).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_there_counts_and_what_is_known_needs_no_more() {
        let (least, most) = episodes_left(41.0, 50.0).unwrap();
        assert!(least < most && most < 331, "{least} {most}");
        assert_eq!(power_line(41.0, 50.0).unwrap(), format!("n = {least} to {most} more for ±5 points"));
        assert_eq!(power_line(500.0, 1000.0), None);
        assert_eq!(power_line(0.0, 0.0), None);
        assert_eq!(episodes_left(5.0, 10.0).unwrap().1, 371, "an even chance is the hardest to know");
    }
}
