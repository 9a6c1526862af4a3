//! The instances in the course of one decision: found, or started where there is room.

use crate::model::ids::{AttemptKey, AttemptNumber, GpuIndex, ShardId};
use crate::model::shortage::{ServiceWait, Shortage};
use crate::model::state::fact::Event;
use crate::model::state::phase::{PhaseKind, QueueCause};
use crate::model::sweep::service::ServiceInstance;
use crate::model::value::Variables;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::need::ShardNeed;
use crate::scheduler::admission::queue::Queue;
use crate::scheduler::admission::room::find_room;
use crate::scheduler::admission::survey_age;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::services::restarts;
use crate::scheduler::services::roster::{InstanceAvailability, Roster};
use crate::scheduler::services::rule::ServiceRule;
use crate::scheduler::volatile_state::VolatileState;

/// The instances in the course of one decision.
pub struct Instances {
    /// Shards that use each instance.
    pub roster: Roster,
}

/// Everything an instance is found and started by.
pub struct InstanceRequest<'r> {
    /// The rule of its service.
    pub rule: &'r ServiceRule,
    /// Its GPU, where there is one for each.
    pub gpu: Option<GpuIndex>,
    /// Values that select the instance.
    pub values: Variables,
}

/// Result of looking for an instance.
pub enum Secured {
    /// The instance can be used: its number.
    Ready(usize),
    /// The instance is being started: its number.
    Starting(usize),
    /// The instance cannot be used, and not be started.
    No(Shortage),
    /// The machine must be read once more before anything is promised.
    LooksFirst,
}

impl InstanceRequest<'_> {
    fn to_instance(&self) -> ServiceInstance {
        ServiceInstance { service: self.rule.name.clone(), gpu: self.gpu, vars: self.values.clone() }
    }
}

impl Instances {
    /// Finds an instance, or starts it.
    pub fn find_or_start(
        &mut self,
        builder: &mut DecisionBuilder,
        volatile: &mut VolatileState,
        queue: &mut Queue,
        wanted: &InstanceRequest,
    ) -> Secured {
        let standing =
            self.roster.check_availability(builder, volatile, wanted.rule, (wanted.gpu, &wanted.values));
        let known = match standing {
            InstanceAvailability::Ready(at) => return Secured::Ready(at),
            InstanceAvailability::Starting(at) => return Secured::Starting(at),
            InstanceAvailability::Blocked(why) => return Secured::No(blocked_shortage(builder, wanted, why)),
            InstanceAvailability::Startable(known) => known,
        };
        let need = ShardNeed::declared(&wanted.rule.kind);
        match find_room(&queue.ledger, &need, builder.policy.schedule.placement, queue.kept.as_ref()) {
            Ok(grant) if survey_age::is_fresh(builder, volatile, &grant) => {
                Secured::Starting(self.start_instance(builder, queue, wanted, known, grant))
            }
            Ok(_) => Secured::LooksFirst,
            Err(short_of) => {
                let why = ServiceWait::Room { short_of: Box::new(short_of) };
                Secured::No(blocked_shortage(builder, wanted, why))
            }
        }
    }

    /// Starts an instance and gives its number; `known` is the number of one that was there before.
    pub fn start_instance(
        &mut self,
        builder: &mut DecisionBuilder,
        queue: &mut Queue,
        wanted: &InstanceRequest,
        known: Option<usize>,
        grant: Grant,
    ) -> usize {
        let at = known.unwrap_or_else(|| self.add_instance(builder, wanted));
        let life = &builder.services()[at].life;
        let (shard, kind) = (life.id.clone(), life.phase.kind());
        let attempt = life.attempt.map_or(AttemptNumber::FIRST, AttemptNumber::next);
        if kind != PhaseKind::Queued {
            // What ended before joins its history.
            builder.record(restarts::queued_event(shard.clone(), QueueCause::Needed, None, None));
        }
        let key = AttemptKey { shard: shard.clone(), attempt };
        queue.ledger.promise_service(&key, &grant);
        let Grant { gpus, claim } = grant;
        builder.record(Event::AttemptStarting { shard, attempt, gpus: gpus.clone(), claim, previous: None });
        builder.add_effect(Effect::Start { key, gpus });
        at
    }

    fn add_instance(&mut self, builder: &mut DecisionBuilder, wanted: &InstanceRequest) -> usize {
        let (instance, at) = (wanted.to_instance(), builder.services().len());
        self.roster.add_instance(&instance, at);
        let is_taken = |id: &ShardId| builder.position(id).is_some();
        let shard = instance.build_id(is_taken);
        builder.record(Event::ServiceAdded { shard, instance });
        at
    }
}

/// Returns the text about a shard that waits for an instance to become ready.
pub fn starting_shortage(builder: &DecisionBuilder, at: usize) -> Shortage {
    let service = builder.services()[at].id().to_string();
    Shortage::Service { service, why: ServiceWait::Starting }
}

/// Returns the text about a shard that cannot use an instance; asks to be woken where time helps.
pub fn blocked_shortage(
    builder: &mut DecisionBuilder,
    wanted: &InstanceRequest,
    why: ServiceWait,
) -> Shortage {
    if let ServiceWait::Again { at } = why {
        builder.wake_at(at);
    }
    let service = wanted.to_instance().build_id(|_| false).to_string();
    Shortage::Service { service, why }
}
