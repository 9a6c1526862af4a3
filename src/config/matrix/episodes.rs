//! `[episodes]`: the episodes of a combo, cut into slices that together are exactly the serial run.

use super::runner::{EpisodeCounting, SliceRule};
use super::slots::auto_slice_count;
use crate::config::document::problem::Problem;
use crate::config::document::table::{NumberOrAuto, Table};
use crate::model::sweep::plan::{Slice, SliceUnit};

/// Episode numbers are listed in the plan, one by one.
const MOST_EPISODES: u64 = 1_000_000;

/// How the episodes of each combo are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::config) struct EpisodeSlicing {
    total: u64,
    shards: u32,
    seed: i64,
    order: EpisodeOrder,
    unit: SliceUnit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EpisodeOrder {
    /// 0 1 2 | 3 4 5
    Contiguous,
    /// 0 2 4 | 1 3 5
    RoundRobin,
}

/// Reads the table, where the sweep has one, with the `rule` of its program. `shards = "auto"` cuts each of `combos` so
/// that `slots` side by side stay busy.
pub(in crate::config) fn read_episodes(
    table: &Table<'_>,
    rule: &SliceRule,
    combos: usize,
    slots: u32,
) -> Option<EpisodeSlicing> {
    if !table.exists() {
        return None;
    }
    let total = table.get("total").is_some().then(|| table.get_integer::<u64>("total", 1));
    let shards = table.number_or_auto::<u32>("shards", 1).unwrap_or(NumberOrAuto::Number(1));
    let seed = table.get_integer("seed", i64::MIN).unwrap_or(0);
    let words = [("contiguous", EpisodeOrder::Contiguous), ("round-robin", EpisodeOrder::RoundRobin)];
    let order = resolve_order(table, table.get_choice("order", &words), rule);
    let unit = rule.unit;
    table.report_unknown_keys();
    let Some(total) = total else {
        table.report_missing("total", "how many episodes each combo has, such as `total = 100`");
        return None;
    };
    let total = total?;
    let shards = match shards {
        NumberOrAuto::Number(shards) => shards,
        NumberOrAuto::Auto => auto_slice_count(combos, slots, total),
    };
    let episodes = EpisodeSlicing { total, shards, seed, order, unit };
    episodes.check(table).then_some(episodes)
}

/// The order that the program keeps anyway, or that of the sweep.
fn resolve_order(table: &Table<'_>, asked: Option<EpisodeOrder>, rule: &SliceRule) -> EpisodeOrder {
    let Some((runner, counting)) = rule.counting else { return asked.unwrap_or(EpisodeOrder::Contiguous) };
    let (order, does) = match counting {
        EpisodeCounting::Up => (EpisodeOrder::Contiguous, "counts up from the first episode of its slice"),
        EpisodeCounting::Dealt => (EpisodeOrder::RoundRobin, "deals its episodes out by itself, round-robin"),
    };
    if let Some(place) = table.get("order").filter(|_| asked.is_some_and(|asked| asked != order)) {
        let message = format!("`{runner}` {does}");
        table.sink().add(Problem::new(place.span(), message).with_hint("leave `order` out"));
    }
    order
}

impl EpisodeSlicing {
    fn check(&self, table: &Table<'_>) -> bool {
        let place = |key| table.get(key).map_or(table.span(), |value| value.span());
        let problem = if self.total > MOST_EPISODES {
            Problem::new(
                place("total"),
                format!("more than {MOST_EPISODES} episodes per combo are not planned"),
            )
        } else if u64::from(self.shards) > self.total {
            let message = format!("{} shards cannot share {} episodes", self.shards, self.total);
            let hint = format!("a shard needs an episode: write at most `shards = {}`", self.total);
            Problem::new(place("shards"), message).with_hint(hint)
        } else if self.seed.checked_add_unsigned(self.total).is_none() {
            Problem::new(place("seed"), "the seeds of the last episodes are too large")
                .with_hint("lower `seed`")
        } else {
            return true;
        };
        table.sink().add(problem);
        false
    }

    /// Number of slices that each combo is cut into.
    pub(in crate::config) fn slice_count(&self) -> usize {
        self.shards as usize
    }

    /// The slices of one combo.
    pub(in crate::config) fn slices(&self) -> impl Iterator<Item = Slice> + use<> {
        let Self { total, shards, seed, order, unit } = *self;
        (0..shards).map(move |index| {
            let ids = episode_ids(order, total, shards, index);
            let first = ids.first().copied().unwrap_or(0);
            let seed = match unit {
                SliceUnit::Episodes => seed.saturating_add_unsigned(first),
                // Every task begins with the same seed.
                SliceUnit::Tasks => seed,
            };
            Slice { index, count: shards, episodes: ids.len() as u64, first, seed, ids, unit }
        })
    }
}

/// The episodes of one slice; the first `total % shards` slices have one more than the others.
fn episode_ids(order: EpisodeOrder, total: u64, shards: u32, index: u32) -> Vec<u64> {
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
    use super::*;

    /// With one seed for each episode, as every program counts them.
    #[test]
    fn slices_together_are_the_serial_run_for_every_total_and_count() {
        for order in [EpisodeOrder::Contiguous, EpisodeOrder::RoundRobin] {
            for (total, shards) in (1..=300).flat_map(|total| (1..=40).map(move |shards| (total, shards))) {
                if u64::from(shards) > total {
                    continue;
                }
                let episodes = EpisodeSlicing { total, shards, seed: -3, order, unit: SliceUnit::Episodes };
                let slices: Vec<Slice> = episodes.slices().collect();
                let mut runs: Vec<(u64, i64)> = Vec::new();
                for slice in &slices {
                    assert_eq!((slice.first, slice.episodes), (slice.ids[0], slice.ids.len() as u64));
                    assert!(slice.episodes.abs_diff(slices[0].episodes) <= 1);
                    let step = slice.ids.get(1).map_or(1, |second| second - slice.first);
                    let seeds = (0..).map(|place| slice.seed + place * step as i64);
                    runs.extend(slice.ids.iter().copied().zip(seeds));
                }
                runs.sort_unstable();
                let serial: Vec<(u64, i64)> = (0..total).zip(-3..).collect();
                assert_eq!(runs, serial, "{total} over {shards}, {order:?}");
            }
        }
    }

    #[test]
    fn contiguous_slices_follow_one_another() {
        let episodes = EpisodeSlicing {
            total: 10,
            shards: 3,
            seed: 1000,
            order: EpisodeOrder::Contiguous,
            unit: SliceUnit::Episodes,
        };
        let slices: Vec<(u64, u64, i64)> =
            episodes.slices().map(|slice| (slice.first, slice.episodes, slice.seed)).collect();
        assert_eq!(slices, [(0, 4, 1000), (4, 3, 1004), (7, 3, 1007)]);
    }

    #[test]
    fn round_robin_deals_the_episodes_out() {
        let episodes = EpisodeSlicing {
            total: 5,
            shards: 2,
            seed: 0,
            order: EpisodeOrder::RoundRobin,
            unit: SliceUnit::Episodes,
        };
        let slices: Vec<Vec<u64>> = episodes.slices().map(|slice| slice.ids).collect();
        assert_eq!(slices, [vec![0, 2, 4], vec![1, 3]]);
    }
}
