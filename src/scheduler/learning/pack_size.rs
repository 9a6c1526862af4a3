//! The packs of a plan: how large each is, and which of them reveal something about one another.

use std::collections::{BTreeMap, HashMap};

use crate::model::history::PackSizes;
use crate::model::sweep::plan::{Pack, PackSizing, Plan, ShardSpec};

/// Size and family of a pack, as known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackSize {
    /// Number of the pack within the sweep.
    pub index: u32,
    /// How many values it has.
    pub values: usize,
    /// The number of its family: packs that differ in the values of the packed axes alone.
    pub family: usize,
    /// Source of the number of values that share a process.
    pub sizing: PackSizing,
    /// The number of the part that begins with its second value, where it is settled.
    pub split_from: Option<u32>,
}

impl PackSize {
    /// Returns the pack of a shard, where it is one.
    pub fn for_shard(shard: &ShardSpec, family: usize) -> Option<Self> {
        let pack = shard.pack.as_ref()?;
        let Pack { index, sizing, split_from, .. } = *pack;
        Some(Self { index, values: pack.values.len(), family, sizing, split_from })
    }

    /// More values than fit are cut off when it starts.
    pub fn is_auto(&self) -> bool {
        self.sizing == PackSizing::Auto
    }
}

/// The packs of the shards, their families numbered in the order in which they first come.
pub fn pack_sizes(shards: &[ShardSpec]) -> Vec<Option<PackSize>> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let pack = |shard: &ShardSpec| {
        let next = numbers.len();
        PackSize::for_shard(shard, *numbers.entry(shard.pack_family()?).or_insert(next))
    };
    shards.iter().map(pack).collect()
}

/// The group of each family. Families belong together whose packs need the same, so that they differ in their values
/// alone; where needs depend on the size of a pack they distinguish no families.
pub fn group_families(plan: &Plan, packs: &[Option<PackSize>]) -> Vec<usize> {
    let by_size = plan.template.needs.values().any(|template| template.contains("pack"));
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<usize> = Vec::new();
    for (spec, pack) in plan.shards.iter().zip(packs) {
        // The first pack of each family, which come in the order of their numbers.
        if pack.is_none_or(|pack| pack.family != groups.len()) {
            continue;
        }
        let needs = if by_size { String::new() } else { format!("{:?}", spec.needs) };
        let next = numbers.len();
        groups.push(*numbers.entry(needs).or_insert(next));
    }
    groups
}

/// Sizes that earlier runs learned, by the number of the family.
pub fn recalled_sizes(shards: &[ShardSpec], packs: &[Option<PackSize>]) -> BTreeMap<usize, PackSizes> {
    let sizes = |(spec, pack): (&ShardSpec, &Option<PackSize>)| {
        Some(((*pack)?.family, spec.learned.pack.as_ref()?.sizes))
    };
    shards.iter().zip(packs).filter_map(sizes).collect()
}
