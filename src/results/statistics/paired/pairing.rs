//! Two sides of a comparison joined episode by episode.

use std::collections::{BTreeMap, BTreeSet};

use super::episode_key::{EpisodeKey, keyed_episodes, measured_episodes};
use super::paired_rate::Pairs;
use crate::model::state::phase::PhaseKind;
use crate::model::sweep::episode_source::Measured;
use crate::model::sweep::plan::Plan;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::design::Why;

/// The shards of one side that did the same work, with the plan that they are of.
#[derive(Debug, Clone)]
pub struct PairedSide<'s, 'a> {
    /// Plan that the shards belong to.
    pub plan: &'s Plan,
    /// Shards that make up the side.
    pub shards: Vec<&'s ShardOutcome<'a>>,
}

/// Pairs, and how many episodes of either side have no partner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Joined {
    /// How the pairs ended.
    pub pairs: Pairs,
    /// Episodes without a partner, or of which a side has several.
    pub left_out: u64,
}

/// How often an episode is there.
#[derive(Debug, Clone, Copy, Default)]
enum Occurrence<T> {
    #[default]
    Never,
    Once(T),
    Again(u64),
}

/// Joins both sides of several cells, each cell with itself. Where fewer than half of the smaller side have a partner,
/// most seeds differ.
pub fn join_cells(cells: &[(PairedSide<'_, '_>, PairedSide<'_, '_>)]) -> Result<Joined, Why> {
    let mut joined = Joined::default();
    let mut smaller = 0;
    for (first, second) in cells {
        let (first, second) = (episode_keys(first)?, episode_keys(second)?);
        smaller += first.len().min(second.len());
        let mut seen: BTreeMap<&EpisodeKey<'_>, (Occurrence<bool>, Occurrence<bool>)> = BTreeMap::new();
        first.iter().for_each(|(key, success)| seen.entry(key).or_default().0.add(*success));
        second.iter().for_each(|(key, success)| seen.entry(key).or_default().1.add(*success));
        for both in seen.into_values() {
            match both {
                (Occurrence::Once(first), Occurrence::Once(second)) => joined.pairs.add_pair(first, second),
                (first, second) => joined.left_out += first.count() + second.count(),
            }
        }
    }
    let pairs = joined.pairs.count() as usize;
    if pairs > 0 && 2 * pairs >= smaller { Ok(joined) } else { Err(Why::SeedsDiffer) }
}

/// A measure of the same episodes on both sides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JoinedMeasure {
    /// Its values on the first and the second side, in the order of their keys.
    pub pairs: Vec<(f64, f64)>,
    /// Episodes that have the measure but no partner, or of which a side has several.
    pub left_out: u64,
    /// Number of episodes with the measure on the smaller side.
    smaller: usize,
}

/// Joins what was measured of episodes on both sides of several cells, each cell with itself, by measure. Those of
/// which fewer than half of the smaller side have a partner are left out, as are cells whose episodes have no keys.
pub fn join_measures<'a>(
    cells: &[(PairedSide<'_, 'a>, PairedSide<'_, 'a>)],
) -> BTreeMap<&'a str, JoinedMeasure> {
    let mut joined: BTreeMap<&str, JoinedMeasure> = BTreeMap::new();
    for (first, second) in cells {
        let (Ok(first), Ok(second)) =
            (all_keys(first, measured_episodes), all_keys(second, measured_episodes))
        else {
            continue;
        };
        let (mut first, mut second) = (by_measure(&first), by_measure(&second));
        let names: BTreeSet<&str> = first.keys().chain(second.keys()).copied().collect();
        for name in names {
            let (first, second) =
                (first.remove(name).unwrap_or_default(), second.remove(name).unwrap_or_default());
            joined.entry(name).or_default().add_cell(&first, &second);
        }
    }
    joined.retain(|_, joined| !joined.pairs.is_empty() && 2 * joined.pairs.len() >= joined.smaller);
    joined
}

/// Values of one measure, of each episode that has it.
type OfMeasure<'k, 'a> = Vec<(&'k EpisodeKey<'a>, f64)>;

fn by_measure<'k, 'a>(keys: &'k [Measured<'a>]) -> BTreeMap<&'a str, OfMeasure<'k, 'a>> {
    let mut measures: BTreeMap<&str, OfMeasure<'_, '_>> = BTreeMap::new();
    for (key, told) in keys {
        for (name, value) in told {
            measures.entry(name).or_default().push((key, *value));
        }
    }
    measures
}

fn episode_keys<'a>(side: &PairedSide<'_, 'a>) -> Result<Vec<(EpisodeKey<'a>, bool)>, Why> {
    all_keys(side, keyed_episodes)
}

fn all_keys<'a, T>(
    side: &PairedSide<'_, 'a>,
    of_shard: impl Fn(&Plan, &ShardOutcome<'a>) -> Result<Vec<(EpisodeKey<'a>, T)>, Why>,
) -> Result<Vec<(EpisodeKey<'a>, T)>, Why> {
    let counted = side.shards.iter().filter(|shard| shard.phase == PhaseKind::Succeeded);
    let mut keys = Vec::new();
    for shard in counted {
        keys.extend(of_shard(side.plan, shard)?);
    }
    // Programs put the policy into the name of the only task that they have.
    let tasks: BTreeSet<&str> = keys.iter().map(|(key, _)| key.task).collect();
    if tasks.len() == 1 {
        keys.iter_mut().for_each(|(key, _)| key.task = "");
    }
    Ok(keys)
}

impl JoinedMeasure {
    fn add_cell(&mut self, first: &[(&EpisodeKey<'_>, f64)], second: &[(&EpisodeKey<'_>, f64)]) {
        self.smaller += first.len().min(second.len());
        let mut seen: BTreeMap<&EpisodeKey<'_>, (Occurrence<f64>, Occurrence<f64>)> = BTreeMap::new();
        first.iter().for_each(|(key, value)| seen.entry(key).or_default().0.add(*value));
        second.iter().for_each(|(key, value)| seen.entry(key).or_default().1.add(*value));
        for both in seen.into_values() {
            match both {
                (Occurrence::Once(first), Occurrence::Once(second)) => self.pairs.push((first, second)),
                (first, second) => self.left_out += first.count() + second.count(),
            }
        }
    }
}

impl<T> Occurrence<T> {
    fn add(&mut self, told: T) {
        *self = match self {
            Self::Never => Self::Once(told),
            Self::Once(_) => Self::Again(2),
            Self::Again(times) => Self::Again(*times + 1),
        };
    }

    fn count(self) -> u64 {
        match self {
            Self::Never => 0,
            Self::Once(_) => 1,
            Self::Again(times) => times,
        }
    }
}
