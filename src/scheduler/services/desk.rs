//! A shard and the services that it uses are admitted together: it starts where they are ready, and they are started
//! where they are not.

use crate::model::shortage::Shortage;
use crate::model::value::Variables;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::queue::Queue;
use crate::scheduler::memory::Memory;
use crate::scheduler::services::beside::{self, Found};
use crate::scheduler::services::instances::{Instances, Secured, Wanted, awaited};
use crate::scheduler::services::roster::Roster;
use crate::scheduler::services::rule::ServiceRule;
use crate::scheduler::turn::Turn;

/// Decision on a queued shard.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
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
struct Uses {
    at: Vec<usize>,
    lacks: Option<Shortage>,
}

impl Desk {
    /// For the decision; none where the sweep has no services.
    pub fn open(turn: &Turn) -> Option<Self> {
        let instances = || Instances { roster: Roster::of(turn) };
        (!turn.policy.services.is_empty()).then(|| Self { instances: instances(), expected: 0 })
    }

    /// Shards that will have a slot as soon as their services are ready.
    pub fn expected(&self) -> usize {
        self.expected
    }

    /// Admits a shard, or starts what it lacks.
    pub fn admit(
        &mut self,
        turn: &mut Turn,
        memory: &mut Memory,
        queue: &mut Queue,
        position: usize,
    ) -> Answer {
        let edit = turn.shard(position).edit.clone();
        let rules = turn.policy.services.iter();
        let rules = rules.map(|rule| (rule, rule.values(position, &edit).into_owned()));
        let (on_gpus, others): (Vec<_>, Vec<_>) = rules.partition(|(rule, _)| rule.is_on_each_gpu);
        let mut uses = Uses::default();
        for (rule, values) in others {
            let wanted = Wanted { rule, gpu: None, values };
            match self.instances.secure(turn, memory, queue, &wanted) {
                Secured::Ready(at) => uses.at.push(at),
                Secured::Starting(at) => {
                    uses.at.push(at);
                    uses.lacks.get_or_insert_with(|| awaited(turn, at));
                }
                Secured::No(short_of) => {
                    queue.wait(position, short_of);
                    return Answer::Waits;
                }
                Secured::LooksFirst => return Answer::LooksFirst,
            }
        }
        if !on_gpus.is_empty() {
            return self.beside(turn, memory, queue, (position, &on_gpus), uses);
        }
        match uses.lacks.take() {
            Some(short_of) => self.expect(queue, position, &uses, short_of),
            None => match queue.admit(turn, memory, position) {
                Some(grant) => self.start(turn, grant, &uses),
                None => Answer::Waits,
            },
        }
    }

    fn beside(
        &mut self,
        turn: &mut Turn,
        memory: &mut Memory,
        queue: &mut Queue,
        (position, rules): (usize, &[(&ServiceRule, Variables)]),
        mut uses: Uses,
    ) -> Answer {
        let may_start = uses.lacks.is_none();
        match beside::find(&mut self.instances, turn, memory, queue, (position, rules, may_start)) {
            Found::Place(grant, here) => {
                uses.at.extend(here);
                self.start(turn, grant, &uses)
            }
            Found::ByAndBy(here) => {
                let short_of = uses.lacks.take().unwrap_or_else(|| awaited(turn, here[0]));
                uses.at.extend(here);
                self.expect(queue, position, &uses, short_of)
            }
            Found::Nothing(short_of) => {
                queue.wait(position, short_of);
                Answer::Waits
            }
            Found::LooksFirst => Answer::LooksFirst,
        }
    }

    /// The shard gets a slot as soon as what it uses is ready.
    fn expect(&mut self, queue: &mut Queue, position: usize, uses: &Uses, short_of: Shortage) -> Answer {
        uses.at.iter().for_each(|at| self.instances.roster.serve(*at));
        self.expected += 1;
        queue.wait(position, short_of);
        Answer::Waits
    }

    fn start(&mut self, turn: &Turn, mut grant: Grant, uses: &Uses) -> Answer {
        uses.at.iter().for_each(|at| self.instances.roster.serve(*at));
        grant.claim.services = uses.at.iter().map(|at| turn.services()[*at].id().clone()).collect();
        Answer::Start(grant)
    }
}
