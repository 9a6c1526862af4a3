//! Success of several shards together, so far, and how sure it is.

use std::collections::BTreeSet;

use super::readings::Reading;
use crate::model::phase::PhaseKind;
use crate::results::counted_success::{count_successes, is_left_out};
use crate::results::interval::Interval;

/// The phases whose shards had episodes and are left out of the success of the run: see [`Success::of`].
pub fn left_out<'a>(readings: impl Iterator<Item = Reading<'a>>) -> Vec<PhaseKind> {
    let left_out = |reading: Reading<'a>| {
        let kind = reading.state.phase.kind();
        (is_left_out(kind) && count_successes(reading.metrics()?, reading.episodes_done()).is_some())
            .then_some(kind)
    };
    readings.filter_map(left_out).collect::<BTreeSet<PhaseKind>>().into_iter().collect()
}

/// A rate of success and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Success {
    /// Episodes behind it.
    pub episodes: f64,
    /// The rate, 0 to 1.
    pub rate: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

impl Success {
    /// Of shards that succeeded or are on their way; what one did that failed is no fair sample.
    pub fn of<'a>(readings: impl Iterator<Item = Reading<'a>>) -> Option<Self> {
        let (mut successes, mut episodes) = (0.0, 0.0);
        for (part, of) in readings.filter_map(|reading| reading.successes()) {
            successes += part;
            episodes += of;
        }
        Self::of_sums(successes, episodes)
    }

    /// Of so many successes in so many episodes; none without episodes.
    pub fn of_sums(successes: f64, episodes: f64) -> Option<Self> {
        // A log that counts them apart may be one success ahead of its episodes.
        let interval = Interval::wilson(f64::min(successes, episodes), episodes)?;
        Some(Self { episodes, rate: (successes / episodes).min(1.0), interval })
    }
}
