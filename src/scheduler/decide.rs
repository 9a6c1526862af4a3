//! The one entrance: a batch of inputs becomes facts to record, deeds to do and replies to give.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::state::run_state::RunState;
use crate::scheduler::admission::ledger::claim_now;
use crate::scheduler::commands::{asked, growth};
use crate::scheduler::dealing::{deal, giving_up, orders, relay};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Decision;
use crate::scheduler::endings::{attempts, pack_split, repeats};
use crate::scheduler::gates::{allocation, opening};
use crate::scheduler::input::SchedulerInput;
use crate::scheduler::learning::footprint::{Footprints, living_key};
use crate::scheduler::learning::lessons::Lessons;
use crate::scheduler::learning::pack_families::PackFamilies;
use crate::scheduler::policy::SchedulingPolicy;
use crate::scheduler::services::{ends, tending};
use crate::scheduler::volatile_state::VolatileState;
use crate::scheduler::{comparison, deadlines, readings, returning, run_end, starts};

/// The rules of a run and what is remembered in addition to its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheduler {
    /// Rules by which the run is scheduled.
    pub policy: SchedulingPolicy,
    /// Knowledge that is kept between decisions.
    pub memory: VolatileState,
}

impl Scheduler {
    /// A scheduler that has seen nothing yet: at the start of a run, and after a crash.
    pub fn new(policy: SchedulingPolicy) -> Self {
        Self { policy, memory: VolatileState::default() }
    }

    /// Decides what follows from `inputs`, taken in their order, at the moment `now`.
    ///
    /// The caller appends the facts to the journal, applies them to the state, and then carries out the effects.
    pub fn decide(&mut self, state: &RunState, inputs: &[SchedulerInput], now: Timestamp) -> Decision {
        if !self.memory.has_looked_back {
            self.look_back(state);
        }
        // Recomputed from the journal: a requeue can undo successes, and a restarted supervisor must agree.
        if state.splits().next().is_some() {
            self.memory.knowledge.pack_families = PackFamilies::of_journal(state, &self.policy);
        }
        let mut turn = DecisionBuilder::new(&self.policy, state, now);
        for input in inputs {
            handle_input(&mut turn, &mut self.memory, input);
        }
        opening::update_opening(&mut turn, &self.memory);
        if self.policy.deals() {
            // All that concerns running attempts is decided where they run.
            deal::deal_due(&mut turn);
            run_end::finish_if_due(&mut turn, &mut self.memory);
            return turn.into_decision();
        }
        deadlines::check_deadlines(&mut turn, &self.memory);
        tending::tend_services(&mut turn, &mut self.memory);
        repeats::lift_run_hold(&mut turn);
        comparison::decide_due(&mut turn, &mut self.memory);
        pack_split::split_queued(&mut turn, &mut self.memory.knowledge);
        starts::start_due(&mut turn, &mut self.memory);
        allocation::drain_if_too_short(&mut turn);
        returning::return_late(&mut turn);
        run_end::finish_if_due(&mut turn, &mut self.memory);
        turn.into_decision()
    }

    /// Learns from the journal what an earlier supervisor knew.
    fn look_back(&mut self, state: &RunState) {
        let (known, combos) = (&mut self.memory.knowledge, &self.policy.combos);
        if self.policy.measures {
            known.footprints = Footprints::of_journal(state, combos);
            self.policy
                .recalled
                .iter()
                .for_each(|(combo, peaks)| known.footprints.recall_peaks(*combo, peaks));
        }
        known.lessons = Lessons::of_journal(state, combos);
        known.pack_families = PackFamilies::of_journal(state, &self.policy);
        self.memory.has_looked_back = true;
    }

    /// VRAM that shards of this run took.
    pub fn footprints(&self) -> &Footprints {
        &self.memory.knowledge.footprints
    }

    /// How many values of a pack fit.
    pub fn pack_families(&self) -> &PackFamilies {
        &self.memory.knowledge.pack_families
    }

    /// Lists what the living attempts hold of the machine by now, shards before services.
    pub fn held_claims<'s>(
        &'s self,
        state: &'s RunState,
        now: Timestamp,
    ) -> impl Iterator<Item = (AttemptKey, &'s [GpuIndex], Cow<'s, Claim>)> {
        let shards = state.tally().active_positions().iter().filter_map(move |position| {
            let (position, shard) = (*position, &state.shards[*position]);
            let (key, claim) = claim_now(&self.policy, &self.memory.knowledge, now, position, shard)?;
            Some((key, shard.phase.gpus(), claim))
        });
        let services = state.services.iter().filter_map(|service| {
            let (key, claim) = (living_key(&service.life)?, service.life.phase.claim()?);
            Some((key, service.life.phase.gpus(), Cow::Borrowed(claim)))
        });
        shards.chain(services)
    }
}

fn handle_input(turn: &mut DecisionBuilder, memory: &mut VolatileState, input: &SchedulerInput) {
    match input {
        SchedulerInput::Wake => {}
        SchedulerInput::Command { command, by } => {
            let reply = match turn.policy.deals() {
                true => relay::execute_command(turn, command, by),
                false => asked::execute_command(turn, command, by),
            };
            turn.add_reply(reply);
        }
        SchedulerInput::Order(order) => orders::carry_out_order(turn, order),
        SchedulerInput::EndedAway { shard, outcome } => {
            let position = turn.position(shard);
            repeats::follow_end(turn, position, outcome);
        }
        SchedulerInput::Node { node, standing } => {
            giving_up::follow_standing(turn, node, standing);
        }
        SchedulerInput::Started { key, pid, started } => {
            attempts::handle_started(turn, memory, key, *pid, *started)
        }
        SchedulerInput::Ended { key, outcome } => ends::handle_ended(turn, memory, key, outcome),
        SchedulerInput::PutBack { key, lack } => attempts::put_back(turn, memory, key, *lack),
        SchedulerInput::Activity { key, last_output, last_progress, may_compile } => {
            attempts::handle_activity(turn, memory, key, *last_output, *last_progress, *may_compile);
        }
        SchedulerInput::Load { key, load } => attempts::handle_load(turn, memory, key, *load),
        SchedulerInput::ServiceReady { key, port } => tending::handle_ready(turn, key, *port),
        SchedulerInput::ServiceDied { key } => ends::handle_died(turn, memory, key),
        SchedulerInput::Asking { key } => attempts::handle_question(turn, key),
        SchedulerInput::Machine(machine) => readings::record_reading(turn, &mut memory.knowledge, machine),
        SchedulerInput::Others(others) => memory.knowledge.replace_others(others, turn.now),
        SchedulerInput::Allocation(now) => allocation::follow_allocation(turn, now.as_ref()),
        SchedulerInput::WallClock(wall) => memory.wall = Some(wall.clone()),
        SchedulerInput::Adopted { key } => attempts::handle_adopted(turn, memory, key),
        SchedulerInput::Add { growth, by } => {
            let reply = growth::add_values(turn, growth, by);
            turn.add_reply(reply);
        }
        SchedulerInput::Came(growth) => growth::take_up(turn, growth),
        SchedulerInput::WatchOver { axis, cause } => growth::end_watch(turn, axis, cause),
        SchedulerInput::Continue { by } => {
            // No client waits for this answer.
            asked::go_on(turn, by.as_ref());
        }
    }
}
