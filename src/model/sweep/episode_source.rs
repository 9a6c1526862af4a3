//! Which episode of one shard begins like one of another: by task, seed and number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::axis::is_seed;
use super::cluster_axes::cluster_axes;
use super::plan::{Plan, ShardSpec};
use super::slice::{Slice, SliceUnit};
use crate::model::analysis::Pairing;
use crate::model::results::episode_list::{Episode, EpisodeList};

/// Task, seed and number that two episodes which begin alike have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EpisodeKey<'a> {
    /// The task by the word of the program; empty where the shards have only one.
    pub task: &'a str,
    /// The source of its randomness.
    seed: Seed,
    /// Its number, where its seed is also that of others.
    number: i64,
}

/// An episode's key, and what was measured of it by name.
pub type Measured<'a> = (EpisodeKey<'a>, Vec<(&'a str, f64)>);

/// The source of an episode's randomness.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Seed {
    /// A number that its file reports, the sweep gave, or the command names.
    Number(i64),
    /// The values of the axes of seeds.
    Axes(Arc<str>),
    /// Its number alone decides how it begins, by the word of the sweep.
    ByNumber,
}

/// Why the episodes of a shard have no keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoEpisodeKey {
    /// The sweep wants no pairs.
    Unwanted,
    /// Their seeds are unknown: no source has them.
    SeedUnknown,
}

/// The source of the seeds of a shard's episodes, as known before the shard has reported any.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeSource {
    pairing: Pairing,
    slice: Option<Slice>,
    given: Option<SeedSource>,
}

/// Seeds that the sweep or the command gives.
#[derive(Debug, Clone, PartialEq)]
enum SeedSource {
    /// The sweep gives the slice the seed of its first episode, and the program counts up from there.
    BySlice,
    /// All episodes of the shard have the same seed.
    One(Seed),
}

impl EpisodeSource {
    /// Finds the source for a shard.
    pub fn for_shard(plan: &Plan, shard: &ShardSpec) -> Self {
        let pairing = plan.analysis.paired;
        Self { pairing, slice: shard.slice.clone(), given: SeedSource::for_shard(plan, shard) }
    }

    /// Returns each episode of a list with its key and whether it succeeded; those without a known result are left out.
    pub fn keyed_successes<'a>(
        &self,
        list: &'a EpisodeList,
    ) -> Result<Vec<(EpisodeKey<'a>, bool)>, NoEpisodeKey> {
        let all = self.keyed_all(list, list.episodes().map(|episode| (episode, episode.success)))?;
        Ok(all.into_iter().filter_map(|(key, success)| Some((key, success?))).collect())
    }

    /// Each episode of a list with its key and what was measured of it.
    pub fn keyed_measures<'a>(&self, list: &'a EpisodeList) -> Result<Vec<Measured<'a>>, NoEpisodeKey> {
        self.keyed_all(list, list.measured_episodes())
    }

    /// Returns each episode of a list by its key, with the value that comes with it.
    fn keyed_all<'a, T>(
        &self,
        list: &'a EpisodeList,
        told: impl Iterator<Item = (Episode<'a>, T)>,
    ) -> Result<Vec<(EpisodeKey<'a>, T)>, NoEpisodeKey> {
        let seeds = self.resolve_seeds(list)?;
        let slice = self.slice.as_ref().filter(|slice| slice.unit == SliceUnit::Episodes);
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut keyed = Vec::new();
        for (episode, told) in told {
            let place = places.entry(episode.task).or_default();
            // A slice gives the numbers of its episodes in the serial run, however its program counts them.
            let number = match slice {
                Some(slice) => slice.ids.get(*place).and_then(|id| i64::try_from(*id).ok()),
                None => Some(episode.number),
            };
            *place += 1;
            let Some(number) = number else { continue };
            let (seed, number) = seeds.seed_of(number, episode.seed);
            keyed.push((EpisodeKey { task: episode.task, seed, number }, told));
        }
        Ok(keyed)
    }

    fn resolve_seeds(&self, list: &EpisodeList) -> Result<EpisodeSeeds<'_>, NoEpisodeKey> {
        match self.pairing {
            Pairing::Never => return Err(NoEpisodeKey::Unwanted),
            Pairing::ByNumber => return Ok(EpisodeSeeds::One(Seed::ByNumber)),
            Pairing::BySeed => {}
        }
        if list.tells_seeds() {
            let seeds: BTreeSet<_> = list.episodes().map(|episode| (episode.task, episode.seed)).collect();
            return Ok(EpisodeSeeds::Told { apart: seeds.len() == list.count() });
        }
        match (&self.given, &self.slice) {
            (Some(SeedSource::BySlice), Some(slice)) => Ok(EpisodeSeeds::BySlice(slice)),
            (Some(SeedSource::One(seed)), _) => Ok(EpisodeSeeds::One(seed.clone())),
            (Some(SeedSource::BySlice) | None, _) => Err(NoEpisodeKey::SeedUnknown),
        }
    }
}

impl SeedSource {
    fn for_shard(plan: &Plan, shard: &ShardSpec) -> Option<Self> {
        if let Some(slice) = shard.slice.as_ref().filter(|_| names_slice_seed(plan)) {
            return Some(match slice.unit {
                SliceUnit::Episodes => Self::BySlice,
                SliceUnit::Tasks => Self::One(Seed::Number(slice.seed)),
            });
        }
        let clusters = cluster_axes(plan);
        let axes = plan.axes.iter().filter(|axis| is_seed(axis) && !clusters.contains(&axis.as_str()));
        let values: Vec<String> = axes.map(|axis| shard.value_of(axis)).collect();
        if !values.is_empty() {
            return Some(Self::One(Seed::Axes(values.join(" ").into())));
        }
        seed_in(&shard.command).map(|seed| Self::One(Seed::Number(seed)))
    }
}

/// The seeds of the episodes of one list.
enum EpisodeSeeds<'s> {
    /// The list has them; `apart` where no two episodes of a task share one.
    Told { apart: bool },
    /// The seeds count up from that of the slice.
    BySlice(&'s Slice),
    /// All have the same.
    One(Seed),
}

impl EpisodeSeeds<'_> {
    /// Returns the seed of an episode of that number, and the number where it is needed to distinguish it from others.
    fn seed_of(&self, number: i64, told: Option<i64>) -> (Seed, i64) {
        match self {
            Self::Told { apart } => {
                let seed = Seed::Number(told.unwrap_or_default());
                (seed, if *apart { 0 } else { number })
            }
            Self::BySlice(slice) => {
                let first = i64::try_from(slice.first).unwrap_or(i64::MAX);
                (Seed::Number(slice.seed.wrapping_add(number.wrapping_sub(first))), 0)
            }
            Self::One(seed) => (seed.clone(), number),
        }
    }
}

/// Pairs the episodes of two shards, the first's success before the second's; `None` if one of them has no
/// single partner, or its success is not reported.
pub fn pair_all(
    (first, of_first): (&EpisodeSource, &EpisodeList),
    (second, of_second): (&EpisodeSource, &EpisodeList),
) -> Option<Vec<(bool, bool)>> {
    let (first, second) = (sorted_successes(first, of_first)?, sorted_successes(second, of_second)?);
    let is_alone = |keys: &[(EpisodeKey<'_>, bool)]| keys.windows(2).all(|two| two[0].0 != two[1].0);
    let alike = first.len() == second.len()
        && is_alone(&first)
        && first.iter().zip(&second).all(|(one, other)| one.0 == other.0);
    alike.then(|| first.iter().zip(&second).map(|(one, other)| (one.1, other.1)).collect())
}

fn sorted_successes<'a>(
    source: &EpisodeSource,
    list: &'a EpisodeList,
) -> Option<Vec<(EpisodeKey<'a>, bool)>> {
    let mut keyed = source.keyed_successes(list).ok().filter(|keyed| keyed.len() == list.count())?;
    if keyed.iter().all(|(key, _)| key.task == keyed[0].0.task) {
        // Programs put the policy into the name of the only task that they have.
        keyed.iter_mut().for_each(|(key, _)| key.task = "");
    }
    keyed.sort();
    Some(keyed)
}
/// The sweep gives its command the seed of a slice's first episode.
fn names_slice_seed(plan: &Plan) -> bool {
    let command = plan.template.command.texts();
    command.iter().chain(plan.template.env.values()).any(|text| text.contains("shard.seed"))
}

/// The number in `--seed 7`, `--seed=7` or `env.seed=7`; `None` if there are several.
fn seed_in(command: &str) -> Option<i64> {
    const WORD: &str = "seed";
    let mut found = BTreeSet::new();
    for (at, _) in command.match_indices(WORD) {
        let before = &command[..at];
        let stands_alone = match before.chars().next_back() {
            None => true,
            // `--seed`, and not `--train-seed`.
            Some('-') => !before.trim_end_matches('-').ends_with(|c: char| c.is_alphanumeric() || c == '_'),
            Some(c) => !c.is_alphanumeric() && c != '_',
        };
        let behind = command[at + WORD.len()..].trim_start_matches(['"', '\'']);
        let Some(value) = behind.strip_prefix(['=', ' ']).filter(|_| stands_alone) else { continue };
        let value = value.trim_start_matches([' ', '"', '\'']);
        let digits = value.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(value.len());
        found.extend(value[..digits].parse::<i64>().ok());
    }
    if found.len() == 1 { found.pop_first() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_found_in_a_command() {
        for (command, seed) in [
            ("eval.py --seed 7 --episodes 100", Some(7)),
            ("eval.py --seed=1000", Some(1000)),
            ("lerobot-eval --env.type=pusht seed=-3", Some(-3)),
            ("eval.py env.seed=12", Some(12)),
            ("eval.py '--seed' '5'", Some(5)),
            ("eval.py --train-seed 3 --train_seed=4", None),
            ("eval.py --seed 1 --env.seed=2", None),
            ("eval.py --seeds 3", None),
            ("eval.py", None),
        ] {
            assert_eq!(seed_in(command), seed, "{command}");
        }
    }
}
