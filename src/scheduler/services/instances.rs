//! The instances in the course of one decision: found, or started where there is room.

use crate::model::ids::{AttemptKey, AttemptNumber, GpuIndex, ShardId};
use crate::model::needs::demand::Demand;
use crate::model::shortage::{ServiceWait, Shortage};
use crate::model::state::fact::Event;
use crate::model::state::phase::{PhaseKind, QueueCause};
use crate::model::sweep::service::ServiceInstance;
use crate::model::value::Variables;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::looks;
use crate::scheduler::admission::need::Need;
use crate::scheduler::admission::queue::Queue;
use crate::scheduler::admission::room::admit;
use crate::scheduler::effect::Effect;
use crate::scheduler::memory::Memory;
use crate::scheduler::services::roster::{Roster, Standing};
use crate::scheduler::services::rule::ServiceRule;
use crate::scheduler::turn::Turn;

/// The instances in the course of one decision.
pub struct Instances {
    /// Shards that use each instance.
    pub roster: Roster,
}

/// Everything an instance is found and started by.
pub struct Wanted<'r> {
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

impl Wanted<'_> {
    fn instance(&self) -> ServiceInstance {
        ServiceInstance { service: self.rule.name.clone(), gpu: self.gpu, vars: self.values.clone() }
    }
}

impl Instances {
    /// Finds an instance, or starts it.
    pub fn secure(
        &mut self,
        turn: &mut Turn,
        memory: &mut Memory,
        queue: &mut Queue,
        wanted: &Wanted,
    ) -> Secured {
        let standing = self.roster.standing(turn, memory, wanted.rule, (wanted.gpu, &wanted.values));
        let known = match standing {
            Standing::Ready(at) => return Secured::Ready(at),
            Standing::Starting(at) => return Secured::Starting(at),
            Standing::Blocked(why) => return Secured::No(blocked(turn, wanted, why)),
            Standing::Startable(known) => known,
        };
        let need = Need::declared(&wanted.rule.kind);
        match admit(&queue.ledger, &need, turn.policy.schedule.placement, queue.kept.as_ref()) {
            Ok(grant) if looks::is_fresh(turn, memory, &grant) => {
                Secured::Starting(self.start(turn, queue, wanted, known, grant))
            }
            Ok(_) => Secured::LooksFirst,
            Err(short_of) => {
                let why = ServiceWait::Room { short_of: Box::new(short_of) };
                Secured::No(blocked(turn, wanted, why))
            }
        }
    }

    /// Starts an instance and gives its number; `known` is the number of one that was there before.
    pub fn start(
        &mut self,
        turn: &mut Turn,
        queue: &mut Queue,
        wanted: &Wanted,
        known: Option<usize>,
        grant: Grant,
    ) -> usize {
        let at = known.unwrap_or_else(|| self.add(turn, wanted));
        let life = &turn.services()[at].life;
        let (shard, kind) = (life.id.clone(), life.phase.kind());
        let attempt = life.attempt.map_or(AttemptNumber::FIRST, AttemptNumber::next);
        if kind != PhaseKind::Queued {
            // What ended before joins its history.
            turn.record(Event::ShardQueued {
                shard: shard.clone(),
                cause: QueueCause::Needed,
                by: None,
                not_before: None,
                demand: Demand::default(),
                edit: None,
                step: None,
            });
        }
        let key = AttemptKey { shard: shard.clone(), attempt };
        queue.ledger.promise_service(&key, &grant);
        let Grant { gpus, claim } = grant;
        turn.record(Event::AttemptStarting { shard, attempt, gpus: gpus.clone(), claim, previous: None });
        turn.effect(Effect::Start { key, gpus });
        at
    }

    fn add(&mut self, turn: &mut Turn, wanted: &Wanted) -> usize {
        let (instance, at) = (wanted.instance(), turn.services().len());
        self.roster.add(&instance, at);
        let is_taken = |id: &ShardId| turn.position(id).is_some();
        let shard = instance.id(is_taken);
        turn.record(Event::ServiceAdded { shard, instance });
        at
    }
}

/// Returns what is said of a shard that waits for an instance to become ready.
pub fn awaited(turn: &Turn, at: usize) -> Shortage {
    let service = turn.services()[at].id().to_string();
    Shortage::Service { service, why: ServiceWait::Starting }
}

/// Returns what is said of a shard that cannot use an instance; asks to be woken where time helps.
pub fn blocked(turn: &mut Turn, wanted: &Wanted, why: ServiceWait) -> Shortage {
    if let ServiceWait::Again { at } = why {
        turn.wake_at(at);
    }
    let service = wanted.instance().id(|_| false).to_string();
    Shortage::Service { service, why }
}
