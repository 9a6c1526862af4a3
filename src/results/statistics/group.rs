//! Shards that share values of axes, and what they come to together.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::cost::Cost;
use super::spread::MetricSpread;
use crate::model::state::phase::PhaseKind;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::totals::Totals;

/// Metrics that count how often an episode ended so: `outcome_FELL`.
const OUTCOME: &str = "outcome_";

/// Shards that share values of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardGroup {
    /// The shared values, one for each axis that was asked about.
    pub values: Vec<String>,
    /// The shards, as positions in the plan.
    pub members: Vec<usize>,
    /// Totals of episodes and successes.
    pub totals: Totals,
    /// Shards by verdict: a phase, or why they failed.
    pub verdicts: BTreeMap<&'static str, usize>,
    /// Episodes by how they ended, where the log gives it, of the shards that count.
    pub outcomes: BTreeMap<String, f64>,
    /// The other metrics of the shards that count.
    pub metrics: BTreeMap<String, MetricSpread>,
    /// The cost of the shards, also of those that failed.
    pub cost: Cost,
}

/// Returns a group for each combination of values that comes up, in the order in which they first come.
pub fn group_outcomes(axes: &[&str], outcomes: &[ShardOutcome<'_>], costs: &[Cost]) -> Vec<ShardGroup> {
    let groups = group_members(axes, outcomes).into_iter();
    groups.map(|(values, members)| ShardGroup::from_members(values, members, outcomes, costs)).collect()
}

/// The combinations of values of these axes, with the positions of their shards. A pack counts as one value.
pub fn group_members(axes: &[&str], outcomes: &[ShardOutcome<'_>]) -> Vec<(Vec<String>, Vec<usize>)> {
    let mut groups: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    for (position, outcome) in outcomes.iter().enumerate() {
        let values: Vec<String> = axes.iter().map(|axis| outcome.value_of(axis)).collect();
        let group = *known.entry(values).or_insert_with_key(|values| {
            groups.push((values.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(position);
    }
    groups
}

impl ShardGroup {
    fn from_members(
        values: Vec<String>,
        members: Vec<usize>,
        outcomes: &[ShardOutcome<'_>],
        costs: &[Cost],
    ) -> Self {
        let shards = || members.iter().map(|position| &outcomes[*position]);
        let counted: Vec<&ShardOutcome<'_>> =
            shards().filter(|outcome| outcome.phase == PhaseKind::Succeeded).collect();
        let mut verdicts = BTreeMap::new();
        for outcome in shards() {
            *verdicts.entry(outcome.verdict()).or_insert(0) += 1;
        }
        Self {
            totals: Totals::from_shards(shards()),
            verdicts,
            outcomes: sum_endings(&counted),
            metrics: metric_spreads(&counted),
            cost: members.iter().map(|position| costs[*position]).sum(),
            values,
            members,
        }
    }

    /// As parts of `summary.json`.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut parts = Map::new();
        let rest = json!({
            "verdicts": self.verdicts,
            "outcomes": self.outcomes,
            "metrics": self.metrics,
            "metrics_stopped_early": self.totals.metrics_early_stop().key(),
        });
        for part in [self.totals.to_json(), rest, self.cost.to_json()] {
            if let Value::Object(part) = part {
                parts.extend(part);
            }
        }
        parts
    }
}

/// How episodes ended, added up.
fn sum_endings(counted: &[&ShardOutcome<'_>]) -> BTreeMap<String, f64> {
    let mut endings = BTreeMap::new();
    for (name, count) in counted.iter().flat_map(|outcome| &outcome.metrics) {
        if let Some(ending) = name.strip_prefix(OUTCOME) {
            *endings.entry(ending.to_owned()).or_insert(0.0) += count;
        }
    }
    endings
}

fn metric_spreads(counted: &[&ShardOutcome<'_>]) -> BTreeMap<String, MetricSpread> {
    let mut values: BTreeMap<&str, Vec<(f64, Option<f64>)>> = BTreeMap::new();
    for outcome in counted {
        for (name, value) in outcome.metrics.iter().filter(|(name, _)| !name.starts_with(OUTCOME)) {
            values.entry(name).or_default().push((*value, outcome.episodes));
        }
    }
    values
        .into_iter()
        .filter_map(|(name, values)| Some((name.to_owned(), MetricSpread::from_values(&values)?)))
        .collect()
}
