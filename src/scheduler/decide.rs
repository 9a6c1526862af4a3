//! The one entrance: a batch of inputs becomes facts to record, deeds to do and replies to give.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::state::run_state::RunState;
use crate::scheduler::admission::ledger::claim_now;
use crate::scheduler::commands::{asked, growth};
use crate::scheduler::dealing::{deal, giving_up, orders, reclaim, relay};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Decision;
use crate::scheduler::endings::{attempts, pack_split, repeats};
use crate::scheduler::gates::{allocation, opening};
use crate::scheduler::input::SchedulerInput;
use crate::scheduler::learning::footprint::{Footprints, living_key};
use crate::scheduler::learning::lessons::Lessons;
use crate::scheduler::learning::machine_reading;
use crate::scheduler::learning::pack_families::PackFamilies;
use crate::scheduler::policy::SchedulingPolicy;
use crate::scheduler::services::{ends, tending};
use crate::scheduler::volatile_state::VolatileState;
use crate::scheduler::{comparison, deadlines, returning, run_end, starts};

/// The rules of a run and what is remembered in addition to its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheduler {
    /// Rules by which the run is scheduled.
    pub policy: SchedulingPolicy,
    /// Knowledge that is kept between decisions.
    pub volatile: VolatileState,
}

impl Scheduler {
    /// A scheduler that has seen nothing yet: at the start of a run, and after a crash.
    pub fn new(policy: SchedulingPolicy) -> Self {
        Self { policy, volatile: VolatileState::default() }
    }

    /// Decides what follows from `inputs`, taken in their order, at the moment `now`.
    ///
    /// The caller appends the facts to the journal, applies them to the state, and then carries out the effects.
    pub fn decide(&mut self, state: &RunState, inputs: &[SchedulerInput], now: Timestamp) -> Decision {
        if !self.volatile.has_looked_back {
            self.look_back(state);
        }
        // Recomputed from the journal: a requeue can undo successes, and a restarted supervisor must agree.
        if state.splits().next().is_some() {
            self.volatile.knowledge.pack_families = PackFamilies::of_journal(state, &self.policy);
        }
        let mut builder = DecisionBuilder::new(&self.policy, state, now);
        for input in inputs {
            handle_input(&mut builder, &mut self.volatile, input);
        }
        opening::update_opening(&mut builder, &self.volatile);
        if self.policy.deals() {
            // All that concerns running attempts is decided where they run.
            repeats::lift_run_hold(&mut builder);
            comparison::decide_due(&mut builder, &mut self.volatile);
            reclaim::reclaim_unwanted(&mut builder);
            deal::deal_due(&mut builder);
            run_end::finish_if_due(&mut builder, &mut self.volatile);
            return builder.into_decision();
        }
        deadlines::check_deadlines(&mut builder, &self.volatile);
        tending::tend_services(&mut builder, &mut self.volatile);
        repeats::lift_run_hold(&mut builder);
        comparison::decide_due(&mut builder, &mut self.volatile);
        pack_split::split_queued(&mut builder, &mut self.volatile.knowledge);
        starts::start_due(&mut builder, &mut self.volatile);
        allocation::drain_if_too_short(&mut builder);
        returning::return_late(&mut builder);
        returning::return_impossible(&mut builder);
        run_end::finish_if_due(&mut builder, &mut self.volatile);
        builder.into_decision()
    }

    /// Learns from the journal what an earlier supervisor knew.
    fn look_back(&mut self, state: &RunState) {
        let (known, combos) = (&mut self.volatile.knowledge, &self.policy.combos);
        if self.policy.measures {
            known.footprints = Footprints::of_journal(state, combos);
            self.policy
                .recalled
                .iter()
                .for_each(|(combo, peaks)| known.footprints.recall_peaks(*combo, peaks));
        }
        known.lessons = Lessons::of_journal(state, combos);
        known.pack_families = PackFamilies::of_journal(state, &self.policy);
        self.volatile.has_looked_back = true;
    }

    /// VRAM that shards of this run took.
    pub fn footprints(&self) -> &Footprints {
        &self.volatile.knowledge.footprints
    }

    /// How many values of a pack fit.
    pub fn pack_families(&self) -> &PackFamilies {
        &self.volatile.knowledge.pack_families
    }

    /// Lists what the living attempts hold of this machine by now, shards before services.
    pub fn held_claims<'s>(
        &'s self,
        state: &'s RunState,
        now: Timestamp,
    ) -> impl Iterator<Item = (AttemptKey, &'s [GpuIndex], Cow<'s, Claim>)> {
        // What nodes run, they hold where they are.
        let active = if self.policy.deals() { None } else { Some(state.tally().active_positions()) };
        let shards = active.into_iter().flatten().filter_map(move |position| {
            let (position, shard) = (*position, &state.shards[*position]);
            let (key, claim) = claim_now(&self.policy, &self.volatile.knowledge, now, position, shard)?;
            Some((key, shard.phase.gpus(), claim))
        });
        let services = state.services.iter().filter_map(|service| {
            let (key, claim) = (living_key(&service.life)?, service.life.phase.claim()?);
            Some((key, service.life.phase.gpus(), Cow::Borrowed(claim)))
        });
        shards.chain(services)
    }
}

fn handle_input(builder: &mut DecisionBuilder, volatile: &mut VolatileState, input: &SchedulerInput) {
    match input {
        SchedulerInput::Wake => {}
        SchedulerInput::Command { command, by } => {
            let reply = match builder.policy.deals() {
                true => relay::execute_command(builder, command, by),
                false => asked::execute_command(builder, command, by),
            };
            builder.add_reply(reply);
        }
        SchedulerInput::Order(order) => {
            // Packs come whose sizes may be known to be too large.
            volatile.knowledge.pack_families.may_split = true;
            orders::carry_out_order(builder, order);
        }
        SchedulerInput::EndedAway { shard, outcome } => {
            let position = builder.position(shard);
            repeats::follow_end(builder, position, outcome);
        }
        SchedulerInput::Node { node, standing } => {
            giving_up::follow_standing(builder, node, standing);
        }
        SchedulerInput::Started { key, pid, started } => {
            attempts::handle_started(builder, volatile, key, *pid, *started)
        }
        SchedulerInput::Ended { key, outcome } if builder.policy.services.is_empty() => {
            attempts::handle_ended(builder, volatile, key, outcome)
        }
        SchedulerInput::Ended { key, outcome } => ends::handle_ended(builder, volatile, key, outcome),
        SchedulerInput::PutBack { key, lack } => attempts::put_back(builder, volatile, key, *lack),
        SchedulerInput::Activity { key, last_output, last_progress, may_compile } => {
            attempts::handle_activity(builder, volatile, key, *last_output, *last_progress, *may_compile);
        }
        SchedulerInput::Load { key, load } => attempts::handle_load(builder, volatile, key, *load),
        SchedulerInput::ServiceReady { key, port } => tending::handle_ready(builder, key, *port),
        SchedulerInput::ServiceDied { key } => ends::handle_died(builder, volatile, key),
        SchedulerInput::Asking { key } => attempts::handle_question(builder, key),
        SchedulerInput::Machine(machine) => {
            machine_reading::record_reading(builder, &mut volatile.knowledge, machine)
        }
        SchedulerInput::Others(others) => volatile.knowledge.replace_others(others, builder.now),
        SchedulerInput::Allocation(now) => allocation::follow_allocation(builder, now.as_ref()),
        SchedulerInput::WallClock(wall) => volatile.wall = Some(wall.clone()),
        SchedulerInput::Adopted { key } => attempts::handle_adopted(builder, volatile, key),
        SchedulerInput::Add { growth, by } => {
            let reply = growth::add_values(builder, growth, by);
            builder.add_reply(reply);
        }
        SchedulerInput::Came(growth) => growth::take_up(builder, growth),
        SchedulerInput::WatchOver { axis, cause } => growth::end_watch(builder, axis, cause),
        SchedulerInput::Continue { by } => {
            // No client waits for this answer.
            asked::go_on(builder, by.as_ref());
        }
    }
}
