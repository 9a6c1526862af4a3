//! A length of time that is not known exactly, and how long work takes that is laid out on slots.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::model::units::format_duration;

/// Eight of ten errors that are distributed normally lie within so many standard errors.
const EIGHT_OF_TEN: f64 = 1.2816;

/// How far off every estimate may be: other programs come and go, and share the machine. With it 112 of 140 ranges hold
/// what came, over five moments of two runs each of the fourteen recorded sweeps.
const OTHER_LOAD: f64 = 0.15;

/// A range that is no wider than this part of the estimate on either side says nothing that a reader needs.
const NEARLY_SURE: f64 = 0.25;

/// A length of time, and how far off it may be.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// The length itself.
    pub time: Duration,
    /// Its standard error, as a part of it.
    pub error: f64,
}

impl Estimate {
    /// The shortest and the longest that it may be, right in eight of ten cases: errors of a length of time are
    /// factors, so that it may become longer by more than it may become shorter.
    pub fn range(self) -> [Duration; 2] {
        let factor = (EIGHT_OF_TEN * self.error.hypot(OTHER_LOAD)).exp();
        let scaled =
            |by: f64| Duration::try_from_secs_f64(self.time.as_secs_f64() * by).unwrap_or(Duration::MAX);
        [scaled(1.0 / factor), scaled(factor)]
    }

    /// Words for the range where it says more than the length alone, without digits that nobody knows: `50m to 1h 50m`.
    pub fn range_text(self) -> Option<String> {
        let [low, high] = self.range();
        let is_wide = high.as_secs_f64() > self.time.as_secs_f64() * (1.0 + NEARLY_SURE);
        is_wide.then(|| format!("{} to {}", rough_text(low.as_secs()), rough_text(high.as_secs())))
    }

    /// Returns the standard error in seconds.
    fn error_seconds(self) -> f64 {
        self.time.as_secs_f64() * self.error
    }
}

/// A length of time in whole minutes, below an hour.
fn rough_text(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", (seconds + 30) / 60),
        _hours => format_duration(Duration::from_secs(seconds)),
    }
}

/// The work that a slot was given.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// When it is free.
    free: Duration,
    /// Standard error of the shard at work, in seconds.
    at_work: f64,
    /// Standard error of those that follow: what misleads about one of them misleads about all, so that errors add up.
    behind: f64,
}

impl Slot {
    fn at_work(left: Estimate) -> Self {
        Self { free: left.time, at_work: left.error_seconds(), behind: 0.0 }
    }

    fn take(self, length: Estimate) -> Self {
        Self { free: self.free + length.time, behind: self.behind + length.error_seconds(), ..self }
    }

    fn estimate(self) -> Estimate {
        let seconds = self.free.as_secs_f64();
        let error = if seconds > 0.0 { self.at_work.hypot(self.behind) / seconds } else { 0.0 };
        Estimate { time: self.free, error }
    }
}

impl Ord for Slot {
    fn cmp(&self, other: &Self) -> Ordering {
        self.free.cmp(&other.free)
    }
}

impl PartialOrd for Slot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.free == other.free
    }
}

impl Eq for Slot {}

/// When everything is done: slots that are `busy` for so long and free ones up to `slots` take the shards in their
/// order. The slot that ends last says how far off it may be.
pub fn lay_out(
    busy: Vec<Estimate>,
    slots: usize,
    lengths: impl Iterator<Item = Option<Estimate>>,
) -> Option<Estimate> {
    let free = slots.saturating_sub(busy.len());
    let mut slots: BinaryHeap<Reverse<Slot>> = busy.into_iter().map(Slot::at_work).map(Reverse).collect();
    let mut last = slots.iter().map(|Reverse(slot)| *slot).max().unwrap_or_default();
    slots.extend(std::iter::repeat_n(Reverse(Slot::default()), free));
    for length in lengths {
        let Reverse(slot) = slots.pop()?;
        let slot = slot.take(length?);
        last = last.max(slot);
        slots.push(Reverse(slot));
    }
    Some(last.estimate())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn estimate(seconds: u64, error: f64) -> Estimate {
        Estimate { time: Duration::from_secs(seconds), error }
    }

    #[test]
    fn what_nobody_knows_better_than_by_half_has_a_range() {
        assert_eq!(estimate(100, 0.5).range_text().unwrap(), "51s to 3m");
        assert_eq!(estimate(100, 0.05).range_text(), None);
    }

    #[test]
    fn the_slot_that_ends_last_says_how_sure_it_is() {
        let busy = vec![estimate(10, 0.1), estimate(40, 0.0)];
        let end = lay_out(busy, 2, [Some(estimate(20, 0.5)), Some(estimate(30, 0.5))].into_iter()).unwrap();
        assert_eq!(end.time.as_secs(), 60);
        assert!((end.error - 1f64.hypot(25.0) / 60.0).abs() < 1e-12, "{end:?}");
        assert_eq!(lay_out(vec![], 1, [None].into_iter()), None);
    }

    proptest! {
        #[test]
        fn a_range_holds_its_estimate(seconds in 0u64..1_000_000, error in 0.0..5.0f64) {
            let estimate = estimate(seconds, error);
            let [low, high] = estimate.range();
            prop_assert!(low <= estimate.time && estimate.time <= high);
        }
    }
}
