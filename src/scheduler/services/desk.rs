//! A shard and the services that it uses are admitted together: it starts where they are ready, and they are started
//! where they are not.

use crate::model::shortage::Shortage;
use crate::model::value::Variables;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::queue::Queue;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::services::beside::{self, PlacementResult};
use crate::scheduler::services::instances::{InstanceRequest, Instances, Secured, starting_shortage};
use crate::scheduler::services::roster::Roster;
use crate::scheduler::services::rule::ServiceRule;
use crate::scheduler::volatile_state::VolatileState;

/// Decision on a queued shard.
#[derive(Debug, Clone, PartialEq)]
pub enum AdmissionDecision {
    /// The shard starts with this.
    Start(Grant),
    /// The shard waits; the reason is in the queue.
    Waits,
    /// The machine must be read once more before anything is promised.
    LooksFirst,
}

/// Admits shards of a sweep with services, in the course of one decision.
pub struct Desk {
    instances: Instances,
    /// Shards that will have a slot as soon as their services are ready.
    expected: usize,
}

/// The instances that a shard will use, by their numbers, and the first of them that is not ready.
#[derive(Default)]
struct UsedInstances {
    at: Vec<usize>,
    lacks: Option<Shortage>,
}

impl Desk {
    /// For the decision; `None` if the sweep has no services.
    pub fn for_decision(builder: &DecisionBuilder) -> Option<Self> {
        let instances = || Instances { roster: Roster::for_decision(builder) };
        (!builder.policy.services.is_empty()).then(|| Self { instances: instances(), expected: 0 })
    }

    /// Shards that will have a slot as soon as their services are ready.
    pub fn expected_count(&self) -> usize {
        self.expected
    }

    /// Admits a shard, or starts what it lacks.
    pub fn admit_shard(
        &mut self,
        builder: &mut DecisionBuilder,
        volatile: &mut VolatileState,
        queue: &mut Queue,
        position: usize,
    ) -> AdmissionDecision {
        let edit = builder.shard(position).edit.clone();
        let rules = builder.policy.services.iter();
        let rules = rules.map(|rule| (rule, rule.instance_values(position, &edit).into_owned()));
        let (on_gpus, others): (Vec<_>, Vec<_>) = rules.partition(|(rule, _)| rule.is_on_each_gpu);
        let mut uses = UsedInstances::default();
        for (rule, values) in others {
            let wanted = InstanceRequest { rule, gpu: None, values };
            match self.instances.find_or_start(builder, volatile, queue, &wanted) {
                Secured::Ready(at) => uses.at.push(at),
                Secured::Starting(at) => {
                    uses.at.push(at);
                    uses.lacks.get_or_insert_with(|| starting_shortage(builder, at));
                }
                Secured::No(short_of) => {
                    queue.add_waiting(position, short_of);
                    return AdmissionDecision::Waits;
                }
                Secured::LooksFirst => return AdmissionDecision::LooksFirst,
            }
        }
        if !on_gpus.is_empty() {
            return self.place_with_services(builder, volatile, queue, (position, &on_gpus), uses);
        }
        match uses.lacks.take() {
            Some(short_of) => self.expect_slot(queue, position, &uses, short_of),
            None => match queue.admit_shard(builder, volatile, position) {
                Some(grant) => self.start_shard(builder, grant, &uses),
                None => AdmissionDecision::Waits,
            },
        }
    }

    fn place_with_services(
        &mut self,
        builder: &mut DecisionBuilder,
        volatile: &mut VolatileState,
        queue: &mut Queue,
        (position, rules): (usize, &[(&ServiceRule, Variables)]),
        mut uses: UsedInstances,
    ) -> AdmissionDecision {
        let may_start = uses.lacks.is_none();
        match beside::find_place(&mut self.instances, builder, volatile, queue, (position, rules, may_start))
        {
            PlacementResult::Place(grant, here) => {
                uses.at.extend(here);
                self.start_shard(builder, grant, &uses)
            }
            PlacementResult::ByAndBy(here) => {
                let short_of = uses.lacks.take().unwrap_or_else(|| starting_shortage(builder, here[0]));
                uses.at.extend(here);
                self.expect_slot(queue, position, &uses, short_of)
            }
            PlacementResult::Nothing(short_of) => {
                queue.add_waiting(position, short_of);
                AdmissionDecision::Waits
            }
            PlacementResult::LooksFirst => AdmissionDecision::LooksFirst,
        }
    }

    /// The shard gets a slot as soon as what it uses is ready.
    fn expect_slot(
        &mut self,
        queue: &mut Queue,
        position: usize,
        uses: &UsedInstances,
        short_of: Shortage,
    ) -> AdmissionDecision {
        uses.at.iter().for_each(|at| self.instances.roster.add_served(*at));
        self.expected += 1;
        queue.add_waiting(position, short_of);
        AdmissionDecision::Waits
    }

    fn start_shard(
        &mut self,
        builder: &DecisionBuilder,
        mut grant: Grant,
        uses: &UsedInstances,
    ) -> AdmissionDecision {
        uses.at.iter().for_each(|at| self.instances.roster.add_served(*at));
        grant.claim.services = uses.at.iter().map(|at| builder.services()[*at].id().clone()).collect();
        AdmissionDecision::Start(grant)
    }
}
