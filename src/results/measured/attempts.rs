//! Every attempt of a run on one time axis.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::gpu_place::GpuPlace;
use super::occupancy::Occupancy;
use crate::model::ids::{AttemptNumber, GpuIndex};
use crate::model::outcome::Outcome;
use crate::model::state::phase::{Ended, PhaseKind};
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::plan::Plan;

/// An attempt at a shard, with its times and GPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt<'a> {
    /// The position of its shard in the plan.
    pub shard: usize,
    /// Number of the try, within its shard.
    pub number: AttemptNumber,
    /// When its process started; where none did, the moment of its end.
    pub from: Timestamp,
    /// When it ended, or how far it had come when this was looked at.
    pub to: Timestamp,
    /// Whether a process was started at all.
    pub ran: bool,
    /// The node where it ran; none in a run of one machine.
    pub node: Option<&'a NodeId>,
    /// The GPUs it was given.
    pub gpus: &'a [GpuIndex],
    /// Whether it has ended, and how.
    pub standing: AttemptStatus<'a>,
}

/// State of an attempt: ended or still open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AttemptStatus<'a> {
    /// The attempt has ended.
    Ended(&'a Outcome),
    /// The attempt has not ended, as far as the journal knows.
    Open(PhaseKind),
}

impl Attempt<'_> {
    /// How long it took so far, in seconds.
    pub fn seconds(&self) -> f64 {
        self.to.duration_since(self.from).as_secs_f64().max(0.0)
    }
}

/// All attempts of the shards of the plan, those of one shard one after the other. What still runs goes on to `seen`.
pub fn collect_attempts<'a>(plan: &Plan, state: &'a RunState, seen: Timestamp) -> Vec<Attempt<'a>> {
    let mut attempts = Vec::new();
    for (position, spec) in plan.shards.iter().enumerate() {
        let Some(shard) = state.shard(&spec.id) else { continue };
        attempts.extend(shard.history.iter().map(|ended| of_ended(position, ended)));
        attempts.extend(newest_attempt(position, shard, seen));
    }
    attempts
}

fn newest_attempt(shard: usize, state: &ShardState, seen: Timestamp) -> Option<Attempt<'_>> {
    if let Some(ended) = state.phase.ended() {
        return Some(of_ended(shard, ended));
    }
    let live = state.phase.live()?;
    Some(Attempt {
        shard,
        number: live.attempt,
        from: live.started,
        to: seen.max(live.started),
        ran: live.pid.is_some(),
        node: state.node.as_ref(),
        gpus: &live.gpus,
        standing: AttemptStatus::Open(state.phase.kind()),
    })
}

fn of_ended(shard: usize, ended: &Ended) -> Attempt<'_> {
    let outcome = &ended.outcome;
    // The end in the journal is a little late; the holder's clock has the exact length.
    let to = match (ended.started, outcome.elapsed) {
        (Some(started), Some(elapsed)) => started.saturating_add(elapsed).unwrap_or(ended.at),
        (Some(_) | None, None) | (None, Some(_)) => ended.at,
    };
    Attempt {
        shard,
        number: ended.attempt,
        from: ended.started.unwrap_or(to),
        to,
        ran: ended.started.is_some(),
        node: ended.node.as_ref(),
        gpus: &ended.gpus,
        standing: AttemptStatus::Ended(outcome),
    }
}

/// Returns which attempts were on which GPU, by positions in `attempts`.
pub fn on_gpus(attempts: &[Attempt<'_>]) -> BTreeMap<GpuPlace, Occupancy> {
    let mut spans: BTreeMap<GpuPlace, Vec<_>> = BTreeMap::new();
    for (position, attempt) in attempts.iter().enumerate() {
        for gpu in attempt.gpus {
            let place = GpuPlace { node: attempt.node.cloned(), index: *gpu };
            spans.entry(place).or_default().push((position, attempt.from, attempt.to));
        }
    }
    spans.into_iter().map(|(gpu, spans)| (gpu, Occupancy::from_spans(spans))).collect()
}

/// Which attempts were on which machine, by positions in `attempts`.
pub fn on_hosts(attempts: &[Attempt<'_>]) -> BTreeMap<Option<NodeId>, Occupancy> {
    let mut spans: BTreeMap<Option<NodeId>, Vec<_>> = BTreeMap::new();
    for (position, attempt) in attempts.iter().enumerate() {
        spans.entry(attempt.node.cloned()).or_default().push((position, attempt.from, attempt.to));
    }
    spans.into_iter().map(|(node, spans)| (node, Occupancy::from_spans(spans))).collect()
}
