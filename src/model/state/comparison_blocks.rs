//! The plan of a comparison: which shards of an axis' values are compared with one another, and in which
//! order.

use std::collections::BTreeMap;

use super::phase::Phase;
use super::shard_state::ShardState;
use crate::model::outcome::Outcome;
use crate::model::results::episode_list::EpisodeList;
use crate::model::results::rate_evidence::{EpisodeBlock, RateEvidence};
use crate::model::sweep::axis::is_seed;
use crate::model::sweep::episode_source::{EpisodeSource, pair_all};
use crate::model::sweep::plan::{Plan, ShardSpec};

/// Shards that differ by the compared axis alone are a block; blocks are looked at in this order, whichever ends first.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonBlocks {
    /// Name of the axis whose values are compared.
    pub axis: String,
    /// Chance of a false decision, over all looks and all pairs.
    pub level: f64,
    /// Its values in the order of the sweep.
    pub values: Vec<String>,
    /// For each block the position of the shard of each value, where there is one.
    blocks: Vec<Vec<Option<usize>>>,
    /// The value of each shard, as a position in `values`.
    value_of: Vec<usize>,
    /// The sources from which the seeds of each shard's episodes are known.
    sources: Vec<EpisodeSource>,
}

/// Evidence from the blocks of two values so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockEvidence {
    /// Blocks that count, up to the first that is not at its end.
    pub evidence: RateEvidence,
    /// How many these are.
    pub blocks: usize,
    /// Episodes of each side whose partner is known, because both sides ran the same.
    pub pairs: u64,
    /// Blocks that do not count: a shard of theirs failed, was taken out or edited, or counts other episodes.
    pub void: usize,
    /// Blocks that are still to come.
    pub open: usize,
}

impl ComparisonBlocks {
    /// Builds the blocks of a plan; `None` if the plan has no rule that ends a comparison once it is decided.
    pub fn from_plan(plan: &Plan) -> Option<Self> {
        let rule = plan.analysis.stop.as_ref()?;
        let mut values: Vec<String> = Vec::new();
        let mut cells: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        // How often the same work was met before: all tasks come once before any comes twice.
        let mut blocks: Vec<(usize, Vec<Option<usize>>)> = Vec::new();
        let mut value_of = Vec::with_capacity(plan.shards.len());
        for (position, shard) in plan.shards.iter().enumerate() {
            let name = shard.value_of(&rule.compare);
            let value = values.iter().position(|known| *known == name).unwrap_or_else(|| {
                values.push(name);
                values.len() - 1
            });
            value_of.push(value);
            let others = || plan.axes.iter().filter(|axis| **axis != rule.compare);
            let key = block_key(others().map(String::as_str), shard);
            let block = *known.entry(key).or_insert_with(|| {
                let cell = others().filter(|axis| !is_seed(axis)).map(|axis| shard.value_of(axis)).collect();
                let times = cells.entry(cell).or_insert(0);
                blocks.push((*times, Vec::new()));
                *times += 1;
                blocks.len() - 1
            });
            let members = &mut blocks[block].1;
            members.resize(members.len().max(value + 1), None);
            // Of two that are the same, the second adds no evidence.
            members[value].get_or_insert(position);
        }
        blocks.sort_by_key(|(times, _)| *times);
        let blocks = blocks.into_iter().map(|(_, members)| members).collect();
        let sources = plan.shards.iter().map(|shard| EpisodeSource::for_shard(plan, shard)).collect();
        Some(Self { axis: rule.compare.clone(), level: rule.level, values, blocks, value_of, sources })
    }

    /// Pairs of values, as positions.
    pub fn value_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let values = self.values.len();
        (0..values).flat_map(move |first| (first + 1..values).map(move |second| (first, second)))
    }

    /// Blocks with shards of two values and more.
    pub fn count_blocks(&self) -> usize {
        self.blocks.iter().filter(|members| members.iter().flatten().count() > 1).count()
    }

    /// Describes the comparison in one line for people.
    pub fn to_text(&self) -> String {
        let plural =
            |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let (values, blocks) = (plural(self.values.len(), "value"), plural(self.count_blocks(), "block"));
        format!("compares {values} of {} in {blocks}, decided at e = {:.0}", self.axis, self.e_value_limit())
    }

    /// The e-value that decides. All pairs share the level, and half of it is kept for the end of the plan.
    pub fn e_value_limit(&self) -> f64 {
        2.0 * self.value_pairs().count().max(1) as f64 / self.level
    }

    /// The value of the shard at that position of the plan, as a position in `values`.
    pub fn value_at(&self, position: usize) -> Option<usize> {
        self.value_of.get(position).copied()
    }

    /// The block of each shard, for the order of starts: both sides of a block before those of the next.
    pub fn block_ranks(&self) -> Vec<usize> {
        let mut ranks = vec![usize::MAX; self.value_of.len()];
        for (rank, members) in self.blocks.iter().enumerate() {
            members.iter().flatten().for_each(|position| ranks[*position] = rank);
        }
        ranks
    }

    /// Weighs the evidence on a pair of values. Only the blocks before the first unfinished one count: those that end
    /// early are no fair sample, since successes end early.
    pub fn weigh_evidence<'s>(
        &self,
        pair: (usize, usize),
        shard: impl Fn(usize) -> Option<&'s ShardState>,
    ) -> BlockEvidence {
        let mut look = BlockEvidence::default();
        for members in &self.blocks {
            let of = |value: usize| members.get(value).copied().flatten();
            let (Some(one), Some(other)) = (of(pair.0), of(pair.1)) else { continue };
            let (Some(first), Some(second)) = (shard(one), shard(other)) else { continue };
            if first.phase.is_unneeded() || second.phase.is_unneeded() {
                continue;
            }
            let is_final = |shard: &ShardState| shard.phase.kind().is_final();
            if look.open > 0 || !is_final(first) || !is_final(second) {
                look.open += 1;
                continue;
            }
            match build_block(first, second) {
                Some(block) => {
                    let sources = (&self.sources[one], &self.sources[other]);
                    look.add_block(block, pair_episodes(block, (sources.0, first), (sources.1, second)));
                }
                None => look.void += 1,
            }
        }
        look
    }
}

impl BlockEvidence {
    /// Takes a block, by its pairs where they are known: these are stronger evidence than the counts of both
    /// sides.
    fn add_block(&mut self, block: EpisodeBlock, pairs: Option<Vec<(bool, bool)>>) {
        self.blocks += 1;
        let Some(pairs) = pairs else { return self.evidence.add_block(block) };
        self.pairs += pairs.len() as u64;
        for (first, second) in pairs {
            self.evidence.add_block(EpisodeBlock {
                episodes: 1,
                first: u64::from(first),
                second: u64::from(second),
            });
        }
    }
}

/// Returns the episodes of a block pair by pair, where both sides report them, ran the same, and they add up to the
/// counts.
fn pair_episodes(
    block: EpisodeBlock,
    (source, first): (&EpisodeSource, &ShardState),
    (other, second): (&EpisodeSource, &ShardState),
) -> Option<Vec<(bool, bool)>> {
    let pairs = pair_all((source, episode_list(first)?), (other, episode_list(second)?))?;
    let count =
        |succeeded: fn(&(bool, bool)) -> bool| pairs.iter().filter(|pair| succeeded(pair)).count() as u64;
    let told = EpisodeBlock {
        episodes: pairs.len() as u64,
        first: count(|pair| pair.0),
        second: count(|pair| pair.1),
    };
    (told == block).then_some(pairs)
}

fn episode_list(shard: &ShardState) -> Option<&EpisodeList> {
    shard.phase.ended()?.outcome.episodes.as_ref()
}

/// Returns the values that both shards of a block must have in common.
fn block_key<'a>(axes: impl Iterator<Item = &'a str>, shard: &ShardSpec) -> Vec<String> {
    let mut key: Vec<String> = axes.map(|axis| shard.value_of(axis)).collect();
    key.push(shard.slice.as_ref().map(|slice| slice.index.to_string()).unwrap_or_default());
    let packed =
        shard.pack.as_ref().map(|pack| pack.axes.iter().map(|axis| shard.value_of(axis)).collect::<Vec<_>>());
    key.push(packed.unwrap_or_default().join(" x "));
    key
}

fn build_block(first: &ShardState, second: &ShardState) -> Option<EpisodeBlock> {
    let ((successes, episodes), (others, other_episodes)) =
        (count_successes(first)?, count_successes(second)?);
    (episodes == other_episodes && episodes > 0).then_some(EpisodeBlock {
        episodes,
        first: successes,
        second: others,
    })
}

/// Successes and episodes of a shard that succeeded with the values of the sweep, where both are whole numbers.
fn count_successes(shard: &ShardState) -> Option<(u64, u64)> {
    let Phase::Succeeded(ended) = &shard.phase else { return None };
    if !ended.edit.is_empty() {
        return None;
    }
    let Outcome { metrics, progress, unit, .. } = &ended.outcome;
    let metric = |name: &str| metrics.get(name).copied();
    // What counts steps or batches counts no episodes.
    let is_counted = unit.as_ref().is_none_or(|unit| unit == "episodes" || unit == "done");
    let done = || progress.filter(|_| is_counted).map(|progress| progress.done as f64);
    let episodes = metric("episodes").or_else(done)?;
    let of_rate =
        || metric("success_rate").filter(|rate| (0.0..=1.0).contains(rate)).map(|rate| rate * episodes);
    let successes = metric("successes").or_else(of_rate)?;
    let whole = |number: f64| {
        let rounded = number.round();
        ((number - rounded).abs() < 1e-6 && rounded >= 0.0).then_some(rounded as u64)
    };
    Some((whole(successes).filter(|_| successes <= episodes)?, whole(episodes)?))
}
