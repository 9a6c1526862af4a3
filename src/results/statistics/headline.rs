//! One number for a whole run: the mean over its combos, each of which weighs the same whatever became of its shards.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::any_time::{self, EarlyStop};
use super::clusters::{Clusters, by_cluster};
use super::difference::Sample;
use super::group;
use super::power::power_line;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::results::axes;
use crate::results::interval::WilsonInterval;
use crate::results::outcome::{ShardOutcome, shard_outcomes};
use crate::results::rate_text::{format_interval, format_percent};
use crate::results::statistics::totals::Totals;

/// The success of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Headline {
    /// The mean of the rates of its combos.
    pub value: f64,
    /// How sure that is: as sure as each combo is, because the combos are those that they are.
    pub interval: WilsonInterval,
    /// All successes and episodes.
    pub sample: Sample,
    /// Number of combos with episodes.
    pub strata: usize,
    /// Number of combos without any episode.
    pub without: usize,
    /// The clusters, each with its mean over the combos, where there are several.
    pub clusters: Option<Clusters>,
    /// Effect of the early end of a comparison on the interval.
    pub early_stop: EarlyStop,
}

impl Headline {
    /// Computes the headline of a run from its journal: the one number that every face shows, of the shards that
    /// succeeded. What a shard did that still runs is no fair sample.
    pub fn of_run(plan: &Plan, state: &RunState) -> Option<Self> {
        Self::from_outcomes(plan, &shard_outcomes(plan, state))
    }

    /// Computes the headline of these shards of a plan; `None` if no episode is known.
    pub fn from_outcomes(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Option<Self> {
        let axes = axes::axes_of_interest(plan);
        let groups: Vec<Vec<&ShardOutcome<'_>>> = group::group_members(&axes, outcomes)
            .into_iter()
            .map(|(_, members)| members.into_iter().map(|position| &outcomes[position]).collect())
            .collect();
        let of_cell = |shards| {
            let totals = Totals::from_shards(shards);
            Some(ComboSample { sample: totals.success_sample()?, stopped: totals.unneeded > 0 })
        };
        let known: Vec<(&Vec<&ShardOutcome<'_>>, ComboSample)> =
            groups.iter().filter_map(|shards| Some((shards, of_cell(shards.iter().copied())?))).collect();
        let samples: Vec<Sample> = known.iter().map(|(_, cell)| cell.sample).collect();
        let (value, independent) = mean_with_interval(known.iter().filter_map(|(_, cell)| cell.interval()))?;
        let rates = rates_of_clusters(&known.iter().map(|(shards, _)| shards.as_slice()).collect::<Vec<_>>());
        let rates: Vec<f64> = rates.into_values().collect();
        let clusters = Clusters::of_rates(&rates, independent);
        let is_stopped = known.iter().any(|(_, cell)| cell.stopped);
        Some(Self {
            early_stop: EarlyStop::for_rate(is_stopped, clusters.is_some()),
            value,
            interval: clusters.map_or(independent, |clusters| clusters.interval),
            sample: samples.iter().copied().reduce(Sample::combined_with)?,
            strata: samples.len(),
            without: groups.len() - samples.len(),
            clusters,
        })
    }

    /// `325/400 81.3 % [78.2, 83.9], mean of 8 combos`.
    pub fn text(&self) -> String {
        std::iter::once(self.format_rate()).chain(self.of_what()).collect::<Vec<_>>().join(", ")
    }

    /// `325/400 81.3 % [78.2, 83.9]`.
    pub fn format_rate(&self) -> String {
        let Sample { successes, episodes } = self.sample;
        format!(
            "{successes}/{episodes} {} {}",
            self.format_percentage(),
            format_interval(self.interval, episodes)
        )
    }

    /// Prints the rate as `81.3 %`.
    pub fn format_percentage(&self) -> String {
        format_percent(self.value, self.sample.episodes)
    }

    /// `mean of 8 combos`; `None` if it is what it looks like.
    pub fn of_what(&self) -> Option<String> {
        let combos = match (self.strata, self.without) {
            (1, 0) => None,
            (1, without) => Some(format!("1 of {} combos", without + 1)),
            (strata, 0) => Some(format!("mean of {strata} combos")),
            (strata, without) => Some(format!("mean of {strata} of {} combos", strata + without)),
        };
        let clusters = self.clusters.map(|clusters| clusters.summary_text());
        let early = self.early_stop.remark_text().map(str::to_owned);
        let told: Vec<String> = combos.into_iter().chain(clusters).chain(early).collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// Prints `n = 210 more for ±5 points`; `None` if the rate is known that well, or more of the same would
    /// not help.
    pub fn power_line(&self) -> Option<String> {
        power_line(self.sample.successes, self.sample.episodes)
            .filter(|_| self.clusters.is_none() && self.early_stop == EarlyStop::None)
    }

    fn method_name(&self) -> &'static str {
        match (self.clusters, self.early_stop) {
            (Some(_), _) => "t over clusters",
            (None, EarlyStop::None) => "stratified wilson",
            (None, EarlyStop::Allowed | EarlyStop::NotAllowed) => "stratified, valid at any stop",
        }
    }

    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        json!({
            "success_rate": self.value,
            "interval_95": self.interval,
            "method": self.method_name(),
            "stopped_early": self.early_stop.key(),
            "successes": self.sample.successes,
            "episodes": self.sample.episodes,
            "strata": self.strata,
            "strata_without_episodes": self.without,
            "clusters": self.clusters.map(|clusters| clusters.to_json()),
        })
    }
}

impl Serialize for Headline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// The episodes of a combo.
struct ComboSample {
    sample: Sample,
    /// Some of them were not run, because a comparison is decided.
    stopped: bool,
}

impl ComboSample {
    fn interval(&self) -> Option<(f64, WilsonInterval)> {
        let Sample { successes, episodes } = self.sample;
        let interval = if self.stopped {
            any_time::any_time_interval(self.sample)?
        } else {
            WilsonInterval::wilson(successes, episodes)?
        };
        Some((self.sample.rate(), interval))
    }
}

/// The mean of rates that weigh the same, with its interval. Of one it is Wilson's.
pub fn stratified_mean(samples: &[Sample]) -> Option<(f64, WilsonInterval)> {
    mean_with_interval(
        samples.iter().filter_map(|sample| ComboSample { sample: *sample, stopped: false }.interval()),
    )
}

/// The same of rates that were stopped when a comparison was decided.
pub fn stratified_at_any_time(samples: &[Sample]) -> Option<(f64, WilsonInterval)> {
    mean_with_interval(
        samples.iter().filter_map(|sample| ComboSample { sample: *sample, stopped: true }.interval()),
    )
}

/// The distances of the intervals to their rates add up like independent errors (Zou and Donner's MOVER, Statistics in
/// Medicine 27, 1693-1702, 2008).
fn mean_with_interval(parts: impl Iterator<Item = (f64, WilsonInterval)>) -> Option<(f64, WilsonInterval)> {
    let parts: Vec<(f64, WilsonInterval)> = parts.collect();
    let count = parts.len() as f64;
    let root = |distance: &dyn Fn(&(f64, WilsonInterval)) -> f64| -> f64 {
        parts.iter().map(|part| (distance(part) / count).powi(2)).sum::<f64>().sqrt()
    };
    let value = parts.iter().map(|(rate, _)| rate).sum::<f64>() / count;
    let below = root(&|(rate, interval)| rate - interval.low);
    let above = root(&|(rate, interval)| interval.high - rate);
    let interval = WilsonInterval { low: (value - below).max(0.0), high: (value + above).min(1.0) };
    (!parts.is_empty()).then_some((value, interval))
}

/// The rate of each cluster: its mean over the cells, of those clusters that every cell has.
pub fn rates_of_clusters<'s>(cells: &[&[&'s ShardOutcome<'_>]]) -> BTreeMap<&'s str, f64> {
    let count = cells.len() as f64;
    let mut rates: Option<BTreeMap<&str, f64>> = None;
    for shards in cells {
        let here = by_cluster(shards).into_iter().map(|(name, sample)| (name, sample.rate() / count));
        rates = Some(match rates {
            None => here.collect(),
            Some(before) => here.filter_map(|(name, rate)| Some((name, rate + before.get(name)?))).collect(),
        });
    }
    rates.unwrap_or_default()
}
