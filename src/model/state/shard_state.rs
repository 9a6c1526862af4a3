//! What is true of one shard after the facts about it.

use std::time::Duration;

use jiff::Timestamp;

use super::attempt_warnings::AttemptWarnings;
use super::event_groups::events;
use super::fact::{Condition, Event, ShownCondition};
use super::phase::{Ended, Live, PauseCause, PausedSpan, Phase, QueueCause, StopCause};
use super::previous::Previous;
use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptNumber, GpuIndex, ShardId};
use crate::model::needs::demand::Demand;
use crate::model::outcome::{Outcome, Verdict};
use crate::model::priority::Priority;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::node_spec::NodeId;
use crate::model::units::duration_between;

/// Everything that is true of a shard after the facts so far.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardState {
    /// Id and folder name of the shard.
    pub id: ShardId,
    /// The phase it is in, with the data that exists in it.
    pub phase: Phase,
    /// The newest attempt; none before the first start.
    pub attempt: Option<AttemptNumber>,
    /// Attempts that the machine could not start.
    pub put_back: u32,
    /// Tries used up of `retries` since it was last asked for.
    pub retries: u32,
    /// Lost attempts that had run, since it was last asked for. One that never ran is not the shard's fault.
    pub losses: u32,
    /// How often it ran out of GPU memory by itself and was tried again, since it was last asked for.
    pub ooms: u32,
    /// How often each step of the ladder was taken since it was last asked for, by their places.
    pub steps: Vec<u32>,
    /// When it was last asked for since the sweep began; what came before teaches nothing of what comes.
    pub asked: Option<Timestamp>,
    /// The newest attempt that had failed for good when the shard was asked for again.
    pub failed_before: Option<AttemptNumber>,
    /// The place that the user gave it among the shards that wait.
    pub priority: Priority,
    /// Changes that a user made when the shard was last asked for.
    pub edit: Edit,
    /// The shard as it was before a user put it into the queue where it still waits; boxed, because few shards have it.
    pub former: Option<Box<Previous>>,
    /// Needs that earlier ends with the present values have shown.
    pub demand: Demand,
    /// The part of these needs that ends with the sweep's own values have shown: only it applies to the
    /// combo.
    pub taught: Demand,
    /// Shown on top of the phase.
    pub shown: Option<ShownCondition>,
    /// The attempt whose work the newest one continues; `None` if it started from the beginning.
    pub previous: Option<AttemptNumber>,
    /// The newest attempt that ran and did not succeed: a later one may continue its work. None once a success or a
    /// user's edit makes what comes other work.
    pub continues: Option<AttemptNumber>,
    /// Remarks on what is odd about the present attempt, while it lives.
    pub warnings: AttemptWarnings,
    /// The node that it was dealt to; none in a run of one machine, and while it waits to be dealt.
    pub node: Option<NodeId>,
    /// The attempts that ended before the present one, oldest first.
    pub history: Vec<Ended>,
}

impl ShardState {
    /// Reports whether the attempt is the present one and has not ended.
    pub fn is_at(&self, attempt: AttemptNumber) -> bool {
        self.phase.kind().is_active() && self.phase.attempt() == Some(attempt)
    }

    /// The newest attempt that failed for good, be it that the shard was asked for again since.
    pub fn failed_for_good(&self) -> Option<AttemptNumber> {
        let now = self.phase.failure().and_then(|_| self.phase.attempt());
        now.or(self.failed_before)
    }

    /// The condition on top of the phase.
    pub fn condition(&self) -> Option<Condition> {
        self.shown.map(|shown| shown.condition)
    }

    /// Takes one event about this shard into account; one about an older attempt changes nothing.
    pub fn apply_event(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::AttemptStarting { attempt, gpus, claim, previous, .. } => {
                self.apply_starting(*attempt, at, gpus, claim);
                self.previous = *previous;
            }
            Event::AttemptStarted { attempt, pid, started, .. } => {
                self.apply_started(*attempt, *pid, *started)
            }
            Event::AttemptPaused { attempt, by, .. } => {
                let cause = if by.is_some() { PauseCause::User } else { PauseCause::Window };
                self.apply_paused(*attempt, at, cause);
            }
            Event::AttemptResumed { attempt, .. } => self.apply_resumed(*attempt, at),
            Event::AttemptStopping { attempt, cause, .. } => self.apply_stopping(*attempt, at, *cause),
            Event::AttemptEnded { attempt, outcome, .. } => self.apply_ended(*attempt, at, outcome),
            Event::AttemptPutBack { attempt, .. } => self.put_back(*attempt, at),
            Event::ShardQueued { cause, not_before, demand, edit, step, .. } => {
                self.apply_queued(at, *cause, *not_before);
                if let Some(step) = step {
                    self.steps.resize(self.steps.len().max(step.place + 1), 0);
                    self.steps[step.place] += 1;
                    // Its work goes on: the sweep itself declares that these values do the same.
                    edit.iter().for_each(|edit| self.set_edit(Edit::clone(edit)));
                } else if *cause == QueueCause::User {
                    // Without an edit it is the sweep as given again.
                    self.replace_edit(edit.as_deref().cloned().unwrap_or_default());
                }
                self.learn_demand(demand);
            }
            Event::Node(event) => self.apply_node_event(at, event),
            Event::RequeueUndone { .. } => self.undo_requeue(),
            Event::PriorityChanged { priority, .. } => self.priority = *priority,
            Event::PackSplit(split) => {
                if let Some(needs) = &split.needs {
                    self.edit.needs.clone_from(&needs.keeps.edited);
                }
                // History of the whole pack does not apply to its half.
                self.ooms = 0;
                self.steps.clear();
                self.demand = Demand::default();
                self.taught = Demand::default();
                self.continues = None;
            }
            Event::ShardCancelled { cause, .. } => {
                self.former = None;
                self.phase = Phase::Cancelled { ended: None, at, cause: *cause };
            }
            Event::ConditionChanged { attempt, condition, since, .. } => {
                if self.phase.attempt() == Some(*attempt) {
                    let since = since.unwrap_or(at);
                    self.shown = condition.map(|condition| ShownCondition { condition, since });
                }
            }
            events!(plan | services | limits | holds | beginnings | stages | reports)
            | Event::AttemptAdopted { .. } => {}
        }
    }

    /// A shard of a run that is created, or of a split.
    pub fn new(id: ShardId, at: Timestamp) -> Self {
        Self {
            id,
            phase: Phase::Queued { since: at, cause: QueueCause::New, not_before: None },
            attempt: None,
            put_back: 0,
            retries: 0,
            losses: 0,
            ooms: 0,
            steps: Vec::new(),
            asked: None,
            failed_before: None,
            priority: Priority::USUAL,
            edit: Edit::default(),
            former: None,
            demand: Demand::default(),
            taught: Demand::default(),
            shown: None,
            previous: None,
            continues: None,
            warnings: AttemptWarnings::default(),
            node: None,
            history: Vec::new(),
        }
    }

    /// Reports whether a node has it: it runs there, or waits there for its turn.
    pub fn is_dealt(&self) -> bool {
        self.node.is_some() && !self.phase.kind().is_final()
    }

    fn apply_starting(&mut self, attempt: AttemptNumber, at: Timestamp, gpus: &[GpuIndex], claim: &Claim) {
        self.attempt = Some(attempt);
        self.shown = None;
        self.former = None;
        self.phase = Phase::Starting { attempt, since: at, gpus: gpus.to_vec(), claim: claim.clone() };
    }

    fn apply_started(&mut self, attempt: AttemptNumber, pid: u32, started: Timestamp) {
        match &mut self.phase {
            Phase::Starting { attempt: expected, gpus, claim, .. } if *expected == attempt => {
                let (gpus, claim) = (std::mem::take(gpus), std::mem::take(claim));
                let pid = Some(pid);
                self.phase = Phase::Running(Live {
                    attempt,
                    pid,
                    started,
                    gpus,
                    claim,
                    paused: Duration::ZERO,
                    pauses: Vec::new(),
                    resumed: None,
                });
            }
            // Killed between its announcement and its start: the stop goes on, now with a pid.
            Phase::Stopping { live, .. } if live.attempt == attempt && live.pid.is_none() => {
                live.pid = Some(pid);
                live.started = started;
            }
            Phase::Starting { .. }
            | Phase::Stopping { .. }
            | Phase::Queued { .. }
            | Phase::Running(_)
            | Phase::Paused { .. }
            | Phase::Succeeded(_)
            | Phase::Failed { .. }
            | Phase::Cancelled { .. } => {}
        }
    }

    fn apply_paused(&mut self, attempt: AttemptNumber, at: Timestamp, cause: PauseCause) {
        if let Phase::Running(live) = &self.phase
            && live.attempt == attempt
        {
            self.phase = Phase::Paused { live: live.clone(), since: at, cause };
        }
    }

    fn apply_resumed(&mut self, attempt: AttemptNumber, at: Timestamp) {
        if let Phase::Paused { live, since, .. } = &self.phase
            && live.attempt == attempt
        {
            self.phase = Phase::Running(Live { resumed: Some(at), ..live.with_pause(*since, at) });
        }
    }

    fn apply_stopping(&mut self, attempt: AttemptNumber, at: Timestamp, cause: StopCause) {
        let live = match &self.phase {
            Phase::Starting { attempt, since, gpus, claim } => Live {
                attempt: *attempt,
                pid: None,
                started: *since,
                gpus: gpus.clone(),
                claim: claim.clone(),
                paused: Duration::ZERO,
                pauses: Vec::new(),
                resumed: None,
            },
            Phase::Running(live) => live.clone(),
            Phase::Paused { live, since, .. } => live.with_pause(*since, at),
            Phase::Stopping { .. }
            | Phase::Queued { .. }
            | Phase::Succeeded(_)
            | Phase::Failed { .. }
            | Phase::Cancelled { .. } => return,
        };
        if live.attempt == attempt {
            self.phase = Phase::Stopping { live, since: at, cause };
        }
    }

    fn apply_ended(&mut self, attempt: AttemptNumber, at: Timestamp, outcome: &Outcome) {
        if !self.is_at(attempt) {
            return;
        }
        let ended = Ended {
            attempt,
            started: self.phase.live().filter(|live| live.pid.is_some()).map(|live| live.started),
            at,
            node: self.node.clone(),
            gpus: self.phase.gpus().to_vec(),
            edit: self.edit.clone(),
            previous: self.previous,
            outcome: outcome.clone(),
        };
        self.continues = match &outcome.verdict {
            Verdict::Succeeded => None,
            Verdict::Failed(_) | Verdict::Cancelled if outcome.elapsed.is_some() => Some(attempt),
            // One that never ran leaves what there was before it.
            Verdict::Failed(_) | Verdict::Cancelled => self.continues,
        };
        self.shown = None;
        self.warnings = AttemptWarnings::default();
        self.phase = Phase::of_verdict(ended);
    }

    fn put_back(&mut self, attempt: AttemptNumber, at: Timestamp) {
        if self.is_at(attempt) {
            self.put_back += 1;
            self.shown = None;
            self.warnings = AttemptWarnings::default();
            self.phase = Phase::Queued { since: at, cause: QueueCause::PutBack, not_before: None };
        }
    }

    pub(super) fn apply_queued(&mut self, at: Timestamp, cause: QueueCause, not_before: Option<Timestamp>) {
        self.former =
            (cause == QueueCause::User && self.phase.kind().is_final()).then(|| Box::new(self.as_former()));
        let had_run = self.phase.ended().is_some_and(|ended| ended.outcome.elapsed.is_some());
        if let Some(ended) = self.phase.ended() {
            self.history.push(ended.clone());
        }
        match cause {
            QueueCause::Retry => self.retries += 1,
            QueueCause::Lost => self.losses += u32::from(had_run),
            QueueCause::GpuOom => self.ooms += 1,
            QueueCause::ForeignOom
            | QueueCause::Split
            | QueueCause::HostOom
            | QueueCause::GpuLost
            | QueueCause::Resumed
            | QueueCause::Step
            | QueueCause::ServiceLost
            | QueueCause::NodeGone
            | QueueCause::PutBack => {}
            QueueCause::New | QueueCause::Needed | QueueCause::User | QueueCause::Recovered => {
                // No node asks for it by itself.
                self.node = None;
                self.retries = 0;
                self.losses = 0;
                self.ooms = 0;
                self.steps.clear();
                self.asked = Some(at);
                self.failed_before = self.failed_for_good();
                self.demand.alone = false;
            }
        }
        self.phase = Phase::Queued { since: at, cause, not_before };
    }

    /// With other values it is other work: what was learned of its needs so far does not apply.
    pub(super) fn replace_edit(&mut self, edit: Edit) {
        if edit != self.edit {
            self.continues = None;
            self.set_edit(edit);
        }
    }

    fn set_edit(&mut self, edit: Edit) {
        if edit != self.edit {
            self.demand = if edit.is_empty() { self.taught.amounts() } else { Demand::default() };
            self.edit = edit;
        }
    }

    fn learn_demand(&mut self, demand: &Demand) {
        self.demand.raise_to(demand);
        if self.edit.is_empty() {
            self.taught.raise_to(&demand.amounts());
        }
    }

    fn as_former(&self) -> Previous {
        Previous {
            phase: self.phase.clone(),
            retries: self.retries,
            losses: self.losses,
            ooms: self.ooms,
            steps: self.steps.clone(),
            asked: self.asked,
            failed_before: self.failed_before,
            demand: self.demand.clone(),
            edit: self.edit.clone(),
            continues: self.continues,
        }
    }

    /// The end that the requeue put among the earlier ones is the present one again.
    fn undo_requeue(&mut self) {
        let Some(former) = self.former.take() else { return };
        if former.phase.ended().is_some() {
            self.history.pop();
        }
        self.phase = former.phase;
        (self.retries, self.losses, self.ooms) = (former.retries, former.losses, former.ooms);
        self.steps = former.steps;
        self.asked = former.asked;
        self.failed_before = former.failed_before;
        self.demand = former.demand;
        self.edit = former.edit;
        self.continues = former.continues;
    }
}

impl Live {
    fn with_pause(&self, since: Timestamp, until: Timestamp) -> Self {
        let mut live = self.clone();
        live.paused += duration_between(since, until);
        live.pauses.push(PausedSpan { from: since, until });
        live
    }
}
