//! Which shards start now.

use crate::model::ids::{AttemptKey, AttemptNumber};
use crate::model::state::fact::Event;
use crate::model::state::phase::Phase;
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::split::SplitCause;
use crate::scheduler::admission::auto_packs::{AutoPacks, PackFit};
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::queue::Queue;
use crate::scheduler::admission::survey_age;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::endings::pack_split;
use crate::scheduler::gates::allocation::AllocationEnd;
use crate::scheduler::gates::{brake, gate, precedence};
use crate::scheduler::services::desk::{AdmissionDecision, Desk};
use crate::scheduler::volatile_state::VolatileState;

/// Limit of shards that start in one decision. Each takes some microseconds to place and to record, and other
/// events must be handled within a millisecond; the others follow in the next decision, which comes at once.
const MOST_STARTS: usize = 64;

/// Fills the free slots in the order of the policy, as far as the machine has room.
pub fn start_due(builder: &mut DecisionBuilder, volatile: &mut VolatileState) {
    if builder.stage() != RunStage::Active {
        return;
    }
    if builder.opening().opens_at().is_some() {
        // Their start times are in the journal.
        builder.report_waiting(Vec::new());
        return;
    }
    let slots = gate::active_limit(builder, volatile);
    if builder.active_count() >= slots {
        builder.report_waiting(Vec::new());
        return;
    }
    match volatile.brake {
        Some(brake) => {
            let braked = brake::braked_limit(builder, brake);
            fill_slots(builder, volatile, slots.min(braked));
            brake::report_shortage(builder, brake);
        }
        None => fill_slots(builder, volatile, slots),
    }
}

fn fill_slots(builder: &mut DecisionBuilder, volatile: &mut VolatileState, slots: usize) {
    let policy = builder.policy;
    let mut opens_at = gate::opens_at(builder);
    let mut queue = Queue::for_decision(builder, volatile);
    let mut desk = Desk::for_decision(builder);
    let sizes = volatile.knowledge.pack_families.all_expected(policy);
    let mut packs = AutoPacks::for_decision(builder, volatile);
    let end = AllocationEnd::for_decision(builder);
    let before = builder.active_count();
    // Looked up once: each shard that starts below is one more fact.
    let split_elsewhere = builder.split_elsewhere();
    let positions = builder.positions();
    let order = precedence::start_order(builder);
    for position in order.iter().copied().filter(|position| positions.contains(position)) {
        let expected = desk.as_ref().map_or(0, Desk::expected_count);
        if builder.active_count() + expected >= slots {
            break;
        }
        if builder.active_count() - before >= MOST_STARTS {
            builder.wake_at(builder.now);
            break;
        }
        let shard = builder.shard(position);
        let Phase::Queued { not_before, .. } = shard.phase else { continue };
        if builder.run_holds().hold_of(&shard.id).is_some() {
            continue;
        }
        if pack_split::is_too_large(builder, &sizes, position) {
            continue;
        }
        if builder.has_other_needs(position) || split_elsewhere.contains(&shard.id) {
            // What it needs now is known once the facts are recorded.
            builder.wake_at(builder.now);
            continue;
        }
        if let Some(at) = opens_at.max(not_before).filter(|at| *at > builder.now) {
            builder.wake_at(at);
            continue;
        }
        if let Some(short_of) = end.as_ref().and_then(|end| end.find_shortage(builder, position)) {
            queue.add_waiting(position, short_of);
            continue;
        }
        if let Some(packs) = &mut packs
            && !has_fitting_size(builder, (packs, &mut queue), position)
        {
            continue;
        }
        let answer = match &mut desk {
            Some(desk) => desk.admit_shard(builder, volatile, &mut queue, position),
            None => queue
                .admit_shard(builder, volatile, position)
                .map_or(AdmissionDecision::Waits, AdmissionDecision::Start),
        };
        if answer == AdmissionDecision::LooksFirst {
            return;
        }
        if let AdmissionDecision::Start(grant) = answer {
            if !survey_age::is_fresh(builder, volatile, &grant) {
                // Nothing new is reported about those that wait: the answer is a few milliseconds away.
                return;
            }
            let key = next_attempt(builder.shard(position));
            queue.ledger.enter_grant(&key, &grant);
            start_attempt(builder, key, grant);
            opens_at = opens_at.max(gate::moment_after(builder.now, policy.schedule.stagger));
        }
    }
    volatile.kept = queue.kept;
    if !queue.waiting.is_empty() {
        survey_age::ask_after_end(builder, volatile);
        survey_age::look_again(builder, volatile);
    }
    builder.report_waiting(queue.waiting);
}

/// The pack at that position can start as it is; else it is cut, or waits.
fn has_fitting_size(
    builder: &mut DecisionBuilder,
    (packs, queue): (&mut AutoPacks, &mut Queue),
    position: usize,
) -> bool {
    if builder.kept_values(&builder.shard(position).id).is_some() {
        // How many values it has is known once the facts are recorded.
        builder.wake_at(builder.now);
        return false;
    }
    match packs.fit_shard(builder, &queue.ledger, position) {
        PackFit::Starts => true,
        PackFit::Cut(values) => {
            match pack_split::split_pack_at(builder, position, values, SplitCause::AutoSize) {
                Some(split) => {
                    builder.record(Event::PackSplit(split));
                    // Both parts are there once the fact is recorded.
                    builder.wake_at(builder.now);
                    false
                }
                None => true,
            }
        }
        PackFit::Waits(short_of) => {
            queue.add_waiting(position, short_of);
            false
        }
    }
}

fn next_attempt(shard: &ShardState) -> AttemptKey {
    let attempt = shard.attempt.map_or(AttemptNumber::FIRST, AttemptNumber::next);
    AttemptKey { shard: shard.id.clone(), attempt }
}

fn start_attempt(builder: &mut DecisionBuilder, key: AttemptKey, Grant { gpus, claim }: Grant) {
    let (shard, attempt) = (key.shard.clone(), key.attempt);
    let continued = builder.position(&shard).and_then(|position| builder.shard(position).continues);
    let previous = continued.filter(|_| builder.policy.resumes);
    builder.record(Event::AttemptStarting { shard, attempt, gpus: gpus.clone(), claim, previous });
    builder.add_effect(Effect::Start { key, gpus });
}
