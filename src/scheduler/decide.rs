//! The one entrance: a batch of inputs becomes facts to record, deeds to do and replies to give.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::state::run_state::RunState;
use crate::scheduler::admission::ledger::claim_now;
use crate::scheduler::commands::{asked, growth};
use crate::scheduler::effect::Decision;
use crate::scheduler::endings::{attempts, halves, repeats};
use crate::scheduler::gates::opening;
use crate::scheduler::input::Input;
use crate::scheduler::learning::footprint::{Footprints, living};
use crate::scheduler::learning::lessons::Lessons;
use crate::scheduler::learning::pack_families::PackFamilies;
use crate::scheduler::memory::Memory;
use crate::scheduler::policy::Policy;
use crate::scheduler::services::{ends, tending};
use crate::scheduler::turn::Turn;
use crate::scheduler::{comparison, deadlines, readings, run_end, starts};

/// The rules of a run and what is remembered in addition to its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheduler {
    /// Rules by which the run is scheduled.
    pub policy: Policy,
    /// Knowledge that is kept between decisions.
    pub memory: Memory,
}

impl Scheduler {
    /// A scheduler that has seen nothing yet: at the start of a run, and after a crash.
    pub fn new(policy: Policy) -> Self {
        Self { policy, memory: Memory::default() }
    }

    /// Decides what follows from `inputs`, taken in their order, at the moment `now`.
    ///
    /// The caller appends the facts to the journal, applies them to the state, and then carries out the effects.
    pub fn decide(&mut self, state: &RunState, inputs: &[Input], now: Timestamp) -> Decision {
        if !self.memory.has_looked_back {
            self.look_back(state);
        }
        // Derived again each time, so that a supervisor after a crash knows the same: a requeue takes successes back.
        if state.splits().next().is_some() {
            self.memory.knowledge.pack_families = PackFamilies::of_journal(state, &self.policy);
        }
        let mut turn = Turn::new(&self.policy, state, now);
        for input in inputs {
            hear(&mut turn, &mut self.memory, input);
        }
        opening::check(&mut turn, &self.memory);
        deadlines::check(&mut turn, &self.memory);
        tending::tend(&mut turn, &mut self.memory);
        repeats::lift(&mut turn);
        comparison::decide_due(&mut turn, &mut self.memory);
        halves::split_queued(&mut turn, &mut self.memory.knowledge);
        starts::start_due(&mut turn, &mut self.memory);
        run_end::finish_if_due(&mut turn, &mut self.memory);
        turn.into_decision()
    }

    /// Learns from the journal what an earlier supervisor knew.
    fn look_back(&mut self, state: &RunState) {
        let (known, combos) = (&mut self.memory.knowledge, &self.policy.combos);
        if self.policy.measures {
            known.footprints = Footprints::of_journal(state, combos);
            self.policy.recalled.iter().for_each(|(combo, peaks)| known.footprints.recall(*combo, peaks));
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
    pub fn held<'s>(
        &'s self,
        state: &'s RunState,
        now: Timestamp,
    ) -> impl Iterator<Item = (AttemptKey, &'s [GpuIndex], Cow<'s, Claim>)> {
        let shards = state.tally().active().iter().filter_map(move |position| {
            let (position, shard) = (*position, &state.shards[*position]);
            let (key, claim) = claim_now(&self.policy, &self.memory.knowledge, now, position, shard)?;
            Some((key, shard.phase.gpus(), claim))
        });
        let services = state.services.iter().filter_map(|service| {
            let (key, claim) = (living(&service.life)?, service.life.phase.claim()?);
            Some((key, service.life.phase.gpus(), Cow::Borrowed(claim)))
        });
        shards.chain(services)
    }
}

fn hear(turn: &mut Turn, memory: &mut Memory, input: &Input) {
    match input {
        Input::Wake => {}
        Input::Command { command, by } => {
            let reply = asked::obey(turn, command, by);
            turn.reply(reply);
        }
        Input::Started { key, pid, started } => attempts::started(turn, memory, key, *pid, *started),
        Input::Ended { key, outcome } => ends::ended(turn, memory, key, outcome),
        Input::PutBack { key, lack } => attempts::put_back(turn, memory, key, *lack),
        Input::Activity { key, last_output, last_progress, may_compile } => {
            attempts::active(turn, memory, key, *last_output, *last_progress, *may_compile);
        }
        Input::Load { key, load } => attempts::loaded(turn, memory, key, *load),
        Input::ServiceReady { key, port } => tending::ready(turn, key, *port),
        Input::ServiceDied { key } => ends::died(turn, memory, key),
        Input::Asking { key } => attempts::asking(turn, key),
        Input::Machine(machine) => readings::take(turn, &mut memory.knowledge, machine),
        Input::Others(others) => memory.knowledge.replace_others(others, turn.now),
        Input::WallClock(wall) => memory.wall = Some(wall.clone()),
        Input::Adopted { key } => attempts::adopted(turn, memory, key),
        Input::Add { growth, by } => {
            let reply = growth::add(turn, growth, by);
            turn.reply(reply);
        }
        Input::Came(growth) => growth::take_up(turn, growth),
        Input::WatchOver { axis, cause } => growth::end_watch(turn, axis, cause),
        Input::Continue { by } => {
            // No client waits for this answer.
            asked::go_on(turn, by.as_ref());
        }
    }
}
