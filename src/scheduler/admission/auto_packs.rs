//! How many values a pack with `size = "auto"` starts with: as many as are known to fit, or a try at more. While a try
//! is under way of which it is not yet known whether it fits, packs of the same group start with what is known, or
//! wait.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::history::PackSizes;
use crate::model::ids::{AttemptKey, ShardId};
use crate::model::logs::value_log::MOST_VALUES;
use crate::model::shortage::Shortage;
use crate::model::state::phase::{Phase, PhaseKind};
use crate::model::state::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::admission::ledger::Ledger;
use crate::scheduler::admission::pack_room;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::gates::gate;
use crate::scheduler::learning::footprint::living_key;
use crate::scheduler::learning::pack_size::PackSize;
use crate::scheduler::volatile_state::VolatileState;

/// Longest time that a try holds up other packs, also where its log shows no progress.
const PATIENCE: Duration = Duration::from_secs(120);

/// Between a size that fits and one that does not, sizes closer than this are not worth running out of memory again.
const LEAST_GAP: usize = 4;

/// Decision on a pack whose turn it is.
#[derive(Debug, Clone, PartialEq)]
pub enum PackFit {
    /// The pack starts with all of its values.
    Starts,
    /// So many of its values stay with it.
    Cut(usize),
    /// The pack waits, for lack of this.
    Waits(Shortage),
}

/// Knowledge of the sizes of packs in the course of one decision.
pub struct AutoPacks {
    /// Known sizes of each family, by its number.
    sizes: Vec<PackSizes>,
    /// Attempts of which it is not yet known whether their size fits.
    tries: Vec<Try>,
    /// Number of values in packs that wait.
    queued: usize,
    /// All of them: a share that followed what is left would cut the last packs to single values.
    all: usize,
    /// VRAM by the number of values, of each family.
    peaks: BTreeMap<usize, BTreeMap<usize, Bytes>>,
}

struct Try {
    group: usize,
    shard: ShardId,
    values: usize,
    /// Moment from which it holds up no other pack any more.
    until: Option<Timestamp>,
}

impl AutoPacks {
    /// Gathers what is known before anything starts in this decision; `None` where the sweep sets how large
    /// its packs are.
    pub fn for_decision(builder: &DecisionBuilder, volatile: &VolatileState) -> Option<Self> {
        if !builder.policy.has_auto_packs {
            return None;
        }
        let mut families = volatile.knowledge.pack_families.clone();
        let mut unsettled = Vec::new();
        let mut packs =
            Self { sizes: Vec::new(), tries: Vec::new(), queued: 0, all: 0, peaks: BTreeMap::new() };
        for (position, shard) in builder.positions().map(|position| (position, builder.shard(position))) {
            let Some(pack) = builder.policy.pack_size(position).filter(|pack| pack.is_auto()) else {
                continue;
            };
            packs.count_pack(builder, volatile, shard, pack);
            if let Some(key) = living_key(shard).filter(|_| shard.edit.is_empty()) {
                match settles_at(volatile, shard, &key).filter(|at| *at > builder.now) {
                    Some(at) => unsettled.push((pack, key.shard, at)),
                    None => families.record_success(pack.family, pack.values),
                }
            }
        }
        packs.sizes = families.all_expected(builder.policy);
        for (pack, shard, at) in unsettled {
            if packs.is_try(pack, pack.values) {
                packs.add_try(builder, pack, shard, Some(at));
            }
        }
        Some(packs)
    }

    /// Counts its values, and what it took.
    fn count_pack(
        &mut self,
        builder: &DecisionBuilder,
        volatile: &VolatileState,
        shard: &ShardState,
        pack: PackSize,
    ) {
        self.queued += if shard.phase.kind() == PhaseKind::Queued { pack.values } else { 0 };
        self.all += pack.values;
        if let Some(peak) = peak_vram(builder, volatile, shard) {
            let known = self.peaks.entry(pack.family).or_default().entry(pack.values).or_default();
            *known = peak.max(*known);
        }
    }

    /// Decides what the shard at that position does.
    pub fn fit_shard(&mut self, builder: &mut DecisionBuilder, ledger: &Ledger, position: usize) -> PackFit {
        let is_plain = builder.shard(position).edit.is_empty();
        let Some(pack) = builder.policy.pack_size(position).filter(|pack| pack.is_auto() && is_plain) else {
            return PackFit::Starts;
        };
        let known = self.sizes.get(pack.family).copied().unwrap_or_default();
        let (kind, parallel) = (builder.policy.kind(position), builder.parallel_limit());
        let share = self.all.div_ceil(pack_room::parallel_packs(ledger, kind, parallel)).min(MOST_VALUES);
        let room = pack_room::vram_per_pack(ledger, kind, parallel).and_then(|budget| {
            let peaks = self.peaks_for(builder, pack.family)?;
            pack_room::values_in(budget, peaks)
        });
        let mut size = choose_pack_size(known, share, room, self.queued).min(pack.values);
        if self.is_try(pack, size) {
            let group = family_group(builder, pack);
            match (self.tries.iter().find(|other| other.group == group), known.fits) {
                (None, _) => {
                    let shard = builder.shard(position).id.clone();
                    self.tries.push(Try { group, shard, values: size, until: None });
                }
                (Some(_), Some(fits)) => size = fits.min(share).min(pack.values),
                (Some(other), None) => {
                    other.until.into_iter().for_each(|at| builder.wake_at(at));
                    let (first, values) = (other.shard.clone(), other.values);
                    return PackFit::Waits(Shortage::PackSize { first, values });
                }
            }
        }
        if size < pack.values { PackFit::Cut(size.max(1)) } else { PackFit::Starts }
    }

    /// So many values are more than what is known to fit.
    fn is_try(&self, pack: PackSize, values: usize) -> bool {
        let fits = self.sizes.get(pack.family).and_then(|sizes| sizes.fits);
        fits.is_none_or(|fits| values > fits)
    }

    fn add_try(
        &mut self,
        builder: &DecisionBuilder,
        pack: PackSize,
        shard: ShardId,
        until: Option<Timestamp>,
    ) {
        self.tries.push(Try { group: family_group(builder, pack), shard, values: pack.values, until });
    }

    /// Returns what packs of the family took, or else those of another one of its group.
    fn peaks_for(&self, builder: &DecisionBuilder, family: usize) -> Option<&BTreeMap<usize, Bytes>> {
        let groups = &builder.policy.pack_groups;
        let sibling = || {
            self.peaks.iter().find(|(other, _)| groups.get(**other) == groups.get(family)).map(|(_, of)| of)
        };
        self.peaks.get(&family).or_else(sibling)
    }
}

fn family_group(builder: &DecisionBuilder, pack: PackSize) -> usize {
    builder.policy.pack_groups.get(pack.family).copied().unwrap_or_default()
}

/// When an attempt is known to fit: it has made progress and takes no more memory, or has lasted for long enough.
fn settles_at(volatile: &VolatileState, shard: &ShardState, key: &AttemptKey) -> Option<Timestamp> {
    let since = match &shard.phase {
        Phase::Starting { since, .. } => *since,
        Phase::Running(live) | Phase::Paused { live, .. } | Phase::Stopping { live, .. } => live.started,
        Phase::Queued { .. } | Phase::Succeeded(_) | Phase::Failed { .. } | Phase::Cancelled { .. } => {
            return None;
        }
    };
    let late = gate::moment_after(since, PATIENCE);
    let early = volatile.knowledge.footprints.steady_from(key);
    early.into_iter().chain(late).min()
}

/// Returns what an attempt of the shard with its present values takes, where it has one GPU.
fn peak_vram(builder: &DecisionBuilder, volatile: &VolatileState, shard: &ShardState) -> Option<Bytes> {
    if let Phase::Succeeded(ended) = &shard.phase {
        let tells = ended.edit.is_empty() && ended.gpus.len() == 1;
        return ended.outcome.peaks.vram.filter(|peak| tells && peak.0 > 0);
    }
    let key = living_key(shard).filter(|_| shard.edit.is_empty())?;
    let is_steady = volatile.knowledge.footprints.steady_from(&key).is_some_and(|at| at <= builder.now);
    match volatile.knowledge.footprints.living_peaks(&key)? {
        [peak] if is_steady && peak.0 > 0 => Some(*peak),
        _several_or_none => None,
    }
}

/// How many values are wanted: an equal share for each slot, as far as that is not known to be too many.
fn choose_pack_size(known: PackSizes, share: usize, room: Option<usize>, queued: usize) -> usize {
    let fits = known.fits.unwrap_or(1);
    let most = room.map_or(share, |room| share.min(room.max(fits))).max(1);
    let limit = match (known.fits, known.too_large) {
        (_, None) => most,
        (None, Some(too_large)) => too_large / 2,
        (Some(fits), Some(too_large)) => {
            let gap = too_large.saturating_sub(fits);
            let middle = fits + gap / 2;
            // One more attempt that runs out of memory has to save at least two.
            let saves = queued.div_ceil(fits.max(1)).saturating_sub(queued.div_ceil(middle.max(1)));
            if gap >= LEAST_GAP && saves >= 2 { middle } else { fits }
        }
    };
    limit.clamp(1, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(fits: Option<usize>, too_large: Option<usize>) -> PackSizes {
        PackSizes { too_large, fits }
    }

    #[test]
    fn a_pack_starts_with_its_share_until_that_is_too_much() {
        assert_eq!(choose_pack_size(sizes(None, None), 16, None, 32), 16);
        assert_eq!(choose_pack_size(sizes(None, Some(16)), 16, None, 32), 8);
        assert_eq!(choose_pack_size(sizes(None, Some(1)), 16, None, 32), 1);
        assert_eq!(
            choose_pack_size(sizes(Some(2), Some(4)), 16, None, 30),
            2,
            "no size between them is worth a try"
        );
        assert_eq!(
            choose_pack_size(sizes(Some(16), None), 64, None, 500),
            64,
            "it grows where nothing has failed"
        );
        assert_eq!(choose_pack_size(sizes(Some(62), Some(125)), 500, None, 1000), 93);
        assert_eq!(choose_pack_size(sizes(Some(62), Some(125)), 500, None, 100), 62, "it would save nothing");
    }

    #[test]
    fn memory_bounds_it() {
        assert_eq!(choose_pack_size(sizes(None, None), 16, Some(6), 32), 6);
        assert_eq!(choose_pack_size(sizes(Some(4), None), 100, Some(40), 400), 40);
        assert_eq!(choose_pack_size(sizes(Some(4), None), 100, Some(2), 400), 4, "what has fitted fits");
    }
}
