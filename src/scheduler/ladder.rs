//! The step of the sweep's ladder that answers a failure: the first that fits it, is not used up, and can change something.

use std::collections::BTreeMap;

use crate::model::demand::Demand;
use crate::model::edit::Edit;
use crate::model::fact::Event;
use crate::model::ladder::{Action, LadderStep, StepEdit, StepTaken, Trigger};
use crate::model::outcome::{FailureReason, Outcome};
use crate::model::phase::QueueCause;
use crate::model::plan::Plan;
use crate::model::shard_state::ShardState;
use crate::model::value::Variables;
use crate::scheduler::memory::Memory;
use crate::scheduler::oom::Room;
use crate::scheduler::turn::Turn;
use crate::scheduler::{halves, host_oom, oom};

/// The steps of a sweep, and what they need to know of its shards.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ladder {
    steps: Vec<LadderStep>,
    /// Variables of each shard; empty where no step changes one.
    vars: Vec<Variables>,
    /// Environment variables of the sweep.
    env: BTreeMap<String, String>,
}

/// What the ladder says to a failure.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// These facts follow.
    Step(Vec<Event>),
    /// No step is left, and another try would change nothing; says so where the amount is known.
    Final(Option<String>),
    /// No step is left for it.
    Nothing,
}

impl Ladder {
    /// The ladder of a plan.
    pub fn of(plan: &Plan) -> Self {
        let steps = plan.schedule.steps();
        let edits = |step: &LadderStep| matches!(&step.action, Action::Edit(edit) if !edit.set.is_empty());
        let vars = if steps.iter().any(edits) {
            plan.shards.iter().map(|shard| shard.vars.clone()).collect()
        } else {
            Vec::new()
        };
        Self { steps, vars, env: plan.template.env.clone() }
    }

    /// The shard at that position got a twin, the last of all shards.
    pub fn split(&mut self, position: usize) {
        if let Some(vars) = self.vars.get(position).cloned() {
            self.vars.push(vars);
        }
    }

    /// Packs that run out of memory are cut into halves.
    pub fn splits_packs(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, Action::BackOff | Action::Split))
    }

    /// The sweep has an answer of its own to an end like this: it is expected, and holds nothing up.
    pub fn has_answer(&self, outcome: &Outcome) -> bool {
        self.steps.iter().any(|step| step.action != Action::Fail && step.fits(outcome))
    }

    /// The sweep says itself what running out of memory does, or leaves it to what is known about that.
    pub fn answers_oom(&self) -> bool {
        self.steps.iter().any(|step| step.on == Trigger::Oom)
    }

    fn edit(&self, turn: &Turn, shard: &ShardState, edit: &StepEdit) -> Option<(Edit, String)> {
        let none = Variables::default();
        let vars = turn.position(&shard.id).and_then(|position| self.vars.get(position)).unwrap_or(&none);
        edit.apply(vars, &self.env, &shard.edit)
    }
}

/// What the ladder says to the end of an attempt. To be asked before the end is recorded.
pub fn climb(turn: &Turn, memory: &Memory, shard: &ShardState, outcome: &Outcome) -> Answer {
    let ladder = &turn.policy.ladder;
    let room = if ladder.answers_oom() { oom::answer(turn, memory, shard, outcome) } else { None };
    let foot = Foot { turn, shard, outcome, room: room.as_ref() };
    let mut over: Vec<Trigger> = Vec::new();
    for (place, step) in ladder.steps.iter().enumerate() {
        let used = shard.steps.get(place).copied().unwrap_or(0);
        if used >= step.times || over.contains(&step.on) || !step.fits(outcome) {
            continue;
        }
        if step.action == Action::Fail {
            if step.on == Trigger::Fail {
                return Answer::Final(foot.because());
            }
            over.push(step.on);
            continue;
        }
        if let Some(facts) = foot.take(ladder, place, step) {
            return Answer::Step(facts);
        }
    }
    match room {
        Some(Room::NoMore(because)) => Answer::Final(because),
        Some(Room::More(_)) | None => Answer::Nothing,
    }
}

/// The end that is answered.
struct Foot<'a> {
    turn: &'a Turn<'a>,
    shard: &'a ShardState,
    outcome: &'a Outcome,
    /// The room for another try, where it ran out of the memory of its GPUs.
    room: Option<&'a Room>,
}

impl Foot<'_> {
    /// The facts of a step; `None` where it would change nothing.
    fn take(&self, ladder: &Ladder, place: usize, step: &LadderStep) -> Option<Vec<Event>> {
        let taken = |words: String| Some(StepTaken { on: step.on, place, words });
        match &step.action {
            Action::BackOff => self.back_off(),
            Action::Split => self.split(),
            Action::MoreRoom => {
                let demand = self.more_room()?;
                let words = taken("more GPU memory".to_owned());
                Some(vec![self.queued(QueueCause::GpuOom, demand, words)])
            }
            Action::Alone => self.alone(taken),
            Action::Retry if self.is_hopeless() => None,
            Action::Retry => {
                let words = taken("as it is".to_owned());
                Some(vec![self.queued(QueueCause::Step, Demand::default(), words)])
            }
            Action::Edit(edit) => {
                let (edit, words) = ladder.edit(self.turn, self.shard, edit)?;
                let queued = self.queued(QueueCause::Step, Demand::default(), taken(words));
                Some(vec![with_edit(queued, edit)])
            }
            Action::Fail => None,
        }
    }

    /// The steps that are the default, one after the other; each keeps its own count.
    fn back_off(&self) -> Option<Vec<Event>> {
        if let Some(split) = self.split() {
            return Some(split);
        }
        match self.room {
            Some(Room::More(demand)) => Some(vec![self.queued(QueueCause::GpuOom, demand.clone(), None)]),
            Some(Room::NoMore(_)) => None,
            None => self.fewer(None),
        }
    }

    /// A pack out of main memory is split only where nothing else runs that it could do without.
    fn split(&self) -> Option<Vec<Event>> {
        let has_others = || host_oom::fewer(self.turn, self.shard, self.outcome).is_some();
        if self.outcome.reason() == Some(FailureReason::HostOom) && has_others() {
            return None;
        }
        let split = halves::split(self.turn, self.shard)?;
        Some(vec![Event::PackSplit(split), self.queued(QueueCause::Split, Demand::default(), None)])
    }

    /// A larger claim, where there is more room and it is known how much that is.
    fn more_room(&self) -> Option<Demand> {
        match self.room? {
            Room::More(demand) if !demand.vram.is_empty() => Some(Demand { alone: false, ..demand.clone() }),
            Room::More(_) | Room::NoMore(_) => None,
        }
    }

    fn alone(&self, taken: impl Fn(String) -> Option<StepTaken>) -> Option<Vec<Event>> {
        match self.room {
            Some(Room::More(demand)) if !self.shard.demand.alone => {
                let demand = Demand { alone: true, ..demand.clone() };
                let words = taken("alone on its GPUs".to_owned());
                Some(vec![self.queued(QueueCause::GpuOom, demand, words)])
            }
            Some(Room::More(_) | Room::NoMore(_)) => None,
            None => self.fewer(taken("fewer side by side".to_owned())),
        }
    }

    fn fewer(&self, step: Option<StepTaken>) -> Option<Vec<Event>> {
        let (parallel, demand) = host_oom::fewer(self.turn, self.shard, self.outcome)?;
        let fewer = (parallel < self.turn.limit()).then_some(Event::ParallelChanged { parallel, by: None });
        Some(fewer.into_iter().chain([self.queued(QueueCause::HostOom, demand, step)]).collect())
    }

    /// It had all the room there is, so that another try without a change ends like this one.
    fn is_hopeless(&self) -> bool {
        matches!(self.room, Some(Room::NoMore(_)))
    }

    fn because(&self) -> Option<String> {
        match self.room? {
            Room::NoMore(because) => because.clone(),
            Room::More(_) => None,
        }
    }

    fn queued(&self, cause: QueueCause, demand: Demand, step: Option<StepTaken>) -> Event {
        let (shard, step) = (self.shard.id.clone(), step.map(Box::new));
        Event::ShardQueued { shard, cause, by: None, not_before: None, demand, edit: None, step }
    }
}

fn with_edit(queued: Event, new: Edit) -> Event {
    let mut queued = queued;
    if let Event::ShardQueued { edit, .. } = &mut queued {
        *edit = Some(Box::new(new));
    }
    queued
}
