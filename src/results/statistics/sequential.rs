//! Comparisons that may end before their plan is done: what was decided, what is still open, and what was saved.

use serde::Serialize;
use serde_json::{Value, json};

use super::difference::Sample;
use super::mantel_haenszel;
use super::paired::paired_rate::Pairs;
use super::tested_difference::p_text;
use crate::model::decided::{DecidedComparison, e_value_text};
use crate::model::results::rate_evidence::SequentialInterval;
use crate::model::state::comparison_blocks::{BlockEvidence, ComparisonBlocks};
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::results::outcome::planned_episodes;

/// State of the comparison that a sweep ends once it is decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequential {
    /// Name of the compared axis.
    pub axis: String,
    /// Chance of a false decision, over all looks and all pairs.
    pub level: f64,
    /// The e-value that decides.
    pub limit: f64,
    /// Each pair of values.
    pub pairs: Vec<SequentialPair>,
    /// Shards and episodes that were not run because of it.
    pub saving: Saving,
}

/// Comparison of two values of the axis.
#[derive(Debug, Clone, PartialEq)]
pub struct SequentialPair {
    /// The value that is asked about: where one was found better, that one.
    pub first: String,
    /// The value it is compared with.
    pub second: String,
    /// Number of blocks that count.
    pub blocks: usize,
    /// Blocks that do not, because a shard of theirs failed, was edited or taken out, or counts other episodes.
    pub void: usize,
    /// Episodes of each side.
    pub episodes: u64,
    /// Number of these that were compared with the same episode of the other side.
    pub pairs: u64,
    /// Successes of the first and the second.
    pub successes: (u64, u64),
    /// How many times as much a bet against equal rates has come to.
    pub e_value: f64,
    /// The difference with an interval that holds at every look; none without episodes.
    pub difference: Option<SequentialInterval>,
    /// How the comparison of the pair ended.
    pub end: PairEnd,
}

/// How the comparison of a pair ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairEnd {
    /// A value was found better before the plan was done.
    Early,
    /// The plan is done; Holm's p of the usual test, and whether that is small enough in addition to the looks before.
    AtTheEnd {
        /// Holm's p of the usual test.
        p_holm: f64,
        /// Whether one value is better.
        is_decided: bool,
    },
    /// Blocks are still to come.
    Open,
}

/// Work that was planned and not run, because comparisons were decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Saving {
    /// Shards that were not started.
    pub shards: usize,
    /// Number of planned shards.
    pub of_shards: usize,
    /// Their episodes, `None` if the plan does not give their number.
    pub episodes: Option<u64>,
    /// Number of planned episodes, `None` if the plan does not give it.
    pub of_episodes: Option<u64>,
}

impl Sequential {
    /// Evaluates the comparison of a run; `None` if its sweep compares nothing that way.
    pub fn from_state(plan: &Plan, state: &RunState) -> Option<Self> {
        let blocks = ComparisonBlocks::from_plan(plan)?;
        let mut pairs: Vec<SequentialPair> =
            blocks.value_pairs().map(|pair| of_pair(&blocks, pair, plan, state)).collect();
        end_open(&mut pairs, blocks.level);
        Some(Self {
            axis: blocks.axis.clone(),
            level: blocks.level,
            limit: blocks.e_value_limit(),
            pairs,
            saving: Saving::from_state(plan, state),
        })
    }

    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        json!({
            "axis": self.axis,
            "level": self.level,
            "method": "betting e-value over known pairs, else the mean over all pairings of each block; half of the level is for the end of the plan",
            "e_value_limit": self.limit,
            "pairs": self.pairs.iter().map(SequentialPair::to_json).collect::<Vec<_>>(),
            "saving": self.saving,
        })
    }
}

impl SequentialPair {
    fn to_json(&self) -> Value {
        let (end, p_holm) = match self.end {
            PairEnd::Early => ("early", None),
            PairEnd::AtTheEnd { p_holm, is_decided: true } => ("at-the-end", Some(p_holm)),
            PairEnd::AtTheEnd { p_holm, is_decided: false } => ("undecided", Some(p_holm)),
            PairEnd::Open => ("open", None),
        };
        json!({
            "first": self.first,
            "second": self.second,
            "end": end,
            "blocks": self.blocks,
            "blocks_left_out": self.void,
            "episodes": self.episodes,
            "paired_episodes": self.pairs,
            "first_successes": self.successes.0,
            "second_successes": self.successes.1,
            "e_value": self.e_value,
            "p_any_time": (1.0 / self.e_value).min(1.0),
            "p_holm": p_holm,
            "success_rate_difference": self.difference,
        })
    }

    /// How many of its episodes were compared with the same one of the other side: `, all paired`.
    pub fn paired_suffix(&self) -> String {
        match self.pairs {
            0 => String::new(),
            pairs if pairs == self.episodes => ", all paired".to_owned(),
            pairs => format!(", {pairs} of {} episodes paired", self.episodes),
        }
    }

    /// Describes the finding, in one line for people.
    pub fn result_text(&self) -> String {
        let e = e_value_text(self.e_value);
        match self.end {
            PairEnd::Early => format!("{} is better, decided early (e = {e})", self.first),
            PairEnd::AtTheEnd { p_holm, is_decided: true } => {
                format!("{} is better at the end of the plan ({})", self.first, p_text(p_holm))
            }
            PairEnd::AtTheEnd { p_holm, is_decided: false } => {
                format!("not told apart ({})", p_text(p_holm))
            }
            PairEnd::Open => format!("open (e = {e} so far)"),
        }
    }
}

impl Saving {
    /// Counts what a run has saved.
    pub fn from_state(plan: &Plan, state: &RunState) -> Self {
        let is_saved =
            |position: &usize| state.shards.get(*position).is_some_and(|shard| shard.phase.is_unneeded());
        let saved: Vec<usize> = (0..plan.shards.len()).filter(is_saved).collect();
        let episodes = |positions: &mut dyn Iterator<Item = usize>| -> Option<u64> {
            positions.map(|position| planned_episodes(plan, &plan.shards[position])).sum()
        };
        Self {
            shards: saved.len(),
            of_shards: plan.shards.len(),
            episodes: episodes(&mut saved.iter().copied()),
            of_episodes: episodes(&mut (0..plan.shards.len())),
        }
    }

    /// `12 of 20 shards not started, 240 of 400 episodes saved (60 %)`; `None` if nothing was saved.
    pub fn saved_text(self) -> Option<String> {
        let Self { shards, of_shards, .. } = self;
        let episodes = self.episodes.zip(self.of_episodes).map(|(saved, of)| {
            format!(", {saved} of {of} episodes saved ({:.0} %)", 100.0 * saved as f64 / of.max(1) as f64)
        });
        (shards > 0)
            .then(|| format!("{shards} of {of_shards} shards not started{}", episodes.unwrap_or_default()))
    }
}

fn of_pair(blocks: &ComparisonBlocks, pair: (usize, usize), plan: &Plan, state: &RunState) -> SequentialPair {
    let (first, second) = (&blocks.values[pair.0], &blocks.values[pair.1]);
    let shard = |position: usize| state.shard(&plan.shards.get(position)?.id);
    let look = blocks.weigh_evidence(pair, shard);
    match state.decisions.of_pair(first, second) {
        Some(decided) => early_pair(decided, look.void),
        None => undecided_pair((first, second), &look, blocks.e_value_limit()),
    }
}

fn early_pair(decided: &DecidedComparison, void: usize) -> SequentialPair {
    SequentialPair {
        first: decided.better.clone(),
        second: decided.worse.clone(),
        blocks: decided.blocks,
        void,
        episodes: decided.episodes,
        pairs: decided.pairs,
        successes: (decided.better_successes, decided.worse_successes),
        e_value: decided.e_value,
        difference: Some(decided.difference),
        end: PairEnd::Early,
    }
}

/// The better one first, as far as it looks so.
fn undecided_pair((first, second): (&str, &str), look: &BlockEvidence, limit: f64) -> SequentialPair {
    let (of_first, of_second) = look.evidence.successes();
    let difference = look.evidence.confidence_interval(limit);
    let is_turned = of_second > of_first;
    let (first, second) = if is_turned { (second, first) } else { (first, second) };
    let end = if look.open > 0 {
        PairEnd::Open
    } else {
        PairEnd::AtTheEnd { p_holm: p_value(look), is_decided: false }
    };
    SequentialPair {
        first: first.to_owned(),
        second: second.to_owned(),
        blocks: look.blocks,
        void: look.void,
        episodes: look.evidence.episodes(),
        pairs: look.pairs,
        successes: (of_first.max(of_second), of_first.min(of_second)),
        e_value: look.evidence.e_value(),
        difference: difference.map(|difference| if is_turned { difference.swap_sides() } else { difference }),
        end,
    }
}

/// Computes p by the usual test: McNemar's where all pairs are known, else each block is a stratum.
fn p_value(look: &BlockEvidence) -> f64 {
    if look.pairs == look.evidence.episodes() {
        return known_pairs(look).mid_p();
    }
    let strata: Vec<(Sample, Sample)> = look
        .evidence
        .blocks()
        .flat_map(|(block, times)| {
            let sample =
                |successes: u64| Sample { successes: successes as f64, episodes: block.episodes as f64 };
            std::iter::repeat_n((sample(block.first), sample(block.second)), times)
        })
        .collect();
    mantel_haenszel::p_value(&strata)
}

fn known_pairs(look: &BlockEvidence) -> Pairs {
    let mut pairs = Pairs::default();
    for (block, times) in look.evidence.blocks() {
        (0..times).for_each(|_| pairs.add_pair(block.first > 0, block.second > 0));
    }
    pairs
}

/// Pairs whose plan is done are judged by half of the level, with regard to all of them.
fn end_open(pairs: &mut [SequentialPair], level: f64) {
    let family = pairs.len() as f64;
    let mut at_end: Vec<&mut SequentialPair> =
        pairs.iter_mut().filter(|pair| matches!(pair.end, PairEnd::AtTheEnd { .. })).collect();
    let p_of = |pair: &SequentialPair| match pair.end {
        PairEnd::AtTheEnd { p_holm, .. } => p_holm,
        PairEnd::Early | PairEnd::Open => 1.0,
    };
    at_end.sort_by(|one, other| p_of(one).total_cmp(&p_of(other)));
    let mut largest: f64 = 0.0;
    for (rank, pair) in at_end.into_iter().enumerate() {
        largest = largest.max(((family - rank as f64) * p_of(pair)).min(1.0));
        pair.end = PairEnd::AtTheEnd { p_holm: largest, is_decided: largest <= level / 2.0 };
    }
}
