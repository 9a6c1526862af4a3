//! Whether a pack is split that ran out of memory, or would, and what its halves are called.

use crate::model::fact::Event;
use crate::model::ids::ShardId;
use crate::model::phase::Phase;
use crate::model::run_state::RunStage;
use crate::model::shard_state::ShardState;
use crate::model::split::PackSplit;
use crate::scheduler::knowledge::Knowledge;
use crate::scheduler::turn::Turn;

/// So many packs are split in one decision before they start; a decision must stay short.
const MOST_SPLITS: usize = 64;

/// How the pack of the shard is split; `None` where it is none, or holds one value only.
pub fn split(turn: &Turn, shard: &ShardState) -> Option<PackSplit> {
    halve(turn, turn.position(&shard.id)?)
}

/// Splits queued packs of sizes that are known to be too large, instead of starting them to see them fail.
pub fn split_queued(turn: &mut Turn, known: &mut Knowledge) {
    let splits = turn.policy.ladder.splits_packs();
    if !splits || !known.pack_families.may_split || turn.stage() != RunStage::Active {
        return;
    }
    let before = turn.splits() as usize;
    let mut is_done = true;
    for position in turn.positions() {
        if !matches!(turn.shard(position).phase, Phase::Queued { .. }) {
            continue;
        }
        let Some(split) = split_before_start(turn, known, position) else { continue };
        is_done = false;
        if turn.splits() as usize - before >= MOST_SPLITS {
            break;
        }
        turn.record(Event::PackSplit(split));
    }
    // The halves may be too large as well, and exist once the facts are recorded.
    known.pack_families.may_split = !is_done;
    if !is_done {
        turn.wake_at(turn.now);
    }
}

/// The pack is split before it starts, in this decision or in the next one.
pub fn is_too_large(turn: &Turn, known: &Knowledge, position: usize) -> bool {
    let has_too_many = |values: usize| exceeds(turn, known, position, values);
    match turn.kept_values(&turn.shard(position).id) {
        Some(keeps) => keeps > 1 && has_too_many(keeps),
        None => split_before_start(turn, known, position).is_some(),
    }
}

/// How a queued pack is split whose size is known to be too large.
fn split_before_start(turn: &Turn, known: &Knowledge, position: usize) -> Option<PackSplit> {
    let pack = turn.policy.packs[position]?;
    let is_meant = turn.policy.ladder.splits_packs()
        && exceeds(turn, known, position, pack.values)
        && turn.kept_values(&turn.shard(position).id).is_none();
    if is_meant { halve(turn, position) } else { None }
}

/// So many values of the family of that pack are known to be too many. Edited packs are other work.
fn exceeds(turn: &Turn, known: &Knowledge, position: usize, values: usize) -> bool {
    let family = turn.policy.packs[position].map(|pack| pack.family);
    let too_large = family.and_then(|family| known.pack_families.of(family).too_large);
    too_large.is_some_and(|too_large| too_large <= values) && turn.shard(position).edit.is_empty()
}

fn halve(turn: &Turn, position: usize) -> Option<PackSplit> {
    let pack = turn.policy.packs[position]?;
    if pack.values < 2 {
        return None;
    }
    let shard = turn.shard(position).id.clone();
    let index = turn.policy.next_pack() + turn.splits();
    // A name that would be too long leaves the pack whole.
    let other = ShardId::new(half_name(shard.as_str(), pack.index, index)).ok()?;
    let keeps = pack.values.div_ceil(2);
    turn.position(&other).is_none().then_some(PackSplit { shard, keeps, other, index })
}

/// `flat_pack0` and `flat_pack7`, where the id tells the number of its pack; else the number is added.
pub fn half_name(id: &str, old: u32, new: u32) -> String {
    let base = id.strip_suffix(&format!("_pack{old}")).unwrap_or(id);
    format!("{base}_pack{new}")
}
