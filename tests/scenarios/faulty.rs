//! The loop of a supervisor on a machine that fails: virtual time, disk, processes and clock, and a fault wherever the
//! loop waits. A seed decides everything, so that every run can be repeated.
//!
//! `SWEEPDECK_SIMULATIONS=100000 cargo test --release --test scenarios faulty -- --nocapture` plays more runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use sweepdeck::model::command::{Command, Selection};
use sweepdeck::model::ids::{AttemptKey, RunId};
use sweepdeck::model::outcome::{ExitStatus, FailureReason, Verdict};
use sweepdeck::model::shortage::StartShortage;
use sweepdeck::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use sweepdeck::model::state::phase::PhaseKind;
use sweepdeck::model::state::run_state::{RunStage, RunState};
use sweepdeck::model::sweep::plan::{Parallel, Plan};
use sweepdeck::scheduler::decide::Scheduler;
use sweepdeck::scheduler::effect::Effect;
use sweepdeck::scheduler::input::SchedulerInput;
use sweepdeck::scheduler::policy::SchedulingPolicy;
use sweepdeck::scheduler::run_end;

use crate::chance::Chance;
use crate::world::{USER, failed, moment, outcome, plan};

/// So many turns have faults; then the machine is well, and the run must end.
const TROUBLE: u32 = 60;

/// No run needs so many turns.
const MOST: u32 = 3000;

/// A mistake in the loop, to see that it is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// None: the loop as it is.
    None,
    /// Attempts are started before their facts are on disk.
    FactAfterEffect,
    /// Timers are forgotten.
    LostWakeUp,
    /// A new supervisor takes attempts for dead without looking.
    DoubleStart,
}

/// The journal on a disk that may be full, and may lose what was not synced.
#[derive(Default)]
struct Disk {
    lines: Vec<String>,
    synced: usize,
    is_full: bool,
}

/// One attempt, whose process outlives the supervisor.
struct Holder {
    ends: Duration,
    verdict: Verdict,
    is_alive: bool,
    /// `exit.json` is there.
    has_record: bool,
}

/// What dies with the supervisor.
struct Supervisor {
    state: RunState,
    scheduler: Scheduler,
    inbox: Vec<SchedulerInput>,
    wake: Option<Timestamp>,
}

/// One run.
struct Simulation {
    chance: Chance,
    plan: Plan,
    now: Duration,
    disk: Disk,
    holders: BTreeMap<AttemptKey, Holder>,
    /// Attempts that may not be started any more.
    fenced: BTreeSet<AttemptKey>,
    supervisor: Option<Supervisor>,
    mistake: Mistake,
    is_well: bool,
}

/// A promise that was broken, in words.
type Broken = String;

/// Plays the run of a seed; returns how many facts it took.
fn play(seed: u64, mistake: Mistake) -> Result<usize, Broken> {
    let mut chance = Chance::new(seed);
    let names: Vec<String> = (0..chance.between(1, 6)).map(|number| format!("s{number}")).collect();
    let mut plan = plan(&names);
    plan.schedule.parallel = Parallel::Fixed(chance.between(1, 4) as u32);
    plan.schedule.retries = chance.between(0, 3) as u32;
    plan.schedule.stagger = Duration::from_secs(chance.between(0, 3));
    plan.schedule.cooldown = Duration::from_secs(chance.between(0, 3));
    plan.schedule.timeout = (chance.between(0, 3) == 0).then(|| Duration::from_secs(chance.between(5, 40)));
    let mut run = Simulation {
        chance,
        plan,
        now: Duration::ZERO,
        disk: Disk::default(),
        holders: BTreeMap::new(),
        fenced: BTreeSet::new(),
        supervisor: None,
        mistake,
        is_well: false,
    };
    run.create();
    for turn in 0..MOST {
        run.is_well = turn >= TROUBLE;
        run.strike();
        match run.supervisor {
            Some(_) => run.take_turn()?,
            None => run.start_supervisor(),
        }
        if run.is_well && run.has_ended() {
            return run.judge();
        }
        run.pass_time();
    }
    let last = run.disk.lines.len().saturating_sub(12);
    Err(format!("no end after {MOST} turns; the journal ends with\n{}", run.disk.lines[last..].join("\n")))
}

impl Simulation {
    fn create(&mut self) {
        let Parallel::Fixed(parallel) = self.plan.schedule.parallel else {
            unreachable!("it was set to a number")
        };
        let shards = self.plan.shards.iter().map(|shard| shard.id.clone()).collect();
        let run = RunId("faulty".to_owned());
        self.append(&[Event::RunCreated { version: JOURNAL_VERSION, run, shards, parallel }]);
        self.disk.synced = self.disk.lines.len();
    }

    fn append(&mut self, events: &[Event]) -> Vec<Fact> {
        let at = moment(self.now);
        let facts: Vec<Fact> = events.iter().map(|event| Fact::new(at, event.clone())).collect();
        self.disk.lines.extend(facts.iter().map(|fact| serde_json::to_string(fact).unwrap()));
        facts
    }

    fn fold(&self) -> RunState {
        let facts: Vec<Fact> =
            self.disk.lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        RunState::fold_facts(&facts).unwrap()
    }

    /// One chance in so many, while there is trouble.
    fn happens(&mut self, one_in: u64) -> bool {
        !self.is_well && self.chance.between(0, one_in) == 0
    }

    /// Faults that come from outside, at any time.
    fn strike(&mut self) {
        if self.is_well {
            self.disk.is_full = false;
        } else if self.chance.between(0, 10) == 0 {
            self.disk.is_full = !self.disk.is_full;
        }
        if self.happens(30) {
            self.lose_power();
        }
        let living: Vec<AttemptKey> =
            self.holders.iter().filter(|(_, holder)| holder.is_alive).map(|(key, _)| key.clone()).collect();
        if self.happens(40)
            && let Some(key) = self.chance.one_of(&living).cloned()
        {
            // SIGKILL of a holder: its supervisor looks, and buries it.
            self.holders.get_mut(&key).unwrap().is_alive = false;
            self.look_at(key);
        }
        if self.happens(12) && self.supervisor.is_some() {
            let command = self.command();
            self.tell(SchedulerInput::Command { command, by: USER });
        }
    }

    fn command(&mut self) -> Command {
        let picked = self.chance.one_of(&self.plan.shards).unwrap().id.clone();
        let some = Selection::These(vec![picked]);
        match self.chance.between(0, 6) {
            0 => Command::Kill { shards: some },
            1 => Command::Requeue { shards: some },
            2 => Command::Pause { shards: some },
            3 => Command::Resume { shards: Selection::All },
            4 => Command::SetParallel { parallel: self.chance.between(1, 4) as u32 },
            _ => Command::Continue,
        }
    }

    /// Everything dies, and with it what was not synced.
    fn lose_power(&mut self) {
        self.supervisor = None;
        let kept = self.chance.between(self.disk.synced as u64, self.disk.lines.len() as u64 + 1);
        self.disk.lines.truncate(kept as usize);
        self.holders.values_mut().for_each(|holder| holder.is_alive = false);
    }

    /// The loop waits here: it may die. True where it did.
    fn dies_here(&mut self) -> bool {
        if self.happens(25) {
            self.supervisor = None;
        }
        self.supervisor.is_none()
    }

    fn tell(&mut self, input: SchedulerInput) {
        let twice = self.happens(10);
        let Some(supervisor) = &mut self.supervisor else { return };
        if twice && !matches!(input, SchedulerInput::Command { .. }) {
            supervisor.inbox.push(input.clone());
        }
        supervisor.inbox.push(input);
    }

    /// Folds the journal and looks at every attempt that it says is active.
    fn start_supervisor(&mut self) {
        let state = self.fold();
        let active: Vec<AttemptKey> = state
            .living()
            .filter_map(|shard| Some(AttemptKey { shard: shard.id.clone(), attempt: shard.phase.attempt()? }))
            .collect();
        let scheduler = Scheduler::new(SchedulingPolicy::from_plan(&self.plan, 1));
        let inbox = vec![SchedulerInput::Wake];
        self.supervisor = Some(Supervisor { state, scheduler, inbox, wake: None });
        for key in active {
            if self.mistake == Mistake::DoubleStart {
                self.tell_end(&key, failed(FailureReason::Lost));
            } else {
                self.look_at(key);
            }
        }
    }

    /// What is left of an attempt: its record, its living holder, or nothing, which is buried so that it cannot start.
    fn look_at(&mut self, key: AttemptKey) {
        let at = moment(self.now);
        match self.holders.get(&key) {
            Some(holder) if holder.has_record => self.tell_end(&key, holder.verdict.clone()),
            Some(holder) if holder.is_alive => {
                self.tell(SchedulerInput::Started { key: key.clone(), pid: 1, started: at });
                self.tell(SchedulerInput::Adopted { key });
            }
            Some(_) | None => {
                self.fenced.insert(key.clone());
                self.tell_end(&key, failed(FailureReason::Lost));
            }
        }
    }

    fn tell_end(&mut self, key: &AttemptKey, verdict: Verdict) {
        let exit = matches!(verdict, Verdict::Succeeded).then_some(ExitStatus { raw: 0 });
        self.tell(SchedulerInput::Ended { key: key.clone(), outcome: Box::new(outcome(verdict, exit)) });
    }

    /// One turn: decide, append, sync, act.
    fn take_turn(&mut self) -> Result<(), Broken> {
        let now = moment(self.now);
        let supervisor = self.supervisor.as_mut().unwrap();
        let mut inputs = std::mem::take(&mut supervisor.inbox);
        let is_due = supervisor.wake.is_some_and(|at| at <= now);
        if is_due {
            supervisor.wake = None;
            inputs.push(SchedulerInput::Wake);
        }
        if inputs.is_empty() {
            return Ok(());
        }
        let decision = supervisor.scheduler.decide(&supervisor.state, &inputs, now);
        if self.dies_here() {
            return Ok(());
        }
        if self.mistake == Mistake::FactAfterEffect {
            self.act(&decision.effects)?;
        }
        // A full disk holds up the loop, which may be killed meanwhile.
        if self.disk.is_full {
            self.disk.is_full = self.happens(2);
            if self.disk.is_full {
                self.supervisor = None;
                return Ok(());
            }
        }
        let facts = self.append(&decision.facts);
        if self.dies_here() {
            return Ok(());
        }
        let supervisor = self.supervisor.as_mut().unwrap();
        for fact in &facts {
            supervisor.state.apply_fact(fact).map_err(|error| error.to_string())?;
        }
        if decision.effects.iter().any(Effect::is_deed) {
            self.disk.synced = self.disk.lines.len();
            if self.dies_here() {
                return Ok(());
            }
        }
        if self.mistake == Mistake::FactAfterEffect { Ok(()) } else { self.act(&decision.effects) }
    }

    fn act(&mut self, effects: &[Effect]) -> Result<(), Broken> {
        if let Some(supervisor) = &mut self.supervisor {
            supervisor.wake = None;
        }
        for effect in effects {
            if self.dies_here() {
                return Ok(());
            }
            match effect {
                Effect::Start { key, .. } => self.start(key)?,
                Effect::Stop { key } => self.stop(key),
                // Paused programs end all the same: nothing here asks how long they were.
                Effect::Pause { .. } | Effect::Resume { .. } | Effect::Look | Effect::Order { .. } => {}
                Effect::WakeAt(at) => {
                    let at = (self.mistake != Mistake::LostWakeUp).then_some(*at);
                    self.supervisor.iter_mut().for_each(|supervisor| supervisor.wake = at);
                }
                Effect::Finish { finished } => self.finish(*finished),
            }
        }
        Ok(())
    }

    fn start(&mut self, key: &AttemptKey) -> Result<(), Broken> {
        let announced = |line: &String| {
            let fact: Fact = serde_json::from_str(line).unwrap();
            matches!(fact.event, Event::AttemptStarting { shard, attempt, .. } if (&shard, attempt) == (&key.shard, key.attempt))
        };
        if !self.disk.lines[..self.disk.synced].iter().any(announced) {
            return Err(format!("{key} was started before its fact was on disk"));
        }
        if self.happens(15) {
            self.tell(SchedulerInput::PutBack { key: key.clone(), lack: StartShortage::Processes });
            return Ok(());
        }
        // The holder's lock and record: a start that comes late or twice starts nothing, and what is there is looked at. The
        // record may be all that is left of an attempt whose facts a loss of power took.
        if self.fenced.contains(key) || self.holders.contains_key(key) {
            self.look_at(key.clone());
            return Ok(());
        }
        let other = self.holders.iter().find(|(other, holder)| holder.is_alive && other.shard == key.shard);
        if let Some((other, _)) = other {
            return Err(format!("{key} was started beside {other}"));
        }
        let verdict = match self.chance.between(0, 4) {
            0 => failed(FailureReason::ExitCode),
            _ => Verdict::Succeeded,
        };
        let ends = self.now + Duration::from_secs(self.chance.between(0, 30));
        self.holders.insert(key.clone(), Holder { ends, verdict, is_alive: true, has_record: false });
        self.tell(SchedulerInput::Started { key: key.clone(), pid: 1, started: moment(self.now) });
        Ok(())
    }

    fn stop(&mut self, key: &AttemptKey) {
        let now = self.now;
        if let Some(holder) = self.holders.get_mut(key).filter(|holder| holder.is_alive) {
            holder.verdict = failed(FailureReason::Killed);
            holder.ends = now;
        }
    }

    /// The results are written; the end is recorded where it is still due.
    fn finish(&mut self, finished: bool) {
        let Some(supervisor) = &self.supervisor else { return };
        if run_end::pending_end(&supervisor.scheduler.policy, &supervisor.state) == Some(finished) {
            let facts = self.append(&[Event::RunEnded { finished }]);
            self.disk.synced = self.disk.lines.len();
            let supervisor = self.supervisor.as_mut().unwrap();
            facts.iter().for_each(|fact| supervisor.state.apply_fact(fact).unwrap());
        }
    }

    /// Something is held or paused. Where nothing is, the run must go on by itself: a command would wake it.
    fn waits_for_person(&self) -> bool {
        self.supervisor.as_ref().is_some_and(|supervisor| {
            supervisor.state.run_holds.holds_any() || supervisor.state.count(PhaseKind::Paused) > 0
        })
    }

    fn has_ended(&self) -> bool {
        self.supervisor.as_ref().is_some_and(|supervisor| {
            matches!(supervisor.state.stage, RunStage::Ended { finished: true, .. })
        })
    }

    /// Time goes on to the next thing that happens, or a little.
    fn pass_time(&mut self) {
        let ends = self.holders.values().filter(|holder| holder.is_alive).map(|holder| holder.ends).min();
        let next = ends.map_or(Duration::from_secs(1), |ends| ends.saturating_sub(self.now));
        let most = next.as_secs().max(1) + 1;
        self.now += Duration::from_secs(self.chance.between(0, most + 1));
        let due: Vec<AttemptKey> = self
            .holders
            .iter()
            .filter(|(_, holder)| holder.is_alive && holder.ends <= self.now)
            .map(|(key, _)| key.clone())
            .collect();
        for key in due {
            let holder = self.holders.get_mut(&key).unwrap();
            (holder.is_alive, holder.has_record) = (false, true);
            let verdict = holder.verdict.clone();
            self.tell_end(&key, verdict);
        }
        // What a person would do at the end: everything paused or stopped goes on.
        if self.is_well && self.waits_for_person() && self.chance.between(0, 20) == 0 {
            self.tell(SchedulerInput::Command {
                command: Command::Resume { shards: Selection::All },
                by: USER,
            });
        }
    }

    /// After the end: no shard is lost, and each end is the one of its program.
    fn judge(&self) -> Result<usize, Broken> {
        let state = self.fold();
        if !state.all_final() {
            return Err("the run ended before all of its shards".to_owned());
        }
        if let Some((key, _)) = self.holders.iter().find(|(_, holder)| holder.is_alive) {
            return Err(format!("{key} lives on after the end"));
        }
        for shard in &state.shards {
            let (Some(ended), Some(attempt)) = (shard.phase.ended(), shard.attempt) else { continue };
            let key = AttemptKey { shard: shard.id.clone(), attempt };
            let truth = self.holders.get(&key).filter(|holder| holder.has_record);
            let is_lost = ended.outcome.verdict == failed(FailureReason::Lost);
            if truth.is_some_and(|truth| !is_lost && truth.verdict != ended.outcome.verdict) {
                return Err(format!(
                    "{key} ended otherwise than it is recorded: {:?}",
                    ended.outcome.verdict
                ));
            }
        }
        Ok(self.disk.lines.len())
    }
}

#[test]
fn whatever_fails_the_promises_hold() {
    let runs = std::env::var("SWEEPDECK_SIMULATIONS").map_or(400, |text| text.parse().unwrap());
    let facts: usize = (0..runs)
        .map(|seed| play(seed, Mistake::None).unwrap_or_else(|broken| panic!("seed {seed}: {broken}")))
        .sum();
    println!("{runs} runs, {facts} facts, no promise broken");
}

#[test]
fn mistakes_in_the_loop_are_found() {
    for mistake in [Mistake::FactAfterEffect, Mistake::LostWakeUp, Mistake::DoubleStart] {
        let found = (0..1000).find(|seed| play(*seed, mistake).is_err());
        assert!(found.is_some(), "{mistake:?} breaks no promise in a thousand runs");
    }
}

#[test]
fn a_seed_plays_the_same_run_again() {
    for seed in 0..20 {
        assert_eq!(play(seed, Mistake::None), play(seed, Mistake::None));
    }
}
