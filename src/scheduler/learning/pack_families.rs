//! How many values of a pack fit, as its siblings have shown: packs of the same combo with other values, and where
//! nothing is known of it, packs of other combos that need the same.

use std::collections::BTreeMap;

use crate::model::history::PackSizes;
use crate::model::ids::ShardId;
use crate::model::state::phase::Phase;
use crate::model::state::run_state::RunState;
use crate::scheduler::policy::SchedulingPolicy;

/// Sizes of packs by the number of the family.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PackFamilies {
    families: BTreeMap<usize, PackSizes>,
    /// Queued packs may be too large by now.
    pub may_split: bool,
}

impl PackFamilies {
    /// Reads the sizes from what earlier runs learned, and from the splits and successes of this one. A split pack had
    /// as many values as its parts have.
    pub fn of_journal(state: &RunState, policy: &SchedulingPolicy) -> Self {
        let mut sizes = Self { families: policy.recalled_sizes.clone(), may_split: false };
        sizes.may_split = !sizes.families.is_empty();
        let packs = state.shards.iter().zip(&policy.packs);
        let mut values: BTreeMap<&ShardId, usize> =
            packs.clone().filter_map(|(shard, pack)| Some((&shard.id, pack.as_ref()?.values))).collect();
        for split in state.splits().rev() {
            let whole = values.get(&split.shard).copied().unwrap_or_default()
                + values.get(&split.other).copied().unwrap_or_default();
            values.insert(&split.shard, whole);
            // The part has the edit of the pack that was split. Edited packs are other work.
            let is_edited = state.shard(&split.other).is_some_and(|other| !other.edit.is_empty());
            let tells = split.cause.follows_attempt() && !is_edited;
            let position = state.position(&split.shard).filter(|_| tells);
            if let Some(pack) = position.and_then(|position| policy.packs[position]) {
                sizes.record_oom(pack.family, whole);
            }
        }
        for (shard, pack) in packs {
            if let (Phase::Succeeded(ended), Some(pack)) = (&shard.phase, pack)
                && ended.edit.is_empty()
            {
                sizes.record_success(pack.family, pack.values);
            }
        }
        sizes
    }

    /// A pack of that many values ran out of memory.
    pub fn record_oom(&mut self, family: usize, values: usize) {
        self.families.entry(family).or_default().fail_at(values);
        self.may_split = true;
    }

    /// A pack of that many values succeeded.
    pub fn record_success(&mut self, family: usize, values: usize) {
        self.families.entry(family).or_default().fit_at(values);
    }

    /// The known sizes of a family by its own packs.
    pub fn own_sizes(&self, family: usize) -> PackSizes {
        self.families.get(&family).copied().unwrap_or_default()
    }

    /// The same, completed by what the other families of its group have shown. What is known of the family itself
    /// counts first.
    pub fn expected_sizes(&self, policy: &SchedulingPolicy, family: usize) -> PackSizes {
        self.all_expected(policy).get(family).copied().unwrap_or_default()
    }

    /// Returns the expected sizes of each family, by its number.
    pub fn all_expected(&self, policy: &SchedulingPolicy) -> Vec<PackSizes> {
        let groups = &policy.pack_groups;
        let count = groups.iter().max().map_or(0, |most| most + 1);
        let mut of_group = vec![PackSizes::default(); count];
        let known =
            || self.families.iter().filter_map(|(family, sizes)| Some((*groups.get(*family)?, sizes)));
        for (group, sizes) in known() {
            sizes.too_large.into_iter().for_each(|values| of_group[group].fail_at(values));
        }
        for (group, sizes) in known() {
            // The largest that fits anywhere is worth a try.
            sizes.fits.into_iter().for_each(|values| of_group[group].fit_at(values));
        }
        (0..groups.len())
            .map(|family| self.own_sizes(family).completed_by(of_group[groups[family]]))
            .collect()
    }
}
