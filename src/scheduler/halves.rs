//! Whether a pack that ran out of memory is split, and what its halves are called.

use crate::model::ids::ShardId;
use crate::model::outcome::{FailureReason, Outcome};
use crate::model::plan::OnOom;
use crate::model::shard_state::ShardState;
use crate::model::split::PackSplit;
use crate::scheduler::turn::Turn;

/// How the pack of the shard is split after it ran out of memory for this reason; `None` where it is none, or holds
/// one value only.
pub fn split(turn: &Turn, shard: &ShardState, outcome: &Outcome, reason: FailureReason) -> Option<PackSplit> {
    if outcome.reason() != Some(reason) || turn.policy.schedule.on_oom == OnOom::Fail {
        return None;
    }
    let pack = turn.policy.packs[turn.position(&shard.id)?]?;
    if pack.values < 2 {
        return None;
    }
    let index = turn.policy.next_pack() + turn.splits();
    // A name that would be too long leaves the pack whole.
    let other = ShardId::new(name(shard.id.as_str(), pack.index, index)).ok()?;
    turn.position(&other).is_none().then(|| PackSplit {
        shard: shard.id.clone(),
        keeps: pack.values.div_ceil(2),
        other,
        index,
    })
}

/// `flat_pack0` and `flat_pack7`, where the id tells the number of its pack; else the number is added.
fn name(id: &str, old: u32, new: u32) -> String {
    let base = id.strip_suffix(&format!("_pack{old}")).unwrap_or(id);
    format!("{base}_pack{new}")
}
