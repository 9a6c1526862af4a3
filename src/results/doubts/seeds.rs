//! A sign that only several shards together show: outcomes that do not vary with the seed.

use std::collections::BTreeMap;

use crate::model::state::phase::PhaseKind;
use crate::model::sweep::plan::Plan;
use crate::results::axes::is_seed;
use crate::results::outcome::ShardOutcome;

/// Probability of equal outcomes by chance below which a doubt is reported.
const SMALL_CHANCE: f64 = 1e-4;

/// How often chance makes the same fractional number twice: far less, but programs round.
const CHANCE_OF_EQUAL_NUMBERS: f64 = 1e-3;

/// In so large a part of the combos the outcomes must be the same.
const LEAST_PART: f64 = 0.8;

/// Outcomes of one combo under different seeds.
struct SeedGroup<'a> {
    shards: Vec<&'a ShardOutcome<'a>>,
}

/// Returns one line for each axis of seeds that seems to have no effect.
pub fn find_seed_warnings(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Vec<String> {
    plan.axes.iter().filter(|axis| is_seed(axis)).filter_map(|axis| seed_warning(axis, outcomes)).collect()
}

fn seed_warning(axis: &str, outcomes: &[ShardOutcome<'_>]) -> Option<String> {
    let mut groups: BTreeMap<String, SeedGroup<'_>> = BTreeMap::new();
    let ended = outcomes.iter().filter(|outcome| outcome.phase == PhaseKind::Succeeded);
    // A slice of the episodes has a seed of its own besides the axis.
    for outcome in ended.filter(|outcome| outcome.spec.slice.is_none()) {
        let others = outcome.spec.vars.iter().filter(|(name, _)| *name != axis);
        let combo: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        groups.entry(combo.join(" ")).or_insert(SeedGroup { shards: Vec::new() }).shards.push(outcome);
    }
    let groups: Vec<SeedGroup<'_>> = groups.into_values().filter(SeedGroup::can_vary).collect();
    let same: Vec<f64> =
        groups.iter().filter(|group| group.is_same()).map(SeedGroup::coincidence_probability).collect();
    let telling = same.len() as f64 >= LEAST_PART * groups.len() as f64;
    (telling && same.iter().product::<f64>() < SMALL_CHANCE).then(|| {
        format!(
            "the outcome is the same for every `{axis}` in {} of {} combos: does the program use it?",
            same.len(),
            groups.len()
        )
    })
}

impl SeedGroup<'_> {
    /// All or none of the episodes succeed under any seed where a task is that easy or hard.
    fn can_vary(&self) -> bool {
        self.shards.len() > 1
            && self.shards.iter().any(|shard| {
                let rate = shard.success_rate;
                rate.is_some_and(|rate| rate > 0.0 && rate < 1.0) || !fractional_metrics(shard).is_empty()
            })
    }

    fn is_same(&self) -> bool {
        self.shards.windows(2).all(|pair| {
            let [one, other] = pair else { return true };
            one.episodes == other.episodes
                && one.successes == other.successes
                && fractional_metrics(one) == fractional_metrics(other)
        })
    }

    /// How likely chance alone is to make the outcomes the same: that of equal counts by the normal approximation.
    fn coincidence_probability(&self) -> f64 {
        let Some(first) = self.shards.first() else { return 1.0 };
        let seeds = self.shards.len() as f64;
        let counts = match (first.episodes, first.success_rate) {
            (Some(episodes), Some(rate)) => {
                let variance = episodes * rate * (1.0 - rate);
                ((std::f64::consts::TAU * variance).powf((1.0 - seeds) / 2.0) / seeds.sqrt()).min(1.0)
            }
            _ => 1.0,
        };
        let numbers = if fractional_metrics(first).is_empty() {
            1.0
        } else {
            CHANCE_OF_EQUAL_NUMBERS.powf(seeds - 1.0)
        };
        counts * numbers
    }
}

/// Measured numbers that chance would not make equal; times vary by themselves.
pub fn fractional_metrics<'a>(shard: &'a ShardOutcome<'_>) -> Vec<(&'a str, f64)> {
    let timed = |name: &str| name.ends_with("_s") || name.contains("time") || name.contains("fps");
    shard
        .metrics
        .iter()
        .filter(|(name, value)| value.fract() != 0.0 && !timed(name))
        .map(|(name, value)| (name.as_str(), *value))
        .collect()
}
