//! The one fold over the journal: what is true of a run after a number of facts.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;

use super::event_groups::events;
use super::fact::{Event, Fact, JOURNAL_VERSION};
use super::opening::Opening;
use super::phase::PhaseKind;
use super::run_holds::RunHolds;
use super::run_warnings::RunWarnings;
use super::service_state::ServiceState;
use super::shard_state::ShardState;
use super::tally::ShardTally;
use crate::model::decided::{DecidedComparison, Decisions};
use crate::model::ids::{AttemptNumber, RunId, ShardId};
use crate::model::machine::allocation::Allocation;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_state::NodeStates;
use crate::model::nodes::order::OrderNumber;
use crate::model::outcome::Verdict;
use crate::model::run_clock::RunClock;
use crate::model::sweep::growth::{Growth, PlanChange};
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::split::{PackSplit, SplitCause};
use crate::model::units::Bytes;

/// Everything that is true of a run after the facts so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunState {
    /// The run, once its first fact was read.
    pub run: Option<RunId>,
    /// When the run was created.
    pub created: Option<Timestamp>,
    /// Every shard, in the order of the sweep, and those that were added since. [`Self::apply_fact`] alone changes
    /// them.
    pub shards: Vec<ShardState>,
    /// Every instance of a service that shards have needed so far, in the order in which they did.
    pub services: Vec<ServiceState>,
    /// The parallel limit in force.
    pub parallel: u32,
    /// The highest limit that was in force so far.
    pub most_parallel: u32,
    /// VRAM that is left free on every GPU, where it was changed since the sweep was given.
    pub reserve_vram: Option<Bytes>,
    /// The GPUs that were chosen since the sweep was given; all that are permitted where none is named.
    pub devices: Option<Vec<String>>,
    /// Whether shards may start by the wall clock.
    pub opening: Opening,
    /// The part of a cluster in which the run lives, while it lives in one.
    pub allocation: Option<Allocation>,
    /// Whether the run as a whole starts shards, drains, stops or has ended.
    pub stage: RunStage,
    /// Changes to the plan, in order; [`Plan::catch_up`](crate::model::sweep::plan::Plan::catch_up) brings a plan up to them.
    pub changes: Vec<PlanChange>,
    /// Axes whose watch has ended.
    pub unwatched: Vec<String>,
    /// GPUs and shards that the run keeps away from.
    pub run_holds: RunHolds,
    /// Comparisons that were decided before all of their episodes were run.
    pub decisions: Decisions,
    /// Warnings about the run as a whole.
    pub warnings: RunWarnings,
    /// The node whose part of a run this is; none in a run of its own.
    pub own_node: Option<NodeId>,
    /// How long this node may be without the folder of its run.
    pub own_lease: Option<Duration>,
    /// The newest order that this node has carried out.
    pub orders_done: OrderNumber,
    /// What is known of the nodes that take shards of this run.
    pub nodes: NodeStates,
    /// When the newest fact happened here: clocks of nodes are not that of the run.
    pub last_fact: Option<Timestamp>,
    /// The clock by which the newest supervisor takes the moments of facts.
    pub clock: Option<RunClock>,
    index: HashMap<ShardId, usize>,
    tally: ShardTally,
}

/// Whether a run as a whole starts shards, drains, stops or has ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunStage {
    /// Shards are started as their turn comes.
    #[default]
    Active,
    /// Nothing new is started.
    Draining,
    /// Everything is being stopped.
    Stopping,
    /// The run is over.
    Ended {
        /// When the run ended.
        at: Timestamp,
        /// Whether every shard was taken to its end.
        finished: bool,
    },
}

/// A journal line that cannot be folded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// The journal was written by a newer program.
    #[error(
        "the journal has format version {found}, this program reads up to {JOURNAL_VERSION}; use a newer sweepdeck"
    )]
    NewerVersion {
        /// The version in the file.
        found: u32,
    },
    /// A fact names a shard the run does not have.
    #[error("the journal names shard `{0}`, which the run does not have")]
    UnknownShard(ShardId),
    /// Facts between this one and the one before it are gone.
    #[error("the journal has lost facts: attempt {attempt} of shard `{shard}` was never announced")]
    Unannounced {
        /// Shard that the fact is about.
        shard: ShardId,
        /// The attempt that a fact is about.
        attempt: AttemptNumber,
    },
}

impl RunState {
    /// The state after all of `facts`.
    pub fn fold_facts<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> Result<Self, FoldError> {
        let mut state = Self::default();
        for fact in facts {
            state.apply_fact(fact)?;
        }
        Ok(state)
    }

    /// When shards may start by the wall clock, where the run goes on and they may not now.
    pub fn opens_at(&self) -> Option<Timestamp> {
        match self.stage {
            RunStage::Active | RunStage::Draining => self.opening.opens_at(),
            RunStage::Stopping | RunStage::Ended { .. } => None,
        }
    }

    /// The named shard, or the attempts of the service of that name.
    pub fn shard(&self, id: &ShardId) -> Option<&ShardState> {
        match self.index.get(id) {
            Some(position) => Some(&self.shards[*position]),
            None => self.service(id).map(|service| &service.life),
        }
    }

    /// Every shard and every service that has or is about to have a process.
    pub fn living(&self) -> impl Iterator<Item = &ShardState> {
        let shards = self.tally.active_positions().iter().map(|position| &self.shards[*position]);
        let services = self.services.iter().filter(|service| service.is_active());
        shards.chain(services.map(|service| &service.life))
    }

    /// The position of the named shard in `shards`.
    pub fn position(&self, id: &ShardId) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// How many shards are in the given phase.
    pub fn count(&self, kind: PhaseKind) -> usize {
        self.tally.count(kind)
    }

    /// How many shards have or are about to have a process.
    pub fn active_count(&self) -> usize {
        self.tally.active_positions().len()
    }

    /// Returns the counts and sets that the phases of all shards add up to.
    pub fn tally(&self) -> &ShardTally {
        &self.tally
    }

    /// Packs that were split, in their order.
    pub fn splits(&self) -> impl DoubleEndedIterator<Item = &PackSplit> {
        self.changes.iter().filter_map(|change| match change {
            PlanChange::Split(split) => Some(split),
            PlanChange::Growth(_) => None,
        })
    }

    /// Reports whether every shard is in a final phase.
    pub fn all_final(&self) -> bool {
        self.tally.all_final()
    }

    /// Takes one more fact into account. Facts about an older attempt than the present one change nothing.
    pub fn apply_fact(&mut self, fact: &Fact) -> Result<(), FoldError> {
        if fact.origin.is_none() {
            self.last_fact = Some(fact.at);
        }
        self.stage.apply_event(fact.at, &fact.event);
        if let Some(shard) = fact.event.shard() {
            match self.position(shard) {
                Some(position) => self.apply_to_shard(position, fact)?,
                None => self.apply_to_service(shard, fact)?,
            }
        }
        if let Event::ServiceAdded { shard, instance } = &fact.event {
            self.add_service(fact, shard, instance);
        }
        match (&fact.origin, &fact.event) {
            (Some(origin), Event::Node(event)) => self.nodes.apply_forwarded(origin, Some(event)),
            (Some(origin), event) => {
                self.nodes.apply_forwarded(origin, None);
                if let Event::AllocationChanged { allocation } = event {
                    self.nodes.set_allocation(&origin.node, allocation.as_ref());
                }
                if let Event::ParallelChanged { parallel, .. } = event {
                    self.nodes.set_parallel(&origin.node, *parallel);
                }
            }
            (None, Event::Node(event)) => self.apply_node_event(fact.at, event),
            (None, Event::AllocationChanged { allocation }) => self.allocation.clone_from(allocation),
            (None, _) => {}
        }
        if let Event::RunCreated { version, run, shards, parallel } = &fact.event {
            if *version > JOURNAL_VERSION {
                return Err(FoldError::NewerVersion { found: *version });
            }
            self.apply_created(fact.at, run, shards, *parallel);
        }
        if let Event::SupervisorStarted { clock: Some(clock), .. } = &fact.event {
            self.clock = Some(clock.clone());
        }
        if let (None, Event::ParallelChanged { parallel, .. }) = (&fact.origin, &fact.event) {
            self.nodes.reset_parallel();
            self.parallel = *parallel;
            self.most_parallel = self.most_parallel.max(*parallel);
        }
        if let Event::ReserveChanged { vram, .. } = &fact.event {
            self.reserve_vram = Some(*vram);
        }
        if let Event::GpusChosen { devices, .. } = &fact.event {
            self.devices = Some(devices.clone());
        }
        if let Event::PackSplit(split) = &fact.event {
            self.apply_split(fact, split);
        }
        self.opening.apply_event(fact.at, &fact.event);
        if let Event::ValuesAdded(growth) = &fact.event {
            self.apply_growth(fact.at, growth);
        }
        if let Event::WatchEnded { axis, .. } = &fact.event
            && !self.unwatched.contains(axis)
        {
            self.unwatched.push(axis.clone());
        }
        if let Event::ComparisonDecided(decided) = &fact.event {
            self.decisions.push(fact.at, DecidedComparison::clone(decided));
        }
        // A GPU that a node avoids is none of this machine.
        if fact.origin.is_none() {
            self.run_holds.apply_event(fact.at, &fact.event);
        }
        self.warnings.apply_event(&fact.event);
        if let Event::Remarked { about: Some(key), text } = &fact.event
            && let Some(position) = self.position(&key.shard)
            && self.shards[position].is_at(key.attempt)
        {
            self.shards[position].warnings.add_once(text);
        }
        Ok(())
    }

    fn apply_to_shard(&mut self, position: usize, fact: &Fact) -> Result<(), FoldError> {
        let shard = &mut self.shards[position];
        if let Some(attempt) = unannounced_attempt(shard, &fact.event) {
            return Err(FoldError::Unannounced { shard: shard.id.clone(), attempt });
        }
        for helper in helping_services(shard, &fact.event) {
            self.service_of(fact, &helper).into_iter().for_each(ServiceState::reset_retries);
        }
        self.change_shard(position, fact.at, &fact.event);
        Ok(())
    }

    fn apply_created(&mut self, at: Timestamp, run: &RunId, shards: &[ShardId], parallel: u32) {
        self.run = Some(run.clone());
        self.created = Some(at);
        (self.parallel, self.most_parallel) = (parallel, parallel);
        self.stage = RunStage::Active;
        self.shards = shards.iter().map(|id| ShardState::new(id.clone(), at)).collect();
        self.tally = ShardTally::of_queued(shards.len());
        self.index = shards.iter().cloned().enumerate().map(|(position, id)| (id, position)).collect();
        self.changes.clear();
        self.services.clear();
    }

    pub(super) fn change_shard(&mut self, position: usize, at: Timestamp, event: &Event) {
        let shard = &mut self.shards[position];
        let before = shard.phase.kind();
        shard.apply_event(at, event);
        self.tally.change_phase(position, before, &shard.phase);
        self.tally.update_priority(position, shard.phase.kind(), shard.priority);
    }

    fn apply_split(&mut self, fact: &Fact, split: &PackSplit) {
        self.index.insert(split.other.clone(), self.shards.len());
        // Both parts run what was asked for of the whole.
        let edit = self.shard(&split.shard).map(|whole| split.edit_of_other(&whole.edit)).unwrap_or_default();
        // The node that split the pack has both parts.
        let node = fact.origin.as_ref().map(|origin| origin.node.clone());
        self.shards.push(ShardState { edit, node, ..ShardState::new(split.other.clone(), fact.at) });
        self.tally.add_queued();
        if split.cause == SplitCause::Elsewhere {
            let event = NodeEvent::ShardReturned { shard: split.other.clone(), lacks: None };
            self.change_shard(self.shards.len() - 1, fact.at, &Event::Node(Box::new(event)));
        }
        self.changes.push(PlanChange::Split(split.clone()));
    }

    fn apply_growth(&mut self, at: Timestamp, growth: &Growth) {
        for spec in &growth.shards {
            self.index.insert(spec.id.clone(), self.shards.len());
            self.shards.push(ShardState::new(spec.id.clone(), at));
            self.tally.add_queued();
        }
        self.changes.push(PlanChange::Growth(Box::new(growth.clone())));
    }
}

/// The services with whose help the shard succeeds by this event.
pub fn helping_services(shard: &ShardState, event: &Event) -> Vec<ShardId> {
    let Event::AttemptEnded { outcome, .. } = event else { return Vec::new() };
    let claim = shard.phase.claim().filter(|_| outcome.verdict == Verdict::Succeeded);
    claim.map_or_else(Vec::new, |claim| claim.services.clone())
}

/// The attempt of the event, where the facts that must come before it are missing.
pub(super) fn unannounced_attempt(shard: &ShardState, event: &Event) -> Option<AttemptNumber> {
    let next = shard.attempt.map_or(AttemptNumber::FIRST, AttemptNumber::next);
    match event {
        Event::AttemptStarting { attempt, .. } => (*attempt > next).then_some(*attempt),
        Event::AttemptStarted { attempt, .. } | Event::AttemptEnded { attempt, .. } => {
            (*attempt >= next).then_some(*attempt)
        }
        events!(queue | nodes | plan | services | limits | holds | beginnings | stages | reports)
        | Event::AttemptAdopted { .. }
        | Event::AttemptPaused { .. }
        | Event::AttemptResumed { .. }
        | Event::AttemptStopping { .. }
        | Event::AttemptPutBack { .. }
        | Event::PackSplit(_)
        | Event::ConditionChanged { .. } => None,
    }
}

impl RunStage {
    /// Reports whether the run is over.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Ended { .. })
    }

    /// Takes one event into account; most change nothing here.
    pub fn apply_event(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::StopRequested { now, .. } => {
                *self = if *now || *self == Self::Stopping { Self::Stopping } else { Self::Draining };
            }
            Event::RunContinued { .. } => *self = Self::Active,
            Event::RunEnded { finished } => *self = Self::Ended { at, finished: *finished },
            events!(
                attempts | outcomes | queue | nodes | plan | services | limits | holds | beginnings | reports
            ) => {}
        }
    }
}
