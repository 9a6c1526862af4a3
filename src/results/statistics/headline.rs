//! One number for a whole run: the mean over its combos, each of which weighs the same whatever became of its shards.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::clusters::{Clusters, by_cluster};
use super::difference::Sample;
use super::group;
use crate::model::plan::Plan;
use crate::results::axes;
use crate::results::interval::Interval;
use crate::results::outcome::ShardOutcome;
use crate::results::rate_text::{ends, percent};
use crate::results::totals::Totals;

/// The success of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Headline {
    /// The mean of the rates of its combos.
    pub value: f64,
    /// How sure that is: as sure as each combo is, because the combos are those that they are.
    pub interval: Interval,
    /// All successes and episodes.
    pub sample: Sample,
    /// Combos with episodes.
    pub strata: usize,
    /// Combos without any.
    pub without: usize,
    /// What the clusters come to, each with its mean over the combos.
    pub clusters: Option<Clusters>,
}

impl Headline {
    /// Of these shards of a plan; none where no episode is known.
    pub fn of(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Option<Self> {
        let axes = axes::axes_of_interest(plan);
        let groups: Vec<Vec<&ShardOutcome<'_>>> = group::members(&axes, outcomes)
            .into_iter()
            .map(|(_, members)| members.into_iter().map(|position| &outcomes[position]).collect())
            .collect();
        let known: Vec<(&Vec<&ShardOutcome<'_>>, Sample)> = groups
            .iter()
            .filter_map(|shards| Some((shards, Totals::of(shards.iter().copied()).sample()?)))
            .collect();
        let samples: Vec<Sample> = known.iter().map(|(_, sample)| *sample).collect();
        let (value, independent) = stratified(&samples)?;
        let rates = rates_of_clusters(&known.iter().map(|(shards, _)| shards.as_slice()).collect::<Vec<_>>());
        let rates: Vec<f64> = rates.into_values().collect();
        let clusters = Clusters::of_rates(&rates, independent);
        Some(Self {
            value,
            interval: clusters.map_or(independent, |clusters| clusters.interval),
            sample: samples.iter().copied().reduce(Sample::and)?,
            strata: samples.len(),
            without: groups.len() - samples.len(),
            clusters,
        })
    }

    /// `325/400 81.3 % [78.2, 83.9], mean of 8 combos`.
    pub fn text(&self) -> String {
        let Sample { successes, episodes } = self.sample;
        let rate = format!(
            "{successes}/{episodes} {} {}",
            percent(self.value, episodes),
            ends(self.interval, episodes)
        );
        std::iter::once(rate).chain(self.of_what()).collect::<Vec<_>>().join(", ")
    }

    /// `mean of 8 combos`; nothing where it is what it looks like.
    pub fn of_what(&self) -> Option<String> {
        let combos = match (self.strata, self.without) {
            (1, 0) => None,
            (1, without) => Some(format!("1 of {} combos", without + 1)),
            (strata, 0) => Some(format!("mean of {strata} combos")),
            (strata, without) => Some(format!("mean of {strata} of {} combos", strata + without)),
        };
        let clusters = self.clusters.map(|clusters| clusters.text());
        let told: Vec<String> = combos.into_iter().chain(clusters).collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        json!({
            "success_rate": self.value,
            "interval_95": self.interval,
            "method": if self.clusters.is_some() { "t over clusters" } else { "stratified wilson" },
            "successes": self.sample.successes,
            "episodes": self.sample.episodes,
            "strata": self.strata,
            "strata_without_episodes": self.without,
            "clusters": self.clusters.map(|clusters| clusters.to_json()),
        })
    }
}

/// The mean of rates that weigh the same, with its interval: the distances of the Wilson intervals to their rates add up
/// like independent errors (Zou and Donner's MOVER, Statistics in Medicine 27, 1693-1702, 2008). Of one it is Wilson's.
pub fn stratified(samples: &[Sample]) -> Option<(f64, Interval)> {
    let parts: Vec<(f64, Interval)> = samples
        .iter()
        .filter_map(|sample| Some((sample.rate(), Interval::wilson(sample.successes, sample.episodes)?)))
        .collect();
    let count = parts.len() as f64;
    let root = |distance: &dyn Fn(&(f64, Interval)) -> f64| -> f64 {
        parts.iter().map(|part| (distance(part) / count).powi(2)).sum::<f64>().sqrt()
    };
    let value = parts.iter().map(|(rate, _)| rate).sum::<f64>() / count;
    let below = root(&|(rate, interval)| rate - interval.low);
    let above = root(&|(rate, interval)| interval.high - rate);
    let interval = Interval { low: (value - below).max(0.0), high: (value + above).min(1.0) };
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
