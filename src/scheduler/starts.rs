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
pub fn start_due(turn: &mut DecisionBuilder, memory: &mut VolatileState) {
    if turn.stage() != RunStage::Active {
        return;
    }
    if turn.opening().opens_at().is_some() {
        // Their start times are in the journal.
        turn.report_waiting(Vec::new());
        return;
    }
    let slots = gate::active_limit(turn, memory);
    if turn.active_count() >= slots {
        turn.report_waiting(Vec::new());
        return;
    }
    match memory.brake {
        Some(brake) => {
            let braked = brake::braked_limit(turn, brake);
            fill_slots(turn, memory, slots.min(braked));
            brake::report_shortage(turn, brake);
        }
        None => fill_slots(turn, memory, slots),
    }
}

fn fill_slots(turn: &mut DecisionBuilder, memory: &mut VolatileState, slots: usize) {
    let policy = turn.policy;
    let mut opens_at = gate::opens_at(turn);
    let mut queue = Queue::for_decision(turn, memory);
    let mut desk = Desk::for_decision(turn);
    let sizes = memory.knowledge.pack_families.all_expected(policy);
    let mut packs = AutoPacks::for_decision(turn, memory);
    let end = AllocationEnd::for_decision(turn);
    let before = turn.active_count();
    let positions = turn.positions();
    let order = precedence::start_order(turn);
    for position in order.iter().copied().filter(|position| positions.contains(position)) {
        let expected = desk.as_ref().map_or(0, Desk::expected_count);
        if turn.active_count() + expected >= slots {
            break;
        }
        if turn.active_count() - before >= MOST_STARTS {
            turn.wake_at(turn.now);
            break;
        }
        let shard = turn.shard(position);
        let Phase::Queued { not_before, .. } = shard.phase else { continue };
        if turn.run_holds().hold_of(&shard.id).is_some() {
            continue;
        }
        if pack_split::is_too_large(turn, &sizes, position) {
            continue;
        }
        if turn.has_other_needs(position) || turn.is_split_elsewhere(&shard.id) {
            // What it needs now is known once the facts are recorded.
            turn.wake_at(turn.now);
            continue;
        }
        if let Some(at) = opens_at.max(not_before).filter(|at| *at > turn.now) {
            turn.wake_at(at);
            continue;
        }
        if let Some(short_of) = end.as_ref().and_then(|end| end.find_shortage(turn, position)) {
            queue.add_waiting(position, short_of);
            continue;
        }
        if let Some(packs) = &mut packs
            && !has_fitting_size(turn, (packs, &mut queue), position)
        {
            continue;
        }
        let answer = match &mut desk {
            Some(desk) => desk.admit_shard(turn, memory, &mut queue, position),
            None => queue
                .admit_shard(turn, memory, position)
                .map_or(AdmissionDecision::Waits, AdmissionDecision::Start),
        };
        if answer == AdmissionDecision::LooksFirst {
            return;
        }
        if let AdmissionDecision::Start(grant) = answer {
            if !survey_age::is_fresh(turn, memory, &grant) {
                // Nothing new is reported about those that wait: the answer is a few milliseconds away.
                return;
            }
            let key = next_attempt(turn.shard(position));
            queue.ledger.enter_grant(&key, &grant);
            start_attempt(turn, key, grant);
            opens_at = opens_at.max(gate::moment_after(turn.now, policy.schedule.stagger));
        }
    }
    memory.kept = queue.kept;
    if !queue.waiting.is_empty() {
        survey_age::ask_after_end(turn, memory);
        survey_age::look_again(turn, memory);
    }
    turn.report_waiting(queue.waiting);
}

/// The pack at that position can start as it is; else it is cut, or waits.
fn has_fitting_size(
    turn: &mut DecisionBuilder,
    (packs, queue): (&mut AutoPacks, &mut Queue),
    position: usize,
) -> bool {
    if turn.kept_values(&turn.shard(position).id).is_some() {
        // How many values it has is known once the facts are recorded.
        turn.wake_at(turn.now);
        return false;
    }
    match packs.fit_shard(turn, &queue.ledger, position) {
        PackFit::Starts => true,
        PackFit::Cut(values) => match pack_split::split_pack_at(turn, position, values, SplitCause::AutoSize)
        {
            Some(split) => {
                turn.record(Event::PackSplit(split));
                // Both parts are there once the fact is recorded.
                turn.wake_at(turn.now);
                false
            }
            None => true,
        },
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

fn start_attempt(turn: &mut DecisionBuilder, key: AttemptKey, Grant { gpus, claim }: Grant) {
    let (shard, attempt) = (key.shard.clone(), key.attempt);
    let continued = turn.position(&shard).and_then(|position| turn.shard(position).continues);
    let previous = continued.filter(|_| turn.policy.resumes);
    turn.record(Event::AttemptStarting { shard, attempt, gpus: gpus.clone(), claim, previous });
    turn.add_effect(Effect::Start { key, gpus });
}
