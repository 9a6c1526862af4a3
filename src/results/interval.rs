//! How sure a success rate is.

use serde::Serialize;

use super::statistics::distributions::normal::Z_95;

/// The Wilson score interval of a success rate, 0 to 1: it stays sensible for few episodes and for rates of 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WilsonInterval {
    /// Lower end, as a rate from 0 to 1.
    pub low: f64,
    /// Upper end, as a rate from 0 to 1.
    pub high: f64,
}

impl WilsonInterval {
    /// The 95 % interval; none without episodes, or with more successes than episodes.
    pub fn wilson(successes: f64, episodes: f64) -> Option<Self> {
        if !(episodes > 0.0 && (0.0..=episodes).contains(&successes)) {
            return None;
        }
        let rate = successes / episodes;
        let z2 = Z_95 * Z_95;
        let middle = rate + z2 / (2.0 * episodes);
        let half = Z_95 * (rate * (1.0 - rate) / episodes + z2 / (4.0 * episodes * episodes)).sqrt();
        let scale = 1.0 + z2 / episodes;
        Some(Self { low: ((middle - half) / scale).max(0.0), high: ((middle + half) / scale).min(1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_published_results() {
        let close = |successes, episodes, low: f64, high: f64| {
            let interval = WilsonInterval::wilson(successes, episodes).unwrap();
            assert!((interval.low - low).abs() < 1e-9 && (interval.high - high).abs() < 1e-9, "{interval:?}");
        };
        close(216.0, 250.0, 0.815_964_228_570_538_4, 0.901_018_729_396_778);
        close(206.0, 250.0, 0.771_993_383_394_399_3, 0.866_200_238_532_552_5);
    }

    #[test]
    fn the_interval_is_that_of_the_published_table() {
        // Newcombe, Statistics in Medicine 17, 857-872 (1998), table I, method 3.
        for (successes, episodes, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let interval = WilsonInterval::wilson(successes, episodes).unwrap();
            let close = |is: f64, should: f64| (is - should).abs() <= 5e-5;
            assert!(
                close(interval.low, low) && close(interval.high, high),
                "{successes}/{episodes}: {interval:?}"
            );
        }
    }

    #[test]
    fn without_episodes_nothing_is_said() {
        assert_eq!(WilsonInterval::wilson(0.0, 0.0), None);
        assert_eq!(WilsonInterval::wilson(3.0, 2.0), None);
        assert_eq!(WilsonInterval::wilson(0.0, 10.0).unwrap().low, 0.0);
        assert!(WilsonInterval::wilson(10.0, 10.0).unwrap().high <= 1.0);
    }
}
