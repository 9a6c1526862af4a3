//! The successes of one shard as they count for a whole.

use crate::model::outcome::{Metrics, Progress};
use crate::model::state::phase::PhaseKind;

/// Reports whether a shard is left out of the counts: the work of one that failed is no fair sample.
pub fn is_left_out(kind: PhaseKind) -> bool {
    matches!(kind, PhaseKind::Failed | PhaseKind::Cancelled)
}

/// Computes how many of the episodes succeeded, where only their rate is given: the count that has this rate, as far as
/// its digits go; `None` if another count could have it too.
pub fn successes_of_rate(rate: f64, episodes: f64) -> Option<f64> {
    /// More digits than these are the rounding of sums.
    const DIGITS: usize = 9;
    if !(0.0..=1.0).contains(&rate) || episodes <= 0.0 {
        return None;
    }
    let successes = (rate * episodes).round();
    let off = (successes / episodes - rate).abs();
    let written = format!("{rate:.DIGITS$}");
    let decimals = written.trim_end_matches('0').len().saturating_sub(2);
    let rounding = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX));
    let is_exact = off < 10_f64.powi(-9);
    let is_alone = rounding * episodes < 0.5 && off <= rounding * (1.0 + 1e-9);
    (is_exact || is_alone).then_some(successes)
}

/// Successes and the episodes behind them, of a shard that succeeded or is on its way; `None` if they are not
/// known.
pub fn shard_successes(kind: PhaseKind, metrics: &Metrics, progress: Option<Progress>) -> Option<(f64, f64)> {
    if is_left_out(kind) { None } else { count_successes(metrics, progress) }
}

/// Successes and the episodes behind them, whatever became of the shard; `None` if they are not known.
pub fn count_successes(metrics: &Metrics, progress: Option<Progress>) -> Option<(f64, f64)> {
    let done = || progress.map(|progress| progress.done as f64);
    let episodes = metrics.get("episodes").copied().or_else(done).filter(|episodes| *episodes > 0.0)?;
    let of_rate = || {
        let rate = metrics.get("success_rate").filter(|rate| (0.0..=1.0).contains(*rate))?;
        Some(rate * episodes)
    };
    Some((metrics.get("successes").copied().or_else(of_rate)?, episodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_count_where_no_other_count_has_it() {
        for (rate, episodes, successes) in [
            (0.9, 100.0, Some(90.0)),
            (0.857, 7.0, Some(6.0)),
            (6.0 / 7.0, 7.0, Some(6.0)),
            (0.333_333, 300.0, Some(100.0)),
            (0.0, 20.0, Some(0.0)),
            (1.0, 20.0, Some(20.0)),
            (0.86, 57.0, Some(49.0)),
            (0.86, 151.0, None),
            (0.123, 1000.0, Some(123.0)),
            (0.12, 1001.0, None),
            (1.2, 10.0, None),
            (0.5, 0.0, None),
        ] {
            assert_eq!(successes_of_rate(rate, episodes), successes, "{rate} of {episodes}");
        }
    }
}
