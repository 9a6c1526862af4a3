//! What would start at once if the run began now, and what that leaves of the machine: the scheduler itself is asked.

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::claims::budget::{Budget, CoreBudget, GpuBudget, RamBudget};
use crate::model::claims::claim::Claim;
use crate::model::ids::GpuIndex;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::run_state::{FoldError, RunState};
use crate::model::sweep::growth::PlanChange;
use crate::model::sweep::plan::{Plan, Schedule};
use crate::model::units::Bytes;
use crate::scheduler::admission::ledger::{GpuAccount, Ledger};
use crate::scheduler::decide::Scheduler;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::input::SchedulerInput;
use crate::scheduler::learning::knowledge::Knowledge;
use crate::scheduler::machine::{MachineState, OtherClaim};
use crate::scheduler::policy::SchedulingPolicy;

/// Returns the accounts with every shard that has room alongside the others. Pauses between starts are left out: what
/// starts some seconds later claims as much.
pub fn forecast_budget(
    (plan, policy): (&Plan, &SchedulingPolicy),
    mut state: RunState,
    (machine, others): (&MachineState, &[OtherClaim]),
    now: Timestamp,
) -> Result<Budget, FoldError> {
    let (mut plan, policy) = (Cow::Borrowed(plan), without_pauses(policy));
    let machine = as_of(machine, now);
    let before = open_ledger(&policy, &state, (&machine, others), now);
    let mut scheduler = Scheduler::new(policy);
    let mut inputs =
        vec![SchedulerInput::Others(others.to_vec()), SchedulerInput::Machine(Box::new(machine))];
    let mut starts: Vec<(Vec<GpuIndex>, Claim)> = Vec::new();
    let mut waiting = Vec::new();
    let mut services = 0;
    loop {
        let decision = scheduler.decide(&state, &inputs, now);
        inputs = vec![SchedulerInput::Wake];
        waiting = decision.waiting.unwrap_or(waiting);
        let (known, changes) = (starts.len(), state.changes.len());
        for event in decision.facts {
            if let Event::AttemptStarting { gpus, claim, .. } = &event {
                starts.push((gpus.clone(), claim.clone()));
            }
            let begun = begun_service(&state, &event, now);
            services += usize::from(!begun.is_empty());
            for event in std::iter::once(event).chain(begun) {
                state.apply_fact(&Fact::new(now, event))?;
            }
        }
        for change in &state.changes[changes..] {
            if let PlanChange::Split(split) = change {
                plan.to_mut().apply_splits(std::slice::from_ref(split));
                scheduler.policy.apply_split(&plan, split);
            }
        }
        // One decision starts a limited number, and packs that it splits start in the next one.
        if starts.len() == known && state.changes.len() == changes {
            break;
        }
    }
    Ok(Budget {
        starts: starts.len() - services,
        gpus: before.gpus.iter().map(|account| gpu_budget(account, &starts)).collect(),
        cores: core_budget(&before, &starts),
        ram: ram_budget(&before, &starts),
        waiting,
    })
}

/// Returns what follows where the event starts a service: it is ready at once, so that its shards claim what they will.
fn begun_service(state: &RunState, event: &Event, now: Timestamp) -> Vec<Event> {
    let Event::AttemptStarting { shard, attempt, .. } = event else { return Vec::new() };
    if state.service(shard).is_none() {
        return Vec::new();
    }
    let (shard, attempt) = (shard.clone(), *attempt);
    let started = Event::AttemptStarted { shard: shard.clone(), attempt, pid: 0, started: now };
    vec![started, Event::ServiceReady { shard, attempt, port: None }]
}

fn without_pauses(policy: &SchedulingPolicy) -> SchedulingPolicy {
    let schedule = Schedule {
        stagger: Duration::ZERO,
        cooldown: Duration::ZERO,
        warmup: false,
        ..policy.schedule.clone()
    };
    SchedulingPolicy { schedule, ..policy.clone() }
}

/// The reading as one of this moment: a start by an older one would wait for the next.
fn as_of(machine: &MachineState, now: Timestamp) -> MachineState {
    let mut machine = machine.clone();
    machine.at = now;
    machine.cards.iter_mut().for_each(|card| card.at = card.at.map(|_| now));
    machine
}

fn open_ledger(
    policy: &SchedulingPolicy,
    state: &RunState,
    (machine, others): (&MachineState, &[OtherClaim]),
    now: Timestamp,
) -> Ledger {
    let mut known = Knowledge { machine: Some(machine.clone()), ..Knowledge::default() };
    known.replace_others(others, now);
    known.visitors.record_reading(machine, now);
    Ledger::for_decision(&DecisionBuilder::new(policy, state, now), &known)
}

fn gpu_budget(account: &GpuAccount, starts: &[(Vec<GpuIndex>, Claim)]) -> GpuBudget {
    let on_it = starts.iter().flat_map(|(gpus, claim)| {
        let slots = gpus.iter().enumerate().filter(|(_, gpu)| **gpu == account.gpu);
        slots.map(|(slot, _)| claim.vram.get(slot).copied().flatten())
    });
    let claims: Vec<Option<Bytes>> = on_it.collect();
    let claimed: u64 = claims.iter().flatten().map(|claim| claim.0).sum();
    let used =
        account.total.zip(account.free_vram()).map(|(total, free)| Bytes(total.0.saturating_sub(free.0)));
    GpuBudget {
        gpu: account.gpu,
        total: account.total,
        used,
        promised: account.unused_promises(),
        reserve: account.reserve,
        claims,
        left: account.available_vram().map(|room| Bytes(room.0.saturating_sub(claimed))),
        shut: account.shut.clone(),
    }
}

fn core_budget(before: &Ledger, starts: &[(Vec<GpuIndex>, Claim)]) -> Option<CoreBudget> {
    let claims: Vec<u32> = starts.iter().filter_map(|(_, claim)| claim.cpus).collect();
    let total = before.cores.cores.filter(|_| !claims.is_empty())?;
    let promised = before.cores.promised;
    let left = total.saturating_sub(promised).saturating_sub(claims.iter().sum());
    Some(CoreBudget { total, promised, claims, left })
}

fn ram_budget(before: &Ledger, starts: &[(Vec<GpuIndex>, Claim)]) -> Option<RamBudget> {
    let claims: Vec<Bytes> = starts.iter().filter_map(|(_, claim)| claim.ram).collect();
    let (total, free) = before.ram.total.zip(before.ram.free).filter(|_| !claims.is_empty())?;
    let (promised, claimed): (Bytes, u64) = (before.ram.due, claims.iter().map(|claim| claim.0).sum());
    let left = Bytes(free.0.saturating_sub(promised.0).saturating_sub(claimed));
    Some(RamBudget { total, used: Bytes(total.0.saturating_sub(free.0)), promised, claims, left })
}
