//! Who uses which instance, and which instance is whose, in the course of one decision.

use std::collections::HashMap;

use crate::model::ids::{AttemptKey, GpuIndex, ShardId};
use crate::model::shortage::ServiceWait;
use crate::model::state::service_state::{ServicePhase, ServiceState};
use crate::model::sweep::service::ServiceInstance;
use crate::model::value::Variables;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::learning::footprint::living_key;
use crate::scheduler::services::rule::ServiceRule;
use crate::scheduler::volatile_state::VolatileState;

/// Identity of an instance: the service, its GPU, its values.
type Place = (String, Option<GpuIndex>, String);

/// Use of the instances by shards.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    places: HashMap<Place, usize>,
    /// Shards that use each instance, and those that will as soon as it is ready, by its number.
    served: Vec<u32>,
}

/// Availability of an instance for one more shard.
#[derive(Debug, Clone, PartialEq)]
pub enum InstanceAvailability {
    /// The instance can be used: its number.
    Ready(usize),
    /// The instance can be used by and by: its number.
    Starting(usize),
    /// The instance can be started; its number where there was one before.
    Startable(Option<usize>),
    /// The instance cannot be used now.
    Blocked(ServiceWait),
}

impl Roster {
    /// As it is before anything is started in this decision.
    pub fn for_decision(builder: &DecisionBuilder) -> Self {
        let services = builder.services();
        let places = services.iter().enumerate().map(|(at, service)| (place_of(&service.instance), at));
        let mut roster = Self { places: places.collect(), served: vec![0; services.len()] };
        let numbers: HashMap<&ShardId, usize> =
            services.iter().enumerate().map(|(at, service)| (service.id(), at)).collect();
        let claims = builder.active_shards().filter_map(|shard| shard.phase.claim());
        for at in claims.flat_map(|claim| &claim.services).filter_map(|id| numbers.get(id)) {
            roster.served[*at] += 1;
        }
        roster
    }

    /// How many shards use an instance.
    pub fn served_count(&self, at: usize) -> u32 {
        self.served.get(at).copied().unwrap_or(0)
    }

    /// Counts one more shard that uses the instance, or will.
    pub fn add_served(&mut self, at: usize) {
        if self.served.len() <= at {
            self.served.resize(at + 1, 0);
        }
        self.served[at] += 1;
    }

    /// An instance was added.
    pub fn add_instance(&mut self, instance: &ServiceInstance, at: usize) {
        self.places.insert(place_of(instance), at);
    }

    /// Returns the availability of the instance for these values.
    pub fn check_availability(
        &self,
        builder: &DecisionBuilder,
        volatile: &VolatileState,
        rule: &ServiceRule,
        (gpu, values): (Option<GpuIndex>, &Variables),
    ) -> InstanceAvailability {
        let place = (rule.name.clone(), gpu, text_of(values));
        let Some(at) = self.places.get(&place).copied() else { return InstanceAvailability::Startable(None) };
        let service = &builder.services()[at];
        let has_place = rule.has_place(self.served_count(at));
        let full =
            || InstanceAvailability::Blocked(ServiceWait::Full { serves: rule.serves.unwrap_or_default() });
        match service.phase() {
            ServicePhase::Waiting { not_before: Some(at) } if at > builder.now => {
                InstanceAvailability::Blocked(ServiceWait::Again { at })
            }
            ServicePhase::Waiting { .. } | ServicePhase::Ended => InstanceAvailability::Startable(Some(at)),
            ServicePhase::Starting { .. } if has_place => InstanceAvailability::Starting(at),
            ServicePhase::Ready { .. } if is_dead(volatile, service) => {
                InstanceAvailability::Blocked(ServiceWait::Ending)
            }
            ServicePhase::Ready { .. } if has_place => InstanceAvailability::Ready(at),
            ServicePhase::Starting { .. } | ServicePhase::Ready { .. } => full(),
            ServicePhase::Paused | ServicePhase::Stopping => {
                InstanceAvailability::Blocked(ServiceWait::Ending)
            }
            ServicePhase::Failed => InstanceAvailability::Blocked(ServiceWait::Failed {
                message: service.last_failure().unwrap_or("killed by the user").to_owned(),
            }),
        }
    }
}

/// Its main process is known to have ended, and its holder has not reported the end yet.
pub fn is_dead(volatile: &VolatileState, service: &ServiceState) -> bool {
    living_key(&service.life).is_some_and(|key: AttemptKey| volatile.dead_services.contains(&key))
}

fn place_of(instance: &ServiceInstance) -> Place {
    (instance.service.clone(), instance.gpu, text_of(&instance.vars))
}

/// Values with their types: `1` and `"1"` are two.
fn text_of(values: &Variables) -> String {
    if values.0.is_empty() {
        return String::new();
    }
    serde_json::to_string(values).expect("values of a matrix are finite and can be written")
}
