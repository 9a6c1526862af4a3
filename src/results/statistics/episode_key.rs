//! Which episode of one policy or run is the same as one of another: by task, seed and number.

use std::collections::{BTreeMap, BTreeSet};

use super::design::Why;
use crate::model::analysis::Pairing;
use crate::model::command_template::CommandTemplate;
use crate::model::episode_list::EpisodeList;
use crate::model::plan::{Plan, Slice, SliceUnit};
use crate::results::axes;
use crate::results::outcome::ShardOutcome;

/// What two episodes have in common that begin alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EpisodeKey<'a> {
    /// The task by the word of the program; empty where the shards have only one.
    pub task: &'a str,
    /// What seeds it.
    seed: Seed,
    /// Its number, where its seed is also that of others.
    number: i64,
}

/// What seeds an episode.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Seed {
    /// This number, which its file tells, the sweep gave, or the command says.
    Number(i64),
    /// The values of the axes of seeds.
    Axes(String),
    /// Its number alone decides how it begins, by the word of the sweep.
    ByNumber,
}

/// Each episode of a shard with its key, or why it has none.
pub fn keyed<'a>(plan: &Plan, outcome: &ShardOutcome<'a>) -> Result<Vec<(EpisodeKey<'a>, bool)>, Why> {
    if plan.analysis.paired == Pairing::Never {
        return Err(Why::Unwanted);
    }
    let list = outcome.episode_list.ok_or(Why::NotTold)?;
    let told: Vec<bool> = list.episodes().filter_map(|episode| episode.success).collect();
    let successes = told.iter().filter(|success| **success).count() as f64;
    if outcome.episodes != Some(told.len() as f64) || outcome.successes != Some(successes) {
        return Err(Why::Contradiction);
    }
    let source = Source::of(plan, outcome, list)?;
    let slice = outcome.spec.slice.as_ref().filter(|slice| slice.unit == SliceUnit::Episodes);
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut keyed = Vec::new();
    for episode in list.episodes() {
        let place = places.entry(episode.task).or_default();
        // A slice says which episodes of the serial run these are, however its program counts them.
        let number = match slice {
            Some(slice) => slice.ids.get(*place).and_then(|id| i64::try_from(*id).ok()),
            None => Some(episode.number),
        };
        *place += 1;
        let (Some(number), Some(success)) = (number, episode.success) else { continue };
        let (seed, number) = source.seed(number, episode.seed);
        keyed.push((EpisodeKey { task: episode.task, seed, number }, success));
    }
    Ok(keyed)
}

/// Where the seeds of a shard's episodes are known from.
enum Source<'s> {
    /// Its list tells them; `apart` where no two episodes of a task share one.
    Told { apart: bool },
    /// The sweep gives the slice the seed of its first episode, and the program counts up from there.
    Slice(&'s Slice),
    /// One seed for all of its episodes.
    Shard(Seed),
}

impl<'s> Source<'s> {
    fn of(plan: &Plan, outcome: &ShardOutcome<'s>, list: &EpisodeList) -> Result<Self, Why> {
        if plan.analysis.paired == Pairing::ByNumber {
            return Ok(Self::Shard(Seed::ByNumber));
        }
        if list.tells_seeds() {
            let seeds: BTreeSet<_> = list.episodes().map(|episode| (episode.task, episode.seed)).collect();
            return Ok(Self::Told { apart: seeds.len() == list.count() });
        }
        if let Some(slice) = outcome.spec.slice.as_ref().filter(|_| names_slice_seed(plan)) {
            return Ok(match slice.unit {
                SliceUnit::Episodes => Self::Slice(slice),
                SliceUnit::Tasks => Self::Shard(Seed::Number(slice.seed)),
            });
        }
        let clusters = axes::cluster_axes(plan);
        let axes = plan.axes.iter().filter(|axis| axes::is_seed(axis) && !clusters.contains(&axis.as_str()));
        let values: Vec<String> = axes.map(|axis| outcome.value_of(axis)).collect();
        if !values.is_empty() {
            return Ok(Self::Shard(Seed::Axes(values.join(" "))));
        }
        let said = seed_in(&outcome.spec.command).map(|seed| Self::Shard(Seed::Number(seed)));
        said.ok_or(Why::SeedUnknown)
    }

    /// The seed of an episode of that number, and the number where that is needed to tell it from others.
    fn seed(&self, number: i64, told: Option<i64>) -> (Seed, i64) {
        match self {
            Self::Told { apart } => {
                let seed = Seed::Number(told.unwrap_or_default());
                (seed, if *apart { 0 } else { number })
            }
            Self::Slice(slice) => {
                let first = i64::try_from(slice.first).unwrap_or(i64::MAX);
                (Seed::Number(slice.seed.wrapping_add(number.wrapping_sub(first))), 0)
            }
            Self::Shard(seed) => (seed.clone(), number),
        }
    }
}

/// The sweep gives its command the seed of a slice's first episode.
fn names_slice_seed(plan: &Plan) -> bool {
    let command = match &plan.template.command {
        CommandTemplate::Shell(text) => std::slice::from_ref(text),
        CommandTemplate::Arguments(words) => words,
    };
    command.iter().chain(plan.template.env.values()).any(|text| text.contains("shard.seed"))
}

/// The number in `--seed 7`, `--seed=7` or `env.seed=7`; none where there are several.
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
