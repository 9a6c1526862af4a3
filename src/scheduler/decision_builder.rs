//! One decision in the making: the state as it will be once the facts decided so far are applied.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::model::command::ControlReply;
use crate::model::decided::{DecidedComparison, Decisions};
use crate::model::ids::{AttemptKey, GpuIndex, ShardId};
use crate::model::machine::allocation::Allocation;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_state::NodeStates;
use crate::model::nodes::order::{OrderNumber, OrderTask};
use crate::model::shortage::WaitingGroup;
use crate::model::state::fact::Event;
use crate::model::state::opening::Opening;
use crate::model::state::run_holds::RunHolds;
use crate::model::state::run_state::{RunStage, RunState, helping_services};
use crate::model::state::service_state::{FIRST_SERVICE, ServiceState};
use crate::model::state::shard_state::ShardState;
use crate::model::state::tally::ShardTally;
use crate::model::sweep::growth::PlanChange;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::split::{PackSplit, SplitCause};
use crate::model::units::Bytes;
use crate::scheduler::effect::{Decision, Effect};
use crate::scheduler::policy::SchedulingPolicy;

/// Sees the state through the facts it has recorded. Only touched shards are copied: a run may have thousands.
pub struct DecisionBuilder<'a> {
    /// The rules of the run.
    pub policy: &'a SchedulingPolicy,
    /// The moment of the decision.
    pub now: Timestamp,
    base: &'a RunState,
    touched: BTreeMap<usize, ShardState>,
    services: Vec<ServiceState>,
    stage: RunStage,
    parallel: u32,
    reserve_vram: Option<Bytes>,
    devices: Option<Vec<String>>,
    opening: Opening,
    allocation: Option<Allocation>,
    /// Axes whose watch ends in this decision.
    unwatched: Vec<String>,
    /// Shards whose values, and so their needs, change in this decision.
    changed: BTreeSet<usize>,
    run_holds: RunHolds,
    decisions: Decisions,
    nodes: NodeStates,
    orders_done: OrderNumber,
    tally: ShardTally,
    wake: Option<Timestamp>,
    decision: Decision,
}

impl<'a> DecisionBuilder<'a> {
    /// Begins a decision on a copy of what it may change.
    pub fn new(policy: &'a SchedulingPolicy, state: &'a RunState, now: Timestamp) -> Self {
        Self {
            policy,
            now,
            base: state,
            touched: BTreeMap::new(),
            // Those of nodes are the affair of their nodes.
            services: state.own_services().cloned().collect(),
            stage: state.stage,
            parallel: state.parallel,
            reserve_vram: state.reserve_vram,
            devices: state.devices.clone(),
            opening: state.opening,
            allocation: state.allocation.clone(),
            unwatched: Vec::new(),
            changed: BTreeSet::new(),
            run_holds: state.run_holds.clone(),
            decisions: state.decisions.clone(),
            nodes: state.nodes.clone(),
            orders_done: state.orders_done,
            tally: state.tally().clone(),
            wake: None,
            decision: Decision::default(),
        }
    }

    /// The decision, with the earliest timer that was asked for.
    pub fn into_decision(mut self) -> Decision {
        if let Some(wake) = self.wake {
            self.decision.effects.push(Effect::WakeAt(wake));
        }
        self.decision
    }

    /// Returns what the run as a whole is doing.
    pub fn stage(&self) -> RunStage {
        self.stage
    }

    /// The parallel limit; a run that may start nothing would never end, so it is at least 1.
    pub fn parallel_limit(&self) -> usize {
        self.parallel.max(1) as usize
    }

    /// The parallel limit as it was set.
    pub fn configured_limit(&self) -> u32 {
        self.parallel
    }

    /// VRAM that is left free on every GPU.
    pub fn reserve_vram(&self) -> Bytes {
        self.reserve_vram.unwrap_or(self.policy.schedule.reserve_vram)
    }

    /// The GPUs that new shards may get.
    pub fn chosen_gpus(&self) -> Vec<GpuIndex> {
        self.policy.chosen_gpus(self.chosen_devices()).collect()
    }

    /// The GPUs that were chosen since the sweep was given.
    pub fn chosen_devices(&self) -> Option<&[String]> {
        self.devices.as_deref()
    }

    /// Whether shards may start by the wall clock.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// The part of a cluster in which the run lives.
    pub fn allocation(&self) -> Option<&Allocation> {
        self.allocation.as_ref()
    }

    /// What is known of the nodes of the run.
    pub fn nodes(&self) -> &NodeStates {
        &self.nodes
    }

    /// The node whose part of a run this is.
    pub fn own_node(&self) -> Option<&NodeId> {
        self.base.own_node.as_ref()
    }

    /// The newest order that is carried out.
    pub fn orders_done(&self) -> OrderNumber {
        self.orders_done
    }

    /// When the newest fact before this decision happened.
    pub fn last_fact(&self) -> Option<Timestamp> {
        self.base.last_fact
    }

    /// Returns what the run keeps away from.
    pub fn run_holds(&self) -> &RunHolds {
        &self.run_holds
    }

    /// Comparisons that are decided.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// How many packs were split in this decision.
    pub fn split_count(&self) -> u32 {
        u32::try_from(self.splits().count()).unwrap_or(u32::MAX)
    }

    /// Axes that take up new files.
    pub fn watched_axes(&self) -> impl Iterator<Item = &str> {
        self.policy.open_watches(self.base).filter(|axis| !self.unwatched.iter().any(|ended| ended == axis))
    }

    /// Files that come become values of this axis.
    pub fn is_watched(&self, axis: &str) -> bool {
        self.watched_axes().any(|watched| watched == axis)
    }

    /// Changes of the plan since the start of the run, those of this decision apart.
    pub fn plan_changes(&self) -> &[PlanChange] {
        &self.base.changes
    }

    /// Reports whether this decision gives the run more shards than it can see yet.
    pub fn has_added(&self) -> bool {
        self.decision
            .facts
            .iter()
            .any(|fact| matches!(fact, Event::ValuesAdded(growth) if !growth.shards.is_empty()))
    }

    /// How many values the pack of that shard keeps, where it was split in this decision.
    pub fn kept_values(&self, shard: &ShardId) -> Option<usize> {
        self.splits().find(|split| split.shard == *shard).map(|split| split.keeps)
    }

    /// The shards that come with this decision as parts of packs that another node has split.
    pub fn split_elsewhere(&self) -> Vec<ShardId> {
        let elsewhere = self.splits().filter(|split| split.cause == SplitCause::Elsewhere);
        elsewhere.map(|split| split.shard.clone()).collect()
    }

    fn splits(&self) -> impl Iterator<Item = &PackSplit> {
        let facts = self.decision.facts.iter();
        facts.filter_map(|fact| if let Event::PackSplit(split) = fact { Some(split) } else { None })
    }

    /// The needs of the shard that the policy knows are not those of its values any more.
    pub fn has_other_needs(&self, position: usize) -> bool {
        self.changed.contains(&position)
    }

    /// How many shards have or are about to have a process.
    pub fn active_count(&self) -> usize {
        self.tally.active_positions().len()
    }

    /// Returns what the phases of all shards come to.
    pub fn tally(&self) -> &ShardTally {
        &self.tally
    }

    /// The shards that have or are about to have a process, in the order of the sweep.
    pub fn active_shards(&self) -> impl Iterator<Item = &ShardState> {
        self.tally.active_positions().iter().map(|position| self.shard(*position))
    }

    /// The positions of all shards.
    pub fn positions(&self) -> std::ops::Range<usize> {
        0..self.base.shards.len()
    }

    /// The position of the named shard or service.
    pub fn position(&self, id: &ShardId) -> Option<usize> {
        let service = || self.services.iter().position(|service| service.id() == id);
        self.base.position(id).or_else(|| service().map(|at| FIRST_SERVICE + at))
    }

    /// Every instance of a service that was needed so far.
    pub fn services(&self) -> &[ServiceState] {
        &self.services
    }

    /// Nodes have services that have not ended.
    pub fn has_services_at_nodes(&self) -> bool {
        self.base.services.iter().any(|service| service.life.node.is_some() && service.is_active())
    }

    /// The nodes that have needed a service of that name.
    pub fn nodes_with_service(&self, id: &ShardId) -> Vec<NodeId> {
        let is_meant = |service: &&ServiceState| service.id() == id;
        self.base.services.iter().filter(is_meant).filter_map(|service| service.life.node.clone()).collect()
    }

    /// The nodes that have needed services.
    pub fn all_nodes_with_services(&self) -> impl Iterator<Item = NodeId> {
        self.base.services.iter().filter_map(|service| service.life.node.clone())
    }

    /// The named instance of a service.
    pub fn service(&self, id: &ShardId) -> Option<&ServiceState> {
        self.services.iter().find(|service| service.id() == id)
    }

    /// The shard at a position of `positions`, or the attempts of a service.
    pub fn shard(&self, position: usize) -> &ShardState {
        if let Some(at) = position.checked_sub(FIRST_SERVICE) {
            return &self.services[at].life;
        }
        self.touched.get(&position).unwrap_or_else(|| &self.base.shards[position])
    }

    /// Lists all shards, with the changes of this decision.
    pub fn shards(&self) -> impl Iterator<Item = &ShardState> + Clone {
        self.positions().map(|position| self.shard(position))
    }

    /// The shard the key names, if that attempt is its present one and has not ended.
    pub fn present_shard(&self, key: &AttemptKey) -> Option<&ShardState> {
        let shard = self.shard(self.position(&key.shard)?);
        shard.is_at(key.attempt).then_some(shard)
    }

    /// Decides that something happened.
    pub fn record(&mut self, event: Event) {
        self.stage.apply_event(self.now, &event);
        if let Event::ParallelChanged { parallel, .. } = &event {
            self.parallel = *parallel;
        }
        if let Event::ReserveChanged { vram, .. } = &event {
            self.reserve_vram = Some(*vram);
        }
        if let Event::GpusChosen { devices, .. } = &event {
            self.devices = Some(devices.clone());
        }
        self.opening.apply_event(self.now, &event);
        if let Event::AllocationChanged { allocation } = &event {
            self.allocation.clone_from(allocation);
        }
        if let Event::Node(event) = &event {
            self.record_of_node(event);
        }
        if let Event::WatchEnded { axis, .. } = &event {
            self.unwatched.push(axis.clone());
        }
        self.run_holds.apply_event(self.now, &event);
        if let Event::ComparisonDecided(decided) = &event {
            self.decisions.push(self.now, DecidedComparison::clone(decided));
        }
        if let Event::ServiceAdded { shard, instance } = &event {
            self.services.push(ServiceState::new(shard.clone(), instance.clone(), self.now));
        }
        self.record_of_service(&event);
        if let Some(position) = event.shard().and_then(|id| self.base.position(id)) {
            let shard = self.touched.entry(position).or_insert_with(|| self.base.shards[position].clone());
            let before = shard.phase.kind();
            shard.apply_event(self.now, &event);
            self.tally.change_phase(position, before, &shard.phase);
            self.tally.update_priority(position, shard.phase.kind(), shard.priority);
            if self.policy.needs_follow_values && event.changes_values() {
                self.changed.insert(position);
            }
        }
        self.decision.facts.push(event);
    }

    /// Takes an event between the run and its nodes into account.
    fn record_of_node(&mut self, event: &NodeEvent) {
        self.nodes.apply_event(self.now, event);
        if let NodeEvent::OrderDone { number, .. } = event {
            self.orders_done = *number;
        }
        let NodeEvent::OrderGiven { node, order } = event else { return };
        let OrderTask::Deal { shards, .. } = &order.task else { return };
        for position in shards.iter().filter_map(|dealt| self.base.position(&dealt.shard)) {
            let shard = self.touched.entry(position).or_insert_with(|| self.base.shards[position].clone());
            shard.node = Some(node.clone());
        }
    }

    /// Takes an event into account as far as services are concerned.
    fn record_of_service(&mut self, event: &Event) {
        let (Some(id), false) = (event.shard(), self.services.is_empty()) else { return };
        let helped = match self.base.position(id) {
            Some(position) => helping_services(self.shard(position), event),
            None => Vec::new(),
        };
        for service in &mut self.services {
            if service.id() == id {
                service.apply_event(self.now, event);
            } else if helped.contains(service.id()) {
                service.reset_retries();
            }
        }
    }

    /// Asks for a deed.
    pub fn add_effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    /// Answers a command; replies keep the order of the commands.
    pub fn add_reply(&mut self, reply: ControlReply) {
        self.decision.replies.push(reply);
    }

    /// Reports what queued shards are short of.
    pub fn report_waiting(&mut self, waiting: Vec<WaitingGroup>) {
        let sorted = |mut group: WaitingGroup| {
            // Code that looks a shard up expects ascending positions; the order of starts is another one.
            group.shards.sort_unstable();
            group
        };
        self.decision.waiting = Some(waiting.into_iter().map(sorted).collect());
    }

    /// What queued shards are short of, as far as this decision has come to them.
    pub fn reported_waiting(&self) -> &[WaitingGroup] {
        self.decision.waiting.as_deref().unwrap_or_default()
    }

    /// Asks to be woken at that moment or before.
    pub fn wake_at(&mut self, at: Timestamp) {
        self.wake = Some(self.wake.map_or(at, |known| known.min(at)));
    }
}
