//! The one fold over the journal: what is true of a run after a number of facts.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;

use super::claim::Claim;
use super::demand::Demand;
use super::fact::{Condition, Event, Fact, JOURNAL_VERSION, Shown};
use super::ids::{AttemptNumber, GpuIndex, RunId, ShardId};
use super::oddities::Oddities;
use super::outcome::Outcome;
use super::phase::{Ended, Live, Phase, PhaseKind, QueueCause, StopCause};
use super::precautions::Precautions;
use super::tally::Tally;
use super::units::between;

/// What is true of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunState {
    /// The run, once its first fact was read.
    pub run: Option<RunId>,
    /// When the run was created.
    pub created: Option<Timestamp>,
    /// Every shard, in the order of the sweep. [`Self::apply`] alone changes them.
    pub shards: Vec<ShardState>,
    /// The parallel limit in force.
    pub parallel: u32,
    /// What the run as a whole is doing.
    pub stage: RunStage,
    /// What the run keeps away from.
    pub precautions: Precautions,
    /// When the newest fact happened.
    pub last_fact: Option<Timestamp>,
    index: HashMap<ShardId, usize>,
    tally: Tally,
}

/// What the run as a whole is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunStage {
    /// Shards are started as their turn comes.
    #[default]
    Active,
    /// Nothing new is started.
    Draining,
    /// Everything is being stopped.
    Stopping,
    /// It is over.
    Ended {
        /// When.
        at: Timestamp,
        /// Every shard was taken to its end.
        finished: bool,
    },
}

/// What is true of a shard.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardState {
    /// Its name.
    pub id: ShardId,
    /// Where it stands.
    pub phase: Phase,
    /// The newest attempt; none before the first start.
    pub attempt: Option<AttemptNumber>,
    /// Tries used up of `retries` since it was last asked for.
    pub retries: u32,
    /// Lost attempts that had run, since it was last asked for. One that never ran says nothing about the shard.
    pub losses: u32,
    /// How often it ran out of GPU memory by itself and was tried again, since it was last asked for.
    pub ooms: u32,
    /// When it was last asked for since the sweep began; what came before teaches nothing of what comes.
    pub asked: Option<Timestamp>,
    /// What earlier ends taught of its needs.
    pub demand: Demand,
    /// Shown on top of the phase.
    pub shown: Option<Shown>,
    /// What is odd about the present attempt, while it lives.
    pub oddities: Oddities,
    /// The attempts that ended before the present one, oldest first.
    pub history: Vec<Ended>,
}

/// A journal line that cannot be folded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// The journal was written by a newer program.
    #[error(
        "the journal has format version {found}, this program reads up to {JOURNAL_VERSION}; use a newer evaldeck"
    )]
    NewerVersion {
        /// The version in the file.
        found: u32,
    },
    /// A fact names a shard the run does not have.
    #[error("the journal names shard `{0}`, which the run does not have")]
    UnknownShard(ShardId),
}

impl RunState {
    /// The state after all of `facts`.
    pub fn fold<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> Result<Self, FoldError> {
        let mut state = Self::default();
        for fact in facts {
            state.apply(fact)?;
        }
        Ok(state)
    }

    /// The named shard.
    pub fn shard(&self, id: &ShardId) -> Option<&ShardState> {
        self.index.get(id).map(|position| &self.shards[*position])
    }

    /// The position of the named shard in `shards`.
    pub fn position(&self, id: &ShardId) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// How many shards are in the given phase.
    pub fn count(&self, kind: PhaseKind) -> usize {
        self.tally.count(kind)
    }

    /// How many shards have or are about to have a process.
    pub fn active(&self) -> usize {
        self.tally.active().len()
    }

    /// What the phases of all shards come to.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Every shard is in a final phase.
    pub fn all_final(&self) -> bool {
        self.tally.all_final()
    }

    /// Takes one more fact into account. Facts about an older attempt than the present one change nothing.
    pub fn apply(&mut self, fact: &Fact) -> Result<(), FoldError> {
        self.last_fact = Some(fact.at);
        self.stage.apply(fact.at, &fact.event);
        if let Some(shard) = fact.event.shard() {
            let position = self.position(shard).ok_or_else(|| FoldError::UnknownShard(shard.clone()))?;
            let shard = &mut self.shards[position];
            let before = shard.phase.kind();
            shard.apply(fact.at, &fact.event);
            self.tally.change(position, before, &shard.phase);
        }
        if let Event::RunCreated { version, run, shards, parallel } = &fact.event {
            if *version > JOURNAL_VERSION {
                return Err(FoldError::NewerVersion { found: *version });
            }
            self.create(fact.at, run, shards, *parallel);
        }
        if let Event::ParallelChanged { parallel, .. } = &fact.event {
            self.parallel = *parallel;
        }
        self.precautions.apply(fact.at, &fact.event);
        if let Event::Remarked { about: Some(key), text } = &fact.event
            && let Some(position) = self.position(&key.shard)
            && self.shards[position].is_at(key.attempt)
        {
            self.shards[position].oddities.notice(text);
        }
        Ok(())
    }

    fn create(&mut self, at: Timestamp, run: &RunId, shards: &[ShardId], parallel: u32) {
        self.run = Some(run.clone());
        self.created = Some(at);
        self.parallel = parallel;
        self.stage = RunStage::Active;
        self.shards = shards.iter().map(|id| ShardState::new(id.clone(), at)).collect();
        self.tally = Tally::of_queued(shards.len());
        self.index = shards.iter().cloned().enumerate().map(|(position, id)| (id, position)).collect();
    }
}

impl RunStage {
    /// Takes one event into account; most change nothing here.
    pub fn apply(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::StopRequested { now, .. } => {
                *self = if *now || *self == Self::Stopping { Self::Stopping } else { Self::Draining };
            }
            Event::RunContinued { .. } => *self = Self::Active,
            Event::RunEnded { finished } => *self = Self::Ended { at, finished: *finished },
            Event::RunCreated { .. }
            | Event::SupervisorStarted { .. }
            | Event::AttemptStarting { .. }
            | Event::AttemptStarted { .. }
            | Event::AttemptAdopted { .. }
            | Event::AttemptPaused { .. }
            | Event::AttemptResumed { .. }
            | Event::AttemptStopping { .. }
            | Event::AttemptEnded { .. }
            | Event::ShardQueued { .. }
            | Event::ShardCancelled { .. }
            | Event::ConditionChanged { .. }
            | Event::ParallelChanged { .. }
            | Event::GpuAvoided { .. }
            | Event::ShardsHeld { .. }
            | Event::RunHeld { .. }
            | Event::HoldsReleased { .. }
            | Event::ReporterEnded { .. }
            | Event::Remarked { .. } => {}
        }
    }
}

impl ShardState {
    /// The attempt is the present one and has not ended.
    pub fn is_at(&self, attempt: AttemptNumber) -> bool {
        self.phase.kind().is_active() && self.phase.attempt() == Some(attempt)
    }

    /// The condition on top of the phase.
    pub fn condition(&self) -> Option<Condition> {
        self.shown.map(|shown| shown.condition)
    }

    /// Takes one event about this shard into account; one about an older attempt changes nothing.
    pub fn apply(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::AttemptStarting { attempt, gpus, claim, .. } => self.announce(*attempt, at, gpus, claim),
            Event::AttemptStarted { attempt, pid, started, .. } => self.start(*attempt, *pid, *started),
            Event::AttemptPaused { attempt, .. } => self.pause(*attempt, at),
            Event::AttemptResumed { attempt, .. } => self.resume(*attempt, at),
            Event::AttemptStopping { attempt, cause, .. } => self.stop(*attempt, at, *cause),
            Event::AttemptEnded { attempt, outcome, .. } => self.end(*attempt, at, outcome),
            Event::ShardQueued { cause, not_before, demand, .. } => {
                self.queue(at, *cause, *not_before);
                self.demand.learn(demand);
            }
            Event::ShardCancelled { .. } => self.phase = Phase::Cancelled { ended: None, at },
            Event::ConditionChanged { attempt, condition, since, .. } => {
                if self.phase.attempt() == Some(*attempt) {
                    let since = since.unwrap_or(at);
                    self.shown = condition.map(|condition| Shown { condition, since });
                }
            }
            Event::AttemptAdopted { .. }
            | Event::RunCreated { .. }
            | Event::SupervisorStarted { .. }
            | Event::ParallelChanged { .. }
            | Event::GpuAvoided { .. }
            | Event::ShardsHeld { .. }
            | Event::RunHeld { .. }
            | Event::HoldsReleased { .. }
            | Event::StopRequested { .. }
            | Event::RunContinued { .. }
            | Event::ReporterEnded { .. }
            | Event::Remarked { .. }
            | Event::RunEnded { .. } => {}
        }
    }

    fn new(id: ShardId, at: Timestamp) -> Self {
        Self {
            id,
            phase: Phase::Queued { since: at, cause: QueueCause::New, not_before: None },
            attempt: None,
            retries: 0,
            losses: 0,
            ooms: 0,
            asked: None,
            demand: Demand::default(),
            shown: None,
            oddities: Oddities::default(),
            history: Vec::new(),
        }
    }

    fn announce(&mut self, attempt: AttemptNumber, at: Timestamp, gpus: &[GpuIndex], claim: &Claim) {
        self.attempt = Some(attempt);
        self.shown = None;
        self.phase = Phase::Starting { attempt, since: at, gpus: gpus.to_vec(), claim: claim.clone() };
    }

    fn start(&mut self, attempt: AttemptNumber, pid: u32, started: Timestamp) {
        match &mut self.phase {
            Phase::Starting { attempt: expected, gpus, claim, .. } if *expected == attempt => {
                let (gpus, claim) = (std::mem::take(gpus), std::mem::take(claim));
                let pid = Some(pid);
                self.phase =
                    Phase::Running(Live { attempt, pid, started, gpus, claim, paused: Duration::ZERO });
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

    fn pause(&mut self, attempt: AttemptNumber, at: Timestamp) {
        if let Phase::Running(live) = &self.phase
            && live.attempt == attempt
        {
            self.phase = Phase::Paused { live: live.clone(), since: at };
        }
    }

    fn resume(&mut self, attempt: AttemptNumber, at: Timestamp) {
        if let Phase::Paused { live, since } = &self.phase
            && live.attempt == attempt
        {
            self.phase = Phase::Running(live.with_pause(*since, at));
        }
    }

    fn stop(&mut self, attempt: AttemptNumber, at: Timestamp, cause: StopCause) {
        let live = match &self.phase {
            Phase::Starting { attempt, since, gpus, claim } => Live {
                attempt: *attempt,
                pid: None,
                started: *since,
                gpus: gpus.clone(),
                claim: claim.clone(),
                paused: Duration::ZERO,
            },
            Phase::Running(live) => live.clone(),
            Phase::Paused { live, since } => live.with_pause(*since, at),
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

    fn end(&mut self, attempt: AttemptNumber, at: Timestamp, outcome: &Outcome) {
        if !self.is_at(attempt) {
            return;
        }
        let ended = Ended {
            attempt,
            started: self.phase.live().filter(|live| live.pid.is_some()).map(|live| live.started),
            at,
            gpus: self.phase.gpus().to_vec(),
            outcome: outcome.clone(),
        };
        self.shown = None;
        self.oddities = Oddities::default();
        self.phase = Phase::of_verdict(ended);
    }

    fn queue(&mut self, at: Timestamp, cause: QueueCause, not_before: Option<Timestamp>) {
        let had_run = self.phase.ended().is_some_and(|ended| ended.outcome.elapsed.is_some());
        if let Some(ended) = self.phase.ended() {
            self.history.push(ended.clone());
        }
        match cause {
            QueueCause::Retry => self.retries += 1,
            QueueCause::Lost => self.losses += u32::from(had_run),
            QueueCause::GpuOom => self.ooms += 1,
            QueueCause::ForeignOom | QueueCause::HostOom | QueueCause::GpuLost => {}
            QueueCause::New | QueueCause::User | QueueCause::Recovered => {
                self.retries = 0;
                self.losses = 0;
                self.ooms = 0;
                self.asked = Some(at);
                self.demand.alone = false;
            }
        }
        self.phase = Phase::Queued { since: at, cause, not_before };
    }
}

impl Live {
    fn with_pause(&self, since: Timestamp, until: Timestamp) -> Self {
        Self { paused: self.paused + between(since, until), ..self.clone() }
    }
}
