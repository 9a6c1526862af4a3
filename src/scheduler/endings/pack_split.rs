//! Whether a pack is split that ran out of memory, or would, and what its parts are called.

use crate::model::history::PackSizes;
use crate::model::ids::ShardId;
use crate::model::state::fact::Event;
use crate::model::state::phase::Phase;
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::PackSizing;
use crate::model::sweep::split::{PackSplit, SplitCause};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::learning::knowledge::Knowledge;
use crate::scheduler::learning::pack_families::PackFamilies;
use crate::scheduler::learning::pack_size::PackSize;

/// So many packs are split in one decision before they start; a decision must stay short.
const MOST_SPLITS: usize = 64;

/// How the pack of the shard is split that ran out of memory; `None` where it is none, or holds one value only.
pub fn split_after_oom(
    builder: &DecisionBuilder,
    known: &PackFamilies,
    shard: &ShardState,
) -> Option<PackSplit> {
    let position = builder.position(&shard.id)?;
    let pack = builder.policy.pack_size(position)?;
    let is_auto = pack.sizing == PackSizing::Auto && shard.edit.is_empty();
    let fits = known.expected_sizes(builder.policy, pack.family).fits;
    let keeps = fits.filter(|fits| is_auto && *fits < pack.values).unwrap_or(pack.values.div_ceil(2));
    split_pack_at(builder, position, keeps, SplitCause::OutOfMemory)
}

/// Splits queued packs of sizes that are known to be too large, instead of starting them to see them fail.
pub fn split_queued(builder: &mut DecisionBuilder, known: &mut Knowledge) {
    let splits = builder.policy.ladder.splits_packs();
    if !splits || !known.pack_families.may_split || builder.stage() != RunStage::Active {
        return;
    }
    let sizes = known.pack_families.all_expected(builder.policy);
    let before = builder.split_count() as usize;
    let mut is_done = true;
    for position in builder.positions() {
        if !matches!(builder.shard(position).phase, Phase::Queued { .. }) {
            continue;
        }
        let Some(split) = split_before_start(builder, &sizes, position) else { continue };
        is_done = false;
        if builder.split_count() as usize - before >= MOST_SPLITS {
            break;
        }
        builder.record(Event::PackSplit(split));
    }
    // The halves may be too large as well, and exist once the facts are recorded.
    known.pack_families.may_split = !is_done;
    if !is_done {
        builder.wake_at(builder.now);
    }
}

/// The pack is split before it starts, in this decision or in the next one; `sizes` are those of all families.
pub fn is_too_large(builder: &DecisionBuilder, sizes: &[PackSizes], position: usize) -> bool {
    let Some(pack) = builder.policy.pack_size(position) else { return false };
    match builder.kept_values(&builder.shard(position).id) {
        Some(keeps) => keeps > 1 && is_known_too_large(builder, sizes, (position, pack), keeps),
        None => split_before_start(builder, sizes, position).is_some(),
    }
}

/// How a queued pack is split whose size is known to be too large. One whose size is found by trying is cut when it
/// starts.
fn split_before_start(builder: &DecisionBuilder, sizes: &[PackSizes], position: usize) -> Option<PackSplit> {
    let pack = builder.policy.pack_size(position).filter(|pack| pack.sizing == PackSizing::Given)?;
    let is_meant = builder.policy.ladder.splits_packs()
        && is_known_too_large(builder, sizes, (position, pack), pack.values)
        && builder.kept_values(&builder.shard(position).id).is_none();
    if is_meant {
        split_pack_at(builder, position, pack.values.div_ceil(2), SplitCause::KnownSize)
    } else {
        None
    }
}

/// So many values of the family of that pack are known to be too many. Edited packs are other work.
fn is_known_too_large(
    builder: &DecisionBuilder,
    sizes: &[PackSizes],
    (position, pack): (usize, PackSize),
    values: usize,
) -> bool {
    let too_large = sizes.get(pack.family).and_then(|sizes| sizes.too_large);
    too_large.is_some_and(|too_large| too_large <= values) && builder.shard(position).edit.is_empty()
}

/// How a pack is split of which so many values stay.
pub fn split_pack_at(
    builder: &DecisionBuilder,
    position: usize,
    keeps: usize,
    cause: SplitCause,
) -> Option<PackSplit> {
    let pack = builder.policy.pack_size(position).filter(|pack| (1..pack.values).contains(&keeps))?;
    let shard = builder.shard(position).id.clone();
    let index = match pack.split_from {
        // A part has the number of its first value.
        Some(first) => first.saturating_add(u32::try_from(keeps - 1).ok()?),
        None => builder.policy.next_pack() + builder.split_count(),
    };
    // A name that would be too long leaves the pack whole.
    let other = ShardId::new(half_name(shard.as_str(), pack.index, index)).ok()?;
    let is_new = builder.position(&other).is_none();
    is_new.then_some(PackSplit { shard, keeps, other, index, cause, needs: None })
}

/// Names a half `flat_pack0` or `flat_pack7`, where the id gives the number of its pack; else the number is added.
pub fn half_name(id: &str, old: u32, new: u32) -> String {
    let base = id.strip_suffix(&format!("_pack{old}")).unwrap_or(id);
    format!("{base}_pack{new}")
}
