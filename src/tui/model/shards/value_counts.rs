//! Number of values on each axis, kept because the layout asks with every message and the answer changes with the
//! filter.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::results::axes;

/// Highest number of values counted for an axis of the whole sweep: it matters only whether that is more than one, or
/// more than for another axis.
const DECISIVE: usize = 64;

/// Numbers of values; axes are in the order of the sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueCounts {
    all: Vec<usize>,
    shown: Vec<usize>,
    combos: usize,
    shards: usize,
    /// The cluster of each shard by a number; empty where no axis makes clusters.
    clusters: Vec<u32>,
}

impl ValueCounts {
    /// Counts the values of the sweep, and of the shards that pass the filter.
    pub fn from_plan<'a>(plan: &'a Plan, shown: impl Iterator<Item = &'a ShardSpec> + Clone) -> Self {
        let values = |axis| plan.shards.iter().map(move |spec: &ShardSpec| spec.value_of(axis));
        let all = plan.axes.iter().map(|axis| count_distinct(values(axis), DECISIVE)).collect();
        let of_shown =
            |axis: &String| count_distinct(shown.clone().map(|spec| spec.value_of(axis)), usize::MAX);
        // With one axis its values are the combos.
        let is_told = plan.axes.len() > 1 && plan.shards.iter().any(|spec| spec.slice.is_some());
        let combo = |spec: &ShardSpec| plan.axes.iter().map(|axis| spec.value_of(axis)).collect::<Vec<_>>();
        let sliced = shown.clone().filter(|_| is_told);
        let combos = count_distinct(sliced.map(|spec| combo(spec).join(" ")), usize::MAX);
        let shown = plan.axes.iter().map(of_shown).collect();
        Self { all, shown, combos, shards: plan.shards.len(), clusters: number_clusters(plan) }
    }

    /// The cluster that a shard of the sweep belongs to, such as its training seed.
    pub fn cluster_of(&self, position: usize) -> Option<u32> {
        self.clusters.get(position).copied()
    }

    /// Whether this was counted of the sweep as it is now; a pack that is split gives it one shard more.
    pub fn fits_plan(&self, plan: &Plan) -> bool {
        self.shards == plan.shards.len() && self.all.len() == plan.axes.len()
    }

    /// How many values this axis of the sweep has, as far as that decides anything.
    pub fn of_sweep(&self, axis: usize) -> usize {
        self.all.get(axis).copied().unwrap_or(0)
    }

    /// How many of its values pass the filter.
    pub fn count_shown(&self, axis: usize) -> usize {
        self.shown.get(axis).copied().unwrap_or(0)
    }

    /// How many values of all axes pass the filter.
    pub fn all_shown(&self) -> usize {
        self.shown.iter().sum()
    }

    /// How many combos pass the filter; 0 where none has several slices.
    pub fn count_combos(&self) -> usize {
        self.combos
    }
}

fn number_clusters(plan: &Plan) -> Vec<u32> {
    let axes = axes::cluster_axes(plan);
    if axes.is_empty() {
        return Vec::new();
    }
    let mut known: HashMap<Vec<String>, u32> = HashMap::new();
    let mut number = |spec: &ShardSpec| {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        *known.entry(axes.iter().map(|axis| spec.value_of(axis)).collect()).or_insert(next)
    };
    plan.shards.iter().map(&mut number).collect()
}

fn count_distinct<T: Eq + Hash>(values: impl Iterator<Item = T>, most: usize) -> usize {
    let mut known = HashSet::new();
    for value in values {
        known.insert(value);
        if known.len() >= most {
            break;
        }
    }
    known.len()
}
