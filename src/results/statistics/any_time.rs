//! A rate whose episodes ended when a comparison was decided: how many they are depends on how they went, so that an
//! interval for a fixed number of them is too short.

use super::difference::Sample;
use crate::results::interval::WilsonInterval;
use crate::results::outcome::ShardOutcome;

/// The interval misses the truth with at most this chance, over all moments at which one may stop.
const LEVEL: f64 = 0.05;

/// So many halvings leave nothing between two numbers.
const HALVINGS: u32 = 100;

/// Effect that the early end of a comparison has on an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EarlyStop {
    /// Nothing: all episodes of the plan count.
    #[default]
    None,
    /// Episodes were saved, and the interval holds whenever one stops.
    Allowed,
    /// Episodes were saved, and the interval is one for a fixed number of them.
    NotAllowed,
}

impl EarlyStop {
    /// Returns the effect for a rate whose episodes were saved or not, with clusters or without: Student's t knows of
    /// no stop.
    pub fn for_rate(is_stopped: bool, has_clusters: bool) -> Self {
        match (is_stopped, has_clusters) {
            (false, _) => Self::None,
            (true, false) => Self::Allowed,
            (true, true) => Self::NotAllowed,
        }
    }

    /// Returns the effect for these shards, where the method is one for a plan that is run to its end: metrics, and
    /// differences along other axes.
    pub fn of_fixed_plan<'s, 'a: 's>(shards: impl IntoIterator<Item = &'s ShardOutcome<'a>>) -> Self {
        Self::for_rate(shards.into_iter().any(|shard| shard.is_unneeded), true)
    }

    /// Returns the remark to print next to the interval; empty if there is none.
    pub fn remark_text(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Allowed => Some("stopped early: the interval holds at any stop"),
            Self::NotAllowed => Some("stopped early: the interval is not adjusted for that"),
        }
    }

    /// Returns the remark as it follows a number: after a comma, or empty.
    pub fn suffix(self) -> String {
        self.remark_text().map(|words| format!(", {words}")).unwrap_or_default()
    }

    /// Returns the key for programs, if any.
    pub fn key(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Allowed => Some("interval-at-any-stop"),
            Self::NotAllowed => Some("interval-not-adjusted"),
        }
    }
}

/// All rates at which these counts are not too unlikely: P(k of n) > level / (n + 1). Whenever one looks, it misses the
/// truth with at most the chance `level` over all looks together (Robbins, Annals of Mathematical Statistics 41,
/// 1397-1409, 1970: the uniform mixture, whose capital is 1 / ((n + 1) P(k of n))). None without episodes.
pub fn any_time_interval(sample: Sample) -> Option<WilsonInterval> {
    let Sample { successes, episodes } = sample;
    if !(episodes > 0.0 && (0.0..=episodes).contains(&successes)) {
        return None;
    }
    let rate = successes / episodes;
    let low = if successes > 0.0 { bisect_end(sample, 0.0, rate) } else { 0.0 };
    let high = if successes < episodes { bisect_end(sample, 1.0, rate) } else { 1.0 };
    Some(WilsonInterval { low, high })
}

/// Between `outside`, where the counts cannot be, and `inside`, where they are most likely.
fn bisect_end(sample: Sample, mut outside: f64, mut inside: f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(outside, inside);
        if ln_capital(sample, middle) < -LEVEL.ln() { inside = middle } else { outside = middle }
    }
    f64::midpoint(outside, inside)
}

/// The logarithm of what a bet against this rate has come to.
fn ln_capital(Sample { successes, episodes }: Sample, rate: f64) -> f64 {
    let failures = episodes - successes;
    let ln_ways = libm::lgamma(episodes + 1.0) - libm::lgamma(successes + 1.0) - libm::lgamma(failures + 1.0);
    // Of 0 successes or failures the logarithm of 0 must not count.
    let ln_power = |times: f64, part: f64| if times > 0.0 { times * part.ln() } else { 0.0 };
    -(episodes + 1.0).ln() - ln_ways - ln_power(successes, rate) - ln_power(failures, 1.0 - rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_the_reference() {
        for (successes, episodes, low, high) in [
            (41.0, 50.0, 0.613_911_425_782, 0.946_196_735_317),
            (0.0, 20.0, 0.0, 0.260_671_350_938),
            (180.0, 200.0, 0.811_695_549_561, 0.957_375_666_111),
        ] {
            let found = any_time_interval(Sample { successes, episodes }).unwrap();
            assert!((found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(any_time_interval(Sample { successes: 0.0, episodes: 0.0 }), None);
        assert_eq!(any_time_interval(Sample { successes: 3.0, episodes: 2.0 }), None);
    }

    #[test]
    fn it_holds_whatever_one_for_a_fixed_number_does() {
        for (successes, episodes) in [(0.0, 1.0), (1.0, 1.0), (7.0, 10.0), (400.0, 1000.0)] {
            let fixed = WilsonInterval::wilson(successes, episodes).unwrap();
            let found = any_time_interval(Sample { successes, episodes }).unwrap();
            assert!(found.low <= fixed.low && found.high >= fixed.high, "{found:?} in {fixed:?}");
        }
    }
}
