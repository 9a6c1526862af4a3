//! Which shards are active, how many are in each phase and what ended last, kept up to date fact by fact.
//!
//! A run may have ten thousand shards and a decision a millisecond: nothing that is asked in every decision may look at
//! all of them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::phase::{Phase, PhaseKind};
use crate::model::ids::GpuIndex;
use crate::model::priority::Priority;

/// Counts and sets that the phases of all shards add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShardTally {
    counts: [usize; PhaseKind::ALL.len()],
    active: BTreeSet<usize>,
    moved: BTreeSet<usize>,
    newest_end: Option<Timestamp>,
    newest_end_on: BTreeMap<GpuIndex, Timestamp>,
}

impl ShardTally {
    /// Returns the tally of a run whose shards are all queued.
    pub fn of_queued(shards: usize) -> Self {
        let mut tally = Self::default();
        tally.counts[PhaseKind::Queued as usize] = shards;
        tally
    }

    /// Counts one more queued shard.
    pub fn add_queued(&mut self) {
        self.counts[PhaseKind::Queued as usize] += 1;
    }

    /// The shard at that position was in the phase `before` and is in `after` now.
    pub fn change_phase(&mut self, position: usize, before: PhaseKind, after: &Phase) {
        let kind = after.kind();
        self.counts[before as usize] -= 1;
        self.counts[kind as usize] += 1;
        if kind.is_active() {
            self.active.insert(position);
        } else if self.active.remove(&position) {
            self.record_end(after);
        }
    }

    /// The shard at that position is in this phase and has this priority now. A priority matters only while the shard
    /// is queued, and is kept for the case that it is queued again.
    pub fn update_priority(&mut self, position: usize, kind: PhaseKind, priority: Priority) {
        if kind == PhaseKind::Queued && priority != Priority::USUAL {
            self.moved.insert(position);
        } else {
            self.moved.remove(&position);
        }
    }

    /// Some queued shard has another priority than the usual one.
    pub fn has_moved(&self) -> bool {
        !self.moved.is_empty()
    }

    fn record_end(&mut self, after: &Phase) {
        let Some(ended) = after.ended() else { return };
        self.newest_end = self.newest_end.max(Some(ended.at));
        for gpu in &ended.gpus {
            let newest = self.newest_end_on.entry(*gpu).or_insert(ended.at);
            *newest = ended.at.max(*newest);
        }
    }

    /// How many shards are in the given phase.
    pub fn count(&self, kind: PhaseKind) -> usize {
        self.counts[kind as usize]
    }

    /// The positions of the shards that have or are about to have a process, rising.
    pub fn active_positions(&self) -> &BTreeSet<usize> {
        &self.active
    }

    /// Every shard is in a final phase.
    pub fn all_final(&self) -> bool {
        PhaseKind::ALL.into_iter().all(|kind| kind.is_final() || self.count(kind) == 0)
    }

    /// When an attempt last ended.
    pub fn newest_end(&self) -> Option<Timestamp> {
        self.newest_end
    }

    /// When an attempt last left that GPU.
    pub fn newest_end_on(&self, gpu: GpuIndex) -> Option<Timestamp> {
        self.newest_end_on.get(&gpu).copied()
    }
}
