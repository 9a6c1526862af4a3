//! The numbers and seeds that files give their episodes: which are twice, and where each belongs.

use std::collections::{BTreeMap, BTreeSet};

use super::piece::{
    Numbering, PieceFault, PieceNumbers, PieceRefusal, detect_numbering, find_shared, format_numbers,
};
use crate::model::ids::ShardId;

/// The names that the number of an episode goes by.
pub const NUMBERS: [&str; 5] = ["episode", "episode_index", "episode_ix", "episode_id", "ep"];

/// The names that the seed of an episode goes by.
pub const SEEDS: [&str; 4] = ["seed", "episode_seed", "env_seed", "reset_seed"];

/// Entries of one piece, in their order.
pub struct PieceEntries<'a> {
    /// Shard that the entries belong to.
    pub shard: &'a ShardId,
    /// The episodes it should hold.
    pub ids: &'a [u64],
    /// The number of each entry.
    pub numbers: Vec<i64>,
}

impl PieceEntries<'_> {
    /// Returns where each entry belongs: in which round of its piece, and in which episode. A round ends where the
    /// numbers go down: programs with several tasks count each from the start.
    pub fn entry_orders(&self, numbering: Numbering) -> Vec<(u64, u64)> {
        let (mut round, mut last) = (0, None);
        let order = |number: &i64| {
            let episode = numbering.resolve_episode(self.ids, *number).unwrap_or_default();
            round += u64::from(last > Some(episode));
            last = Some(episode);
            (round, episode)
        };
        self.numbers.iter().map(order).collect()
    }
}

/// How the pieces number their episodes; refused are those that hold others than they should, or some more than once.
pub fn check_episode_numbers(pieces: &[PieceEntries<'_>]) -> Result<Numbering, Vec<PieceRefusal>> {
    let found: Vec<PieceNumbers<'_>> = pieces
        .iter()
        .map(|piece| PieceNumbers {
            shard: piece.shard,
            ids: piece.ids,
            found: piece.numbers.iter().copied().collect(),
        })
        .collect();
    let numbering = detect_numbering(&found)?;
    let rounds = count_rounds(pieces);
    let uneven: Vec<PieceRefusal> = pieces.iter().filter_map(|piece| refuse_uneven(piece, rounds)).collect();
    if uneven.is_empty() { Ok(numbering) } else { Err(uneven) }
}

/// How often most episodes are there: once for each task of a program with several.
fn count_rounds(pieces: &[PieceEntries<'_>]) -> usize {
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    for count in pieces.iter().flat_map(|piece| count_each(&piece.numbers).into_values()) {
        *votes.entry(count).or_default() += 1;
    }
    // Of equals the smaller.
    votes.into_iter().rev().max_by_key(|(_, votes)| *votes).map_or(1, |(count, _)| count)
}

/// Some are there more often than the others: a program continued after an interruption and wrote them again.
fn refuse_uneven(piece: &PieceEntries<'_>, rounds: usize) -> Option<PieceRefusal> {
    let of = |wrong: fn(usize, usize) -> bool| -> Vec<i64> {
        let counts = count_each(&piece.numbers).into_iter();
        counts.filter(|(_, count)| wrong(*count, rounds)).map(|(number, _)| number).collect()
    };
    let times = if rounds == 1 { "once".to_owned() } else { format!("{rounds} times") };
    let (rows, episodes) = (piece.numbers.len(), piece.ids.len());
    let (fault, numbers, how) = match (of(|count, rounds| count > rounds), of(|count, rounds| count < rounds))
    {
        (again, _) if !again.is_empty() => (PieceFault::Duplicate, again, "more than"),
        (_, short) if !short.is_empty() => (PieceFault::Incomplete, short, "fewer than"),
        (_, _) => return None,
    };
    let wanted = if rounds == 1 { String::new() } else { format!(" with {rounds} rows each") };
    let why = format!(
        "it has {} {how} {times}: {rows} rows for {episodes} episodes{wanted}",
        format_numbers("episode", &numbers)
    );
    Some(PieceRefusal::new(piece.shard, fault, why))
}

/// Refuses pieces with repeated seeds: where seeds belong to episodes, two episodes with the same seed have done the
/// same work.
pub fn repeated_seeds(pieces: &[(&ShardId, Vec<i64>)]) -> Vec<PieceRefusal> {
    let all: BTreeSet<i64> = pieces.iter().flat_map(|(_, seeds)| seeds.iter().copied()).collect();
    if all.len() < 2 || pieces.iter().any(|(_, seeds)| is_of_shard(seeds)) {
        return Vec::new();
    }
    let mut refused: BTreeMap<&ShardId, PieceRefusal> = BTreeMap::new();
    for (shard, seeds) in pieces {
        let again = find_repeated(seeds);
        if !again.is_empty() {
            let why = format!("it has {} more than once", format_numbers("seed", &again));
            refused.insert(shard, PieceRefusal::new(shard, PieceFault::Duplicate, why));
        }
    }
    let things = pieces.iter().flat_map(|(shard, seeds)| seeds.iter().map(|seed| (seed.to_string(), *shard)));
    for (seed, shards) in find_shared(things) {
        let [first, others @ ..] = shards.as_slice() else { continue };
        for other in others {
            let why = format!("it has episodes of {first}: the seed {seed} is in both");
            refused.entry(other).or_insert_with(|| PieceRefusal::new(other, PieceFault::Overlapping, why));
        }
    }
    refused.into_values().collect()
}

/// How often each number is there.
fn count_each(numbers: &[i64]) -> BTreeMap<i64, usize> {
    let mut counts = BTreeMap::new();
    numbers.iter().for_each(|number| *counts.entry(*number).or_default() += 1);
    counts
}

/// Reports whether the seeds belong to the shard and not to its episodes: one seed for all of a shard, or few that come
/// back at random, are those of a run or of layouts.
fn is_of_shard(seeds: &[i64]) -> bool {
    let counts = count_each(seeds);
    seeds.len() > 1 && (counts.len() == 1 || !is_even(&counts) && 2 * counts.len() <= seeds.len())
}

/// Programs with several tasks use the seeds of the first again for each.
fn is_even(counts: &BTreeMap<i64, usize>) -> bool {
    let mut values = counts.values();
    let first = values.next();
    values.all(|count| Some(count) == first)
}

fn find_repeated(seeds: &[i64]) -> Vec<i64> {
    let counts = count_each(seeds);
    let again = |(seed, count): (&i64, &usize)| (*count > 1).then_some(*seed);
    if is_even(&counts) { Vec::new() } else { counts.iter().filter_map(again).collect() }
}
