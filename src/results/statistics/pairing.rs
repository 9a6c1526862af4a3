//! Two sides of a comparison joined episode by episode.

use std::collections::{BTreeMap, BTreeSet};

use super::design::Why;
use super::episode_key::{EpisodeKey, keyed};
use super::paired::Pairs;
use crate::model::phase::PhaseKind;
use crate::model::plan::Plan;
use crate::results::outcome::ShardOutcome;

/// The shards of one side that did the same work, with the plan that they are of.
#[derive(Debug, Clone)]
pub struct Side<'s, 'a> {
    /// The plan.
    pub plan: &'s Plan,
    /// The shards.
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
enum Seen {
    #[default]
    Never,
    Once(bool),
    Again(u64),
}

/// Joins both sides of several cells, each cell with itself. Where fewer than half of the smaller side have a partner, most
/// seeds differ.
pub fn join(cells: &[(Side<'_, '_>, Side<'_, '_>)]) -> Result<Joined, Why> {
    let mut joined = Joined::default();
    let mut smaller = 0;
    for (first, second) in cells {
        let (first, second) = (keys(first)?, keys(second)?);
        smaller += first.len().min(second.len());
        let mut seen: BTreeMap<&EpisodeKey<'_>, (Seen, Seen)> = BTreeMap::new();
        first.iter().for_each(|(key, success)| seen.entry(key).or_default().0.add(*success));
        second.iter().for_each(|(key, success)| seen.entry(key).or_default().1.add(*success));
        for both in seen.into_values() {
            match both {
                (Seen::Once(first), Seen::Once(second)) => joined.pairs.add(first, second),
                (first, second) => joined.left_out += first.count() + second.count(),
            }
        }
    }
    let pairs = joined.pairs.count() as usize;
    if pairs > 0 && 2 * pairs >= smaller { Ok(joined) } else { Err(Why::SeedsDiffer) }
}

fn keys<'a>(side: &Side<'_, 'a>) -> Result<Vec<(EpisodeKey<'a>, bool)>, Why> {
    let counted = side.shards.iter().filter(|shard| shard.phase == PhaseKind::Succeeded);
    let mut keys = Vec::new();
    for shard in counted {
        keys.extend(keyed(side.plan, shard)?);
    }
    // Programs put the policy into the name of the only task that they have.
    let tasks: BTreeSet<&str> = keys.iter().map(|(key, _)| key.task).collect();
    if tasks.len() == 1 {
        keys.iter_mut().for_each(|(key, _)| key.task = "");
    }
    Ok(keys)
}

impl Seen {
    fn add(&mut self, success: bool) {
        *self = match *self {
            Self::Never => Self::Once(success),
            Self::Once(_) => Self::Again(2),
            Self::Again(times) => Self::Again(times + 1),
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
