//! Which queued shards start by themselves sooner or later, and which wait until somebody has seen to what they lack.

use crate::model::ids::GpuIndex;
use crate::model::nodes::node_state::NodeStates;
use crate::model::state::run_holds::RunHolds;
use crate::model::state::run_state::RunState;
use crate::model::state::service_state::ServiceState;
use crate::model::state::shard_state::ShardState;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::policy::SchedulingPolicy;

/// What a run has for its shards, without what is gone until a user brings it back.
pub struct Prospects<'s> {
    policy: &'s SchedulingPolicy,
    run_holds: &'s RunHolds,
    services: &'s [ServiceState],
    nodes: &'s NodeStates,
    given: Vec<GpuIndex>,
}

impl<'s> Prospects<'s> {
    /// Those of a run as its journal has it.
    pub fn of_state(policy: &'s SchedulingPolicy, state: &'s RunState) -> Self {
        let devices = state.devices.as_deref();
        Self::new(policy, devices, (&state.run_holds, &state.services, &state.nodes))
    }

    /// Those of a run with what this decision changes.
    pub fn of_decision(builder: &'s DecisionBuilder) -> Self {
        let known = (builder.run_holds(), builder.services(), builder.nodes());
        Self::new(builder.policy, builder.chosen_devices(), known)
    }

    fn new(
        policy: &'s SchedulingPolicy,
        devices: Option<&[String]>,
        (run_holds, services, nodes): (&'s RunHolds, &'s [ServiceState], &'s NodeStates),
    ) -> Self {
        // What a user took away is given back by the next choice: until then its shards wait.
        let given: Vec<GpuIndex> = match devices {
            Some(_) => policy.gpus.clone(),
            None => policy.chosen_gpus(None).collect(),
        };
        let given = given.into_iter().filter(|gpu| run_holds.avoid_reason(*gpu).is_none()).collect();
        Self { policy, run_holds, services, nodes, given }
    }

    /// Some shard starts by and by.
    pub fn any_starts(&self, shards: impl Iterator<Item = &'s ShardState>) -> bool {
        let starts = |(position, shard): (usize, &ShardState)| {
            !shard.phase.kind().is_final() && !self.is_held(shard) && self.is_possible(position, shard)
        };
        shards.enumerate().any(starts)
    }

    /// It waits for a user.
    pub fn is_held(&self, shard: &ShardState) -> bool {
        self.run_holds.hold_of(&shard.id).is_some()
    }

    /// Nothing that the shard at that position needs is gone.
    pub fn is_possible(&self, position: usize, shard: &ShardState) -> bool {
        if self.policy.deals() {
            // Only a node knows what it has.
            return !self.nodes.all_refuse(&self.policy.nodes, &shard.id);
        }
        let is_barred = |(services, given): (&[ServiceState], &[GpuIndex])| {
            self.policy.services.iter().any(|rule| rule.is_barred(services, given, position, &shard.edit))
        };
        let slots = self.policy.kind_of.get(position).map_or(0, |kind| self.policy.kinds[*kind].slots.len());
        let has_gpus = self.given.len() >= slots.min(self.policy.gpus.len());
        has_gpus && !is_barred((self.services, &self.given))
    }
}
