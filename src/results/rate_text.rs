//! A success rate as everyone may check it: the counts, the percentage, and the interval.

use super::interval::WilsonInterval;
use super::statistics::totals::Totals;
use crate::model::units::UNKNOWN;

/// Number of episodes from which on a tenth of a percent means something.
const FINE: f64 = 200.0;

/// Prints `41/50 82 % [69, 90]`, and how many shards it does not cover.
pub fn rate_text(totals: &Totals) -> String {
    let missing = match totals.count_missing() {
        0 => String::new(),
        missing => format!(", {missing} of {} shards missing", totals.shards),
    };
    format!("{}{missing}", rate_alone(totals).unwrap_or_else(|| UNKNOWN.to_owned()))
}

/// `41/50 82 % [69, 90]`; `None` if it is not known.
pub fn rate_alone(totals: &Totals) -> Option<String> {
    let (successes, episodes) = (totals.successes?, totals.episodes?);
    let rate = totals.success_rate()?;
    if totals.repeated > 0 {
        return Some(format!(
            "{successes}/{episodes} {}, no interval: episodes are repeated",
            format_percent(rate, episodes)
        ));
    }
    let interval = totals.success_interval()?;
    let clusters =
        totals.clusters.map(|clusters| format!(", {}", clusters.summary_text())).unwrap_or_default();
    let early = totals.early_stop().suffix();
    let (rate, ends) = (format_percent(rate, episodes), format_interval(interval, episodes));
    Some(format!("{successes}/{episodes} {rate} {ends}{clusters}{early}"))
}

/// A rate over so many episodes: `82 %`, of many `81.6 %`.
pub fn format_percent(rate: f64, episodes: f64) -> String {
    format!("{:.*} %", percent_digits(episodes), 100.0 * rate)
}

/// The ends of an interval over so many episodes: `[69, 90]`.
pub fn format_interval(interval: WilsonInterval, episodes: f64) -> String {
    let digits = percent_digits(episodes);
    format!("[{:.digits$}, {:.digits$}]", 100.0 * interval.low, 100.0 * interval.high)
}

fn percent_digits(episodes: f64) -> usize {
    usize::from(episodes >= FINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(successes: f64, episodes: f64) -> Totals {
        Totals {
            shards: 2,
            succeeded: 2,
            episodes: Some(episodes),
            successes: Some(successes),
            clusters: None,
            unneeded: 0,
            repeated: 0,
        }
    }

    #[test]
    fn counts_stand_before_the_rate_and_few_episodes_have_no_decimals() {
        assert_eq!(rate_text(&totals(41.0, 50.0)), "41/50 82 % [69, 90]");
        assert_eq!(rate_text(&totals(0.0, 20.0)), "0/20 0 % [0, 16]");
        assert_eq!(rate_text(&totals(170.0, 200.0)), "170/200 85.0 % [79.4, 89.3]");
    }

    #[test]
    fn what_it_does_not_stand_for_is_said() {
        let part = Totals { shards: 3, ..totals(41.0, 50.0) };
        assert_eq!(rate_text(&part), "41/50 82 % [69, 90], 1 of 3 shards missing");
        let repeated = Totals { repeated: 2, ..totals(55.0, 100.0) };
        assert_eq!(rate_text(&repeated), "55/100 55 %, no interval: episodes are repeated");
        let early = Totals { unneeded: 1, shards: 2, ..totals(41.0, 50.0) };
        assert_eq!(rate_text(&early), "41/50 82 % [61, 95], stopped early: the interval holds at any stop");
        let nothing = Totals { shards: 3, ..Totals::default() };
        assert_eq!(rate_text(&nothing), "—, 3 of 3 shards missing");
    }
}
