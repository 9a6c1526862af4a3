//! What a run keeps away from because of what happened in it: GPUs that were lost, shards that fail again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;

use super::event_groups::events;
use super::fact::Event;
use crate::model::ids::{GpuIndex, ShardId};

/// GPUs and shards that a run keeps away from because of what happened in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunHolds {
    /// GPUs that get no shards, and why.
    avoided: BTreeMap<GpuIndex, String>,
    holds: Vec<QueueHold>,
    /// When holds were last taken back.
    released: Option<Timestamp>,
}

/// Queued shards that are not started.
#[derive(Debug, Clone, PartialEq)]
struct QueueHold {
    shards: HeldShards,
    reason: String,
}

/// Shards that a hold is about.
#[derive(Debug, Clone, PartialEq)]
enum HeldShards {
    /// Only the shards with these ids.
    Only(BTreeSet<ShardId>),
    /// All of the run but these, until an attempt runs for longer than `past` or succeeds.
    AllBut { spares: BTreeSet<ShardId>, past: Option<Duration> },
}

impl HeldShards {
    fn contains(&self, shard: &ShardId) -> bool {
        match self {
            Self::Only(shards) => shards.contains(shard),
            Self::AllBut { spares, .. } => !spares.contains(shard),
        }
    }
}

impl RunHolds {
    /// Takes one event into account; most change nothing here.
    pub fn apply_event(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::GpuAvoided { gpu, reason } => {
                self.avoided.insert(*gpu, reason.clone());
            }
            Event::ShardsHeld { shards, reason } => {
                let shards = HeldShards::Only(shards.iter().cloned().collect());
                self.holds.push(QueueHold { shards, reason: reason.clone() });
            }
            Event::RunHeld { reason, spares, past } => {
                let shards = HeldShards::AllBut { spares: spares.iter().cloned().collect(), past: *past };
                self.holds.push(QueueHold { shards, reason: reason.clone() });
            }
            Event::HoldsReleased { .. } => self.release_holds(at),
            Event::RunContinued { .. } => {
                // Who continues a run has seen to the machine.
                self.avoided.clear();
                self.release_holds(at);
            }
            events!(
                attempts | outcomes | queue | nodes | plan | services | limits | beginnings | reports
            )
            | Event::StopRequested { .. }
            | Event::RunEnded { .. } => {}
        }
    }

    fn release_holds(&mut self, at: Timestamp) {
        self.holds.clear();
        self.released = Some(at);
    }

    /// Some shards are not started.
    pub fn holds_any(&self) -> bool {
        !self.holds.is_empty()
    }

    /// Why the shard is not started while it is queued, where it is held.
    pub fn hold_of(&self, shard: &ShardId) -> Option<&str> {
        let is_meant = |hold: &&QueueHold| hold.shards.contains(shard);
        self.holds.iter().find(is_meant).map(|hold| hold.reason.as_str())
    }

    /// The sweep is held as a whole, with or without shards that are spared.
    pub fn holds_run(&self) -> bool {
        self.holds.iter().any(|hold| matches!(hold.shards, HeldShards::AllBut { .. }))
    }

    /// How long an attempt must run to show that the sweep as a whole need not be held, where it is.
    pub fn proving_time(&self) -> Option<Duration> {
        let past = |hold: &QueueHold| match &hold.shards {
            HeldShards::AllBut { past, .. } => *past,
            HeldShards::Only(_) => None,
        };
        self.holds.iter().filter_map(past).max()
    }

    /// Why the GPU gets no shards, where it is avoided.
    pub fn avoid_reason(&self, gpu: GpuIndex) -> Option<&str> {
        self.avoided.get(&gpu).map(String::as_str)
    }

    /// Returns when holds were last taken back: failures up to then do not count for later holds.
    pub fn released_at(&self) -> Option<Timestamp> {
        self.released
    }
}
