//! Sums over shards: of the whole run, or of those that share the value of an axis.

use serde_json::{Value, json};

use super::any_time::{self, EarlyStop};
use super::clusters::{Clusters, by_cluster};
use super::difference::Sample;
use super::posterior::Posterior;
use super::power::{episodes_left, power_line};
use crate::model::state::phase::PhaseKind;
use crate::results::interval::WilsonInterval;
use crate::results::outcome::ShardOutcome;

/// Sums over shards. Only shards that succeeded are counted: what a stopped one did before its end is no fair sample.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// Number of all shards.
    pub shards: usize,
    /// Number of shards that are counted.
    pub succeeded: usize,
    /// Their episodes, `None` unless all of them report the number.
    pub episodes: Option<f64>,
    /// Their successes, `None` unless all of them report the number.
    pub successes: Option<f64>,
    /// Summary of clusters such as training seeds, where there are several.
    pub clusters: Option<Clusters>,
    /// Shards that were not run, because the comparison that they were to add to is decided: how many episodes there
    /// are depends on how they went.
    pub unneeded: usize,
    /// Number of counted shards whose episodes are those of another one: no interval holds for them.
    pub repeated: usize,
}

impl Totals {
    /// The sums over these shards.
    pub fn from_shards<'a>(shards: impl Iterator<Item = &'a ShardOutcome<'a>> + Clone) -> Self {
        let counted = shards.clone().filter(|shard| shard.phase == PhaseKind::Succeeded);
        let succeeded = counted.clone().count();
        let sum = |values: &mut dyn Iterator<Item = Option<f64>>| {
            let sum: Option<f64> = values.sum();
            sum.filter(|_| succeeded > 0)
        };
        let all: Vec<&ShardOutcome<'a>> = shards.clone().collect();
        let samples: Vec<Sample> = by_cluster(&all).into_values().collect();
        let unneeded = shards.clone().filter(|shard| shard.is_unneeded).count();
        Self {
            unneeded,
            clusters: Clusters::from_samples(&samples),
            shards: shards.count(),
            succeeded,
            episodes: sum(&mut counted.clone().map(|shard| shard.episodes)),
            successes: sum(&mut counted.clone().map(|shard| shard.successes)),
            repeated: counted.filter(|shard| shard.is_repeated).count(),
        }
    }

    /// Shards that should have a result and have none.
    pub fn count_missing(&self) -> usize {
        self.shards.saturating_sub(self.succeeded + self.unneeded)
    }

    /// The part of the episodes that succeeded; `None` if what was counted is none.
    pub fn success_rate(&self) -> Option<f64> {
        let rate = self.successes? / self.episodes.filter(|episodes| *episodes > 0.0)?;
        Some(rate).filter(|rate| (0.0..=1.0).contains(rate))
    }

    /// Successes among episodes, where both are known and there are some, each counted once.
    pub fn success_sample(&self) -> Option<Sample> {
        self.success_rate().filter(|_| self.repeated == 0)?;
        Some(Sample { successes: self.successes?, episodes: self.episodes? })
    }

    /// Returns the interval of the success rate; `None` if episodes were counted more than once.
    pub fn success_interval(&self) -> Option<WilsonInterval> {
        if self.repeated > 0 {
            return None;
        }
        match (self.clusters, self.early_stop()) {
            (Some(clusters), _) => Some(clusters.interval),
            (None, EarlyStop::None) => self.wilson_interval(),
            (None, EarlyStop::Allowed | EarlyStop::NotAllowed) => {
                any_time::any_time_interval(self.success_sample()?)
            }
        }
    }

    /// Returns the effect of the early end of a comparison on the interval.
    pub fn early_stop(&self) -> EarlyStop {
        EarlyStop::for_rate(self.unneeded > 0, self.clusters.is_some())
    }

    /// The same for metrics, whose intervals are those of a plan that is run to its end.
    pub fn metrics_early_stop(&self) -> EarlyStop {
        EarlyStop::for_rate(self.unneeded > 0, true)
    }

    /// The same if all episodes were independent.
    fn wilson_interval(&self) -> Option<WilsonInterval> {
        if self.repeated > 0 {
            return None;
        }
        WilsonInterval::wilson(self.successes?, self.episodes?)
    }

    /// Derives the posterior from the counts by Bayes' rule.
    pub fn posterior(&self) -> Option<Posterior> {
        // Where the interval is withheld, the counts are no fair sample.
        self.success_interval()?;
        Posterior::from_sample(Sample { successes: self.successes?, episodes: self.episodes? })
    }

    /// The least and the most episodes that are needed for ± 5 percentage points.
    fn more_episodes(&self) -> Option<(u64, u64)> {
        self.success_interval()?;
        // Where trainings differ, more episodes of the same ones add no evidence.
        episodes_left(self.successes?, self.episodes?).filter(|_| self.may_grow())
    }

    /// `n = 210 more for ±5 points`; `None` if the rate is known that well, or not at all.
    pub fn power_line(&self) -> Option<String> {
        self.success_interval()?;
        power_line(self.successes?, self.episodes?).filter(|_| self.may_grow())
    }

    /// Reports whether more episodes of the same would make the interval shorter, and the sweep has not decided that
    /// there are enough.
    fn may_grow(&self) -> bool {
        self.clusters.is_none() && self.unneeded == 0
    }

    /// As a part of `summary.json`.
    pub fn to_json(self) -> Value {
        json!({
            "shards": self.shards,
            "succeeded": self.succeeded,
            "episodes": self.episodes,
            "successes": self.successes,
            "success_rate": self.success_rate(),
            "wilson_95": self.wilson_interval(),
            "interval_95": self.success_interval(),
            "stopped_early": self.early_stop().key(),
            "clusters": self.clusters.map(|clusters| clusters.to_json()),
            "repeated_shards": self.repeated,
            "posterior": self.posterior().map(Posterior::to_json),
            "more_episodes_for_5_points": self.more_episodes().map(|(least, most)| json!([least, most])),
        })
    }
}
