//! Which shards start now, and when the next may.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::fact::Event;
use crate::model::ids::{AttemptKey, AttemptNumber};
use crate::model::phase::{Ended, Phase};
use crate::model::run_state::{RunStage, ShardState};
use crate::scheduler::effect::Effect;
use crate::scheduler::memory::Memory;
use crate::scheduler::placement::placement;
use crate::scheduler::turn::Turn;

/// Fills the free slots in the order of the policy.
pub fn start_due(turn: &mut Turn, memory: &Memory) {
    if turn.stage() != RunStage::Active {
        return;
    }
    let policy = turn.policy;
    let slots = slots(turn, memory);
    let mut gate = gate(turn);
    let positions = turn.positions();
    for position in policy.order.iter().copied().filter(|position| positions.contains(position)) {
        if turn.active() >= slots {
            return;
        }
        let Phase::Queued { not_before, .. } = turn.shard(position).phase else { continue };
        match gate.max(not_before).filter(|at| *at > turn.now) {
            Some(at) => turn.wake_at(at),
            None => {
                start(turn, position);
                gate = gate.max(after(turn.now, policy.schedule.stagger));
            }
        }
    }
}

/// How many shards may be active: one until the run is warm.
fn slots(turn: &Turn, memory: &Memory) -> usize {
    let is_cold = turn.policy.schedule.warmup && !memory.progress_seen && !turn.shards().any(has_ended);
    if is_cold { 1 } else { turn.parallel() }
}

fn has_ended(shard: &ShardState) -> bool {
    newest_end(shard).is_some()
}

fn newest_end(shard: &ShardState) -> Option<&Ended> {
    shard.phase.ended().or(shard.history.last())
}

/// The moment before which nothing starts: `stagger` after the newest start and `cooldown` after the newest end.
/// Moments that lie ahead, because the clock was set back, hold nothing up.
fn gate(turn: &Turn) -> Option<Timestamp> {
    let newest = |moment: fn(&ShardState) -> Option<Timestamp>, pause: Duration| {
        if pause.is_zero() {
            return None;
        }
        let newest = turn.shards().filter_map(moment).filter(|at| *at <= turn.now).max()?;
        after(newest, pause)
    };
    let schedule = &turn.policy.schedule;
    let staggered = newest(newest_start, schedule.stagger);
    let cooled = newest(|shard| newest_end(shard).map(|ended| ended.at), schedule.cooldown);
    staggered.max(cooled)
}

/// When the shard's newest attempt was announced or, where that is known, when its process started.
fn newest_start(shard: &ShardState) -> Option<Timestamp> {
    match &shard.phase {
        Phase::Starting { since, .. } => Some(*since),
        Phase::Running(live) | Phase::Paused { live, .. } | Phase::Stopping { live, .. } => {
            Some(live.started)
        }
        Phase::Queued { .. } | Phase::Succeeded(_) | Phase::Failed { .. } | Phase::Cancelled { .. } => {
            newest_end(shard)?.started
        }
    }
}

fn after(at: Timestamp, pause: Duration) -> Option<Timestamp> {
    at.checked_add(pause).ok()
}

fn start(turn: &mut Turn, position: usize) {
    let gpus = placement(turn);
    let shard = turn.shard(position);
    let attempt = shard.attempt.map_or(AttemptNumber::FIRST, AttemptNumber::next);
    let key = AttemptKey { shard: shard.id.clone(), attempt };
    turn.record(Event::AttemptStarting { shard: key.shard.clone(), attempt, gpus: gpus.clone() });
    turn.effect(Effect::Start { key, gpus });
}
