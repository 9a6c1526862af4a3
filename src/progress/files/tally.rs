//! What result files of known formats count: episodes, successes and rewards, added up over files.

use serde_json::Value;

use super::collected::number;
use crate::model::outcome::Metrics;
use crate::progress::counts::rate::as_rate;

/// The numbers that a file gives; `None` for those that are unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileTally {
    /// Episodes that have a result.
    pub episodes: Option<u64>,
    /// Number of successful episodes, where it is known.
    pub successes: Option<f64>,
    /// The share of successes where only that is known.
    pub rate: Option<f64>,
    /// The sums of the rewards of episodes.
    pub sum_rewards: RewardMean,
    /// The largest rewards of episodes.
    pub max_rewards: RewardMean,
    /// Seconds that the evaluation took by its own account.
    pub seconds: Option<f64>,
    /// Episodes without a result, because something around them failed.
    pub errors: Option<u64>,
    /// Whether the mere presence of the file shows that all was done.
    pub ending: FileCompletion,
}

/// Whether the mere presence of a file shows that all was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileCompletion {
    /// The file may be written before the end.
    #[default]
    Open,
    /// Its program writes it once, when everything is done.
    Closed,
}

/// A mean that grows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RewardMean {
    sum: f64,
    count: u64,
}

impl RewardMean {
    /// The mean of this many values.
    pub fn of(mean: f64, count: u64) -> Self {
        Self { sum: mean * count as f64, count }
    }

    /// Adds one more value to the mean.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// The mean; none of nothing.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    fn and(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, count: self.count + other.count }
    }
}

impl FileTally {
    /// Counts one episode; an unknown outcome makes the number of successes unknown.
    pub fn episode(&mut self, success: Option<bool>) {
        let episodes = self.episodes.get_or_insert(0);
        *episodes += 1;
        let known = if *episodes == 1 { Some(0.0) } else { self.successes };
        self.successes = known.zip(success).map(|(known, success)| known + f64::from(u8::from(success)));
    }

    /// The counts of two files.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (one, two) = (self, other);
        Self {
            episodes: one.episodes.zip(two.episodes).map(|(a, b)| a + b),
            successes: one.successes.zip(two.successes).map(|(a, b)| a + b),
            // A mean of rates would weigh a short evaluation like a long one.
            rate: None,
            sum_rewards: one.sum_rewards.and(two.sum_rewards),
            max_rewards: one.max_rewards.and(two.max_rewards),
            seconds: one.seconds.zip(two.seconds).map(|(a, b)| a + b),
            errors: match (one.errors, two.errors) {
                (None, None) => None,
                (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
            },
            ending: if one.ending == two.ending { one.ending } else { FileCompletion::Open },
        }
    }

    /// The share of successes, 0 to 1; none where the file says what no share can be.
    pub fn success_rate(&self) -> Option<f64> {
        let episodes = self.episodes.filter(|episodes| *episodes > 0);
        let rate = self.successes.zip(episodes).map(|(successes, episodes)| successes / episodes as f64);
        as_rate(rate.or(self.rate)?)
    }

    /// Successful ones; unknown where they are more than there were episodes.
    fn plausible_successes(&self) -> Option<f64> {
        let episodes = self.episodes.map_or(f64::INFINITY, |episodes| episodes as f64);
        self.successes.filter(|successes| successes.is_nan() || (0.0..=episodes).contains(successes))
    }

    /// Returns the known numbers, under the names that presets use too; some may not be finite.
    pub fn metrics(&self) -> Metrics {
        let metrics = [
            ("episodes", self.episodes.map(|episodes| episodes as f64)),
            ("successes", self.plausible_successes()),
            ("success_rate", self.success_rate()),
            ("mean_sum_reward", self.sum_rewards.value()),
            ("mean_max_reward", self.max_rewards.value()),
            ("eval_s", self.seconds),
            ("errors", self.errors.map(|errors| errors as f64)),
        ];
        metrics.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// The number of this name; NaN where the file says so, none where it says nothing.
pub fn figure(map: &Value, name: &str) -> Option<f64> {
    number(map.get(name)?)?
}

/// The whole number of this name.
pub fn count(map: &Value, name: &str) -> Option<u64> {
    map.get(name)?.as_u64()
}

/// A success as programs write it: `true`, `1`, `1.0`; none for what says neither.
pub fn outcome(value: &Value) -> Option<bool> {
    number(value)?.filter(|value| !value.is_nan()).map(|value| value > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_of_unknown_outcome_make_the_successes_unknown() {
        let mut tally = FileTally::default();
        assert_eq!((tally.episodes, tally.success_rate()), (None, None));
        tally.episode(Some(true));
        tally.episode(Some(false));
        assert_eq!(tally.success_rate(), Some(0.5));
        tally.episode(None);
        tally.episode(Some(true));
        assert_eq!((tally.episodes, tally.successes, tally.success_rate()), (Some(4), None, None));
    }

    #[test]
    fn files_are_weighed_by_their_episodes() {
        let file = |episodes: u64, successes: f64, reward: f64| FileTally {
            episodes: Some(episodes),
            successes: Some(successes),
            sum_rewards: RewardMean::of(reward, episodes),
            ..FileTally::default()
        };
        let both = file(10, 10.0, 1.0).and(file(90, 0.0, 11.0));
        assert_eq!((both.success_rate(), both.sum_rewards.value()), (Some(0.1), Some(10.0)));
    }
}
