//! `[episodes]`: the episodes of a combo, cut into slices that together are exactly the serial run.

use super::problem::Problem;
use super::slots::slices;
use super::table::{NumberOrAuto, Table};
use crate::model::plan::{Slice, SliceUnit};

/// Episode numbers stand in the plan, one by one.
const MOST_EPISODES: u64 = 1_000_000;

/// How the episodes of each combo are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Episodes {
    total: u64,
    shards: u32,
    seed: i64,
    order: EpisodeOrder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EpisodeOrder {
    /// 0 1 2 | 3 4 5
    Contiguous,
    /// 0 2 4 | 1 3 5
    RoundRobin,
}

/// Reads the table, where the sweep has one. `shards = "auto"` cuts each of `combos` so that `slots` side by side stay
/// busy.
pub(super) fn read(root: &Table<'_>, combos: usize, slots: u32) -> Option<Episodes> {
    let table = root.table("episodes");
    if !table.exists() {
        return None;
    }
    let total = table.get("total").is_some().then(|| table.number::<u64>("total", 1));
    let shards = table.number_or_auto::<u32>("shards", 1).unwrap_or(NumberOrAuto::Number(1));
    let seed = table.number("seed", i64::MIN).unwrap_or(0);
    let words = [("contiguous", EpisodeOrder::Contiguous), ("round-robin", EpisodeOrder::RoundRobin)];
    let order = table.choice("order", &words).unwrap_or(EpisodeOrder::Contiguous);
    table.finish();
    let Some(total) = total else {
        table.missing("total", "how many episodes each combo has, such as `total = 100`");
        return None;
    };
    let total = total?;
    let shards = match shards {
        NumberOrAuto::Number(shards) => shards,
        NumberOrAuto::Auto => slices(combos, slots, total),
    };
    let episodes = Episodes { total, shards, seed, order };
    episodes.check(&table).then_some(episodes)
}

impl Episodes {
    fn check(&self, table: &Table<'_>) -> bool {
        let place = |key| table.get(key).map_or(table.span(), |value| value.span());
        let problem = if self.total > MOST_EPISODES {
            Problem::new(
                place("total"),
                format!("more than {MOST_EPISODES} episodes per combo are not planned"),
            )
        } else if u64::from(self.shards) > self.total {
            let message = format!("{} shards cannot share {} episodes", self.shards, self.total);
            Problem::new(place("shards"), message).hint("a shard needs an episode: lower `shards`")
        } else if self.seed.checked_add_unsigned(self.total).is_none() {
            Problem::new(place("seed"), "the seeds of the last episodes are too large").hint("lower `seed`")
        } else {
            return true;
        };
        table.sink().add(problem);
        false
    }

    /// Slices per combo.
    pub(super) fn count(&self) -> usize {
        self.shards as usize
    }

    /// The slices of one combo.
    pub(super) fn slices(&self) -> impl Iterator<Item = Slice> + use<> {
        let Self { total, shards, seed, order } = *self;
        (0..shards).map(move |index| {
            let ids = ids(order, total, shards, index);
            let first = ids.first().copied().unwrap_or(0);
            let seed = seed.saturating_add_unsigned(first);
            Slice {
                index,
                count: shards,
                episodes: ids.len() as u64,
                first,
                seed,
                ids,
                unit: SliceUnit::Episodes,
            }
        })
    }
}

/// The episodes of one slice; the first `total % shards` slices have one more than the others.
fn ids(order: EpisodeOrder, total: u64, shards: u32, index: u32) -> Vec<u64> {
    let (shards, index) = (u64::from(shards), u64::from(index));
    match order {
        EpisodeOrder::Contiguous => {
            let (share, rest) = (total / shards, total % shards);
            let first = index * share + index.min(rest);
            (first..first + share + u64::from(index < rest)).collect()
        }
        EpisodeOrder::RoundRobin => (index..total).step_by(shards as usize).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_order() -> impl Strategy<Value = EpisodeOrder> {
        prop_oneof![Just(EpisodeOrder::Contiguous), Just(EpisodeOrder::RoundRobin)]
    }

    proptest! {
        #[test]
        fn slices_together_are_the_serial_run(total in 1_u64..500, shards in 1_u32..64, order in any_order()) {
            prop_assume!(u64::from(shards) <= total);
            let slices: Vec<Slice> = Episodes { total, shards, seed: -3, order }.slices().collect();
            let mut all: Vec<u64> = slices.iter().flat_map(|slice| slice.ids.clone()).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..total).collect::<Vec<_>>());
            for slice in &slices {
                prop_assert_eq!(slice.first, slice.ids[0]);
                prop_assert_eq!(slice.seed, -3 + slice.first as i64);
                prop_assert_eq!(slice.episodes, slice.ids.len() as u64);
                prop_assert!(slice.episodes.abs_diff(slices[0].episodes) <= 1);
            }
        }
    }

    #[test]
    fn contiguous_slices_follow_one_another() {
        let episodes = Episodes { total: 10, shards: 3, seed: 1000, order: EpisodeOrder::Contiguous };
        let slices: Vec<(u64, u64, i64)> =
            episodes.slices().map(|slice| (slice.first, slice.episodes, slice.seed)).collect();
        assert_eq!(slices, [(0, 4, 1000), (4, 3, 1004), (7, 3, 1007)]);
    }

    #[test]
    fn round_robin_deals_the_episodes_out() {
        let episodes = Episodes { total: 5, shards: 2, seed: 0, order: EpisodeOrder::RoundRobin };
        let slices: Vec<Vec<u64>> = episodes.slices().map(|slice| slice.ids).collect();
        assert_eq!(slices, [vec![0, 2, 4], vec![1, 3]]);
    }
}
