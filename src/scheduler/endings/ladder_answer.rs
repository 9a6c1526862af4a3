//! The step of the sweep's ladder that answers a failure: the first that fits it, is not used up, and can change
//! something.

use crate::model::needs::demand::Demand;
use crate::model::outcome::{FailureReason, Outcome};
use crate::model::state::fact::Event;
use crate::model::state::phase::QueueCause;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::ladder::{LadderAction, LadderStep, StepTaken, Trigger};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::endings::ladder::Ladder;
use crate::scheduler::endings::oom::{self, Room};
use crate::scheduler::endings::{host_oom, pack_split};
use crate::scheduler::learning::pack_families::PackFamilies;
use crate::scheduler::volatile_state::VolatileState;

/// Reply of the ladder to a failure.
#[derive(Debug, Clone, PartialEq)]
pub enum LadderAnswer {
    /// A step applies, from which these facts follow.
    Step(Vec<Event>),
    /// No step is left, and another try would change nothing. With a sentence where the amount is known.
    Final(Option<String>),
    /// No step is left for it.
    Nothing,
}

/// Returns the ladder's answer to the end of an attempt. Call it before the end is recorded.
pub fn climb_ladder(
    builder: &DecisionBuilder,
    volatile: &VolatileState,
    shard: &ShardState,
    outcome: &Outcome,
) -> LadderAnswer {
    let ladder = &builder.policy.ladder;
    let room = if ladder.answers_oom() { oom::answer_oom(builder, volatile, shard, outcome) } else { None };
    let families = &volatile.knowledge.pack_families;
    let foot = Foot { builder, shard, outcome, families, room: room.as_ref() };
    let mut over: Vec<Trigger> = Vec::new();
    for (place, step) in ladder.steps().iter().enumerate() {
        let used = shard.steps.get(place).copied().unwrap_or(0);
        if used >= step.times || over.contains(&step.on) || !step.matches_outcome(outcome) {
            continue;
        }
        if step.action == LadderAction::Fail {
            if step.on == Trigger::Fail {
                return LadderAnswer::Final(foot.final_reason());
            }
            over.push(step.on);
            continue;
        }
        if let Some(facts) = foot.take_step(ladder, place, step) {
            return LadderAnswer::Step(facts);
        }
    }
    match room {
        Some(Room::NoMore(because)) => LadderAnswer::Final(because),
        Some(Room::More(_)) | None => LadderAnswer::Nothing,
    }
}

/// The end of an attempt as a step needs it.
struct Foot<'a> {
    builder: &'a DecisionBuilder<'a>,
    shard: &'a ShardState,
    outcome: &'a Outcome,
    /// How many values of a pack fit.
    families: &'a PackFamilies,
    /// The room for another try, where it ran out of the memory of its GPUs.
    room: Option<&'a Room>,
}

impl Foot<'_> {
    /// The facts of a step; `None` where it would change nothing.
    fn take_step(&self, ladder: &Ladder, place: usize, step: &LadderStep) -> Option<Vec<Event>> {
        let taken = |words: String| Some(StepTaken { on: step.on, place, words });
        match &step.action {
            LadderAction::BackOff => self.back_off(),
            LadderAction::Split => self.split_pack(),
            LadderAction::MoreRoom => {
                let demand = self.more_room()?;
                let words = taken("more GPU memory".to_owned());
                Some(vec![self.queued_event(QueueCause::GpuOom, demand, words)])
            }
            LadderAction::Alone => self.run_alone(taken),
            LadderAction::Retry if self.is_hopeless() => None,
            LadderAction::Retry => {
                let words = taken("as it is".to_owned());
                Some(vec![self.queued_event(QueueCause::Step, Demand::default(), words)])
            }
            LadderAction::Edit(edit) => {
                let (edit, words) =
                    ladder.apply_step(self.builder.position(&self.shard.id), edit, &self.shard.edit)?;
                let queued = self.queued_event(QueueCause::Step, Demand::default(), taken(words));
                Some(vec![with_edit(queued, edit)])
            }
            LadderAction::Fail => None,
        }
    }

    /// The steps that are the default, one after the other; each keeps its own count.
    fn back_off(&self) -> Option<Vec<Event>> {
        if let Some(split) = self.split_pack() {
            return Some(split);
        }
        match self.room {
            Some(Room::More(demand)) => {
                Some(vec![self.queued_event(QueueCause::GpuOom, demand.clone(), None)])
            }
            Some(Room::NoMore(_)) => None,
            None => self.run_fewer(None),
        }
    }

    /// A pack out of main memory is split only where nothing else runs that it could do without.
    fn split_pack(&self) -> Option<Vec<Event>> {
        let has_others = || host_oom::reduced_parallel(self.builder, self.shard, self.outcome).is_some();
        if self.outcome.failure_reason() == Some(FailureReason::HostOom) && has_others() {
            return None;
        }
        let split = pack_split::split_after_oom(self.builder, self.families, self.shard)?;
        Some(vec![Event::PackSplit(split), self.queued_event(QueueCause::Split, Demand::default(), None)])
    }

    /// A larger claim, where there is more room and it is known how much that is.
    fn more_room(&self) -> Option<Demand> {
        match self.room? {
            Room::More(demand) if !demand.vram.is_empty() => Some(Demand { alone: false, ..demand.clone() }),
            Room::More(_) | Room::NoMore(_) => None,
        }
    }

    fn run_alone(&self, taken: impl Fn(String) -> Option<StepTaken>) -> Option<Vec<Event>> {
        match self.room {
            Some(Room::More(demand)) if !self.shard.demand.alone => {
                let demand = Demand { alone: true, ..demand.clone() };
                let words = taken("alone on its GPUs".to_owned());
                Some(vec![self.queued_event(QueueCause::GpuOom, demand, words)])
            }
            Some(Room::More(_) | Room::NoMore(_)) => None,
            None => self.run_fewer(taken("fewer side by side".to_owned())),
        }
    }

    fn run_fewer(&self, step: Option<StepTaken>) -> Option<Vec<Event>> {
        let (parallel, demand) = host_oom::reduced_parallel(self.builder, self.shard, self.outcome)?;
        let fewer = (parallel < self.builder.configured_limit())
            .then_some(Event::ParallelChanged { parallel, by: None });
        Some(fewer.into_iter().chain([self.queued_event(QueueCause::HostOom, demand, step)]).collect())
    }

    /// Reports whether it had all the room there is, so that another try without a change ends like this one.
    fn is_hopeless(&self) -> bool {
        matches!(self.room, Some(Room::NoMore(_)))
    }

    fn final_reason(&self) -> Option<String> {
        match self.room? {
            Room::NoMore(because) => because.clone(),
            Room::More(_) => None,
        }
    }

    fn queued_event(&self, cause: QueueCause, demand: Demand, step: Option<StepTaken>) -> Event {
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
