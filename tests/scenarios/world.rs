//! A run without processes or clock: a plan, a journal, the state folded from it, and the scheduler.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use sweepdeck::model::history::ShardHistory;
use sweepdeck::model::ids::{AttemptKey, AttemptNumber, RunId, ShardId};
use sweepdeck::model::logs::value_log::ValueLogSpec;
use sweepdeck::model::needs::resources::{GpuNeed, Placement, Resources};
use sweepdeck::model::outcome::{ExitStatus, Failure, FailureReason, Outcome, Verdict};
use sweepdeck::model::results::results_spec::ResultsSpec;
use sweepdeck::model::state::fact::{Actor, Event, Fact, JOURNAL_VERSION};
use sweepdeck::model::state::run_state::RunState;
use sweepdeck::model::sweep::command_template::CommandTemplate;
use sweepdeck::model::sweep::edit::Edit;
use sweepdeck::model::sweep::growth::PlanChange;
use sweepdeck::model::sweep::plan::{
    Grace, OnOom, OnStall, Parallel, Plan, ProgressSpec, QueueOrder, Schedule, ShardSpec,
};
use sweepdeck::model::sweep::shard_template::ShardTemplate;
use sweepdeck::model::units::Bytes;
use sweepdeck::model::value::Variables;
use sweepdeck::scheduler::decide::Scheduler;
use sweepdeck::scheduler::effect::Decision;
use sweepdeck::scheduler::input::SchedulerInput;
use sweepdeck::scheduler::policy::SchedulingPolicy;

/// The user behind every command.
pub const USER: Actor = Actor { uid: 1000, pid: 7 };

/// A run and its supervisor's mind.
#[derive(Clone)]
pub struct World {
    /// What is run.
    pub plan: Plan,
    /// What is true.
    pub state: RunState,
    /// The decisions' maker.
    pub scheduler: Scheduler,
    /// All facts so far.
    pub journal: Vec<Fact>,
    /// Time since the run was created.
    pub now: Duration,
    /// What the last decision took of the processor, the recording not counted. A clock on the wall would also count
    /// the turns of other programs, of 4 ms each.
    pub thought: Duration,
}

impl World {
    /// A run of `plan` that was just created.
    pub fn new(plan: &Plan, gpus: u32) -> Self {
        let Parallel::Fixed(parallel) = plan.schedule.parallel else { panic!("scenarios name a number") };
        let created = Event::RunCreated {
            version: JOURNAL_VERSION,
            run: RunId("scenario".to_owned()),
            shards: plan.shards.iter().map(|shard| shard.id.clone()).collect(),
            parallel,
        };
        let scheduler = Scheduler::new(SchedulingPolicy::from_plan(plan, gpus));
        let mut world = Self {
            plan: plan.clone(),
            state: RunState::default(),
            scheduler,
            journal: Vec::new(),
            now: Duration::ZERO,
            thought: Duration::ZERO,
        };
        world.record(created);
        world
    }

    /// The moment it is now.
    pub fn timestamp(&self) -> Timestamp {
        moment(self.now)
    }

    /// Decides, records and applies, as the supervisor does.
    pub fn decide(&mut self, inputs: &[SchedulerInput]) -> Decision {
        let now = self.timestamp();
        let begun = processor_time();
        let decision = self.scheduler.decide(&self.state, inputs, now);
        self.thought = processor_time() - begun;
        let known = self.state.changes.len();
        decision.facts.iter().for_each(|fact| self.record(fact.clone()));
        for change in &self.state.changes[known..] {
            self.plan.follow_changes(std::slice::from_ref(change));
            match change {
                PlanChange::Split(split) => self.scheduler.policy.apply_split(&self.plan, split),
                PlanChange::Growth(_) => self.scheduler.policy.apply_growth(&self.plan),
            }
        }
        decision
    }

    /// Appends one fact and applies it.
    pub fn record(&mut self, event: Event) {
        let fact = Fact::new(self.timestamp(), event);
        self.state.apply_fact(&fact).unwrap();
        self.journal.push(fact);
    }

    /// The supervisor dies and another one reads its journal.
    pub fn crash(&mut self) {
        let lines: Vec<String> =
            self.journal.iter().map(|fact| serde_json::to_string(fact).unwrap()).collect();
        let facts: Vec<Fact> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        self.state = RunState::fold_facts(&facts).unwrap();
        let gpus = u32::try_from(self.scheduler.policy.gpus.len()).unwrap();
        self.scheduler = Scheduler::new(SchedulingPolicy::from_plan(&self.plan, gpus));
    }
}

/// What this thread has used.
fn processor_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    used.try_into().expect("no thread has used less than nothing")
}

/// The moment that long after the run was created.
pub fn moment(since: Duration) -> Timestamp {
    "2026-11-21T00:00:00Z".parse::<Timestamp>().unwrap() + since
}

/// A plan of shards with these names, all settings at their plainest.
pub fn plan(names: &[String]) -> Plan {
    let shard = |name: &String| ShardSpec {
        id: ShardId::new(name.clone()).unwrap(),
        vars: Variables::default(),
        slice: None,
        pack: None,
        command: "true".to_owned(),
        cwd: PathBuf::from("/"),
        expected: None,
        needs: Default::default(),
        learned: ShardHistory::default(),
        edit: Edit::default(),
    };
    Plan {
        version: 1,
        name: "scenario".to_owned(),
        sweep_dir: PathBuf::from("/"),
        axes: Vec::new(),
        template: ShardTemplate {
            cwd: "/".to_owned(),
            setup: Vec::new(),
            command: CommandTemplate::Shell("true".to_owned()),
            env: BTreeMap::new(),
            artifacts: Vec::new(),
            secret: Vec::new(),
            needs: Default::default(),
            resume: Default::default(),
        },
        shards: names.iter().map(shard).collect(),
        services: Vec::new(),
        resources: Resources { gpus: Some(GpuNeed::Count(1)), ..Resources::default() },
        schedule: schedule(),
        progress: ProgressSpec::of_preset("auto"),
        metrics: Vec::new(),
        rules: Vec::new(),
        value_log: ValueLogSpec::default(),
        results: ResultsSpec::default(),
        analysis: Default::default(),
        hook: None,
        commands: Vec::new(),
        foreign: BTreeMap::new(),
        expansion: None,
        nodes: Vec::new(),
    }
}

fn schedule() -> Schedule {
    Schedule {
        parallel: Parallel::Fixed(1),
        order: QueueOrder::LongestFirst,
        placement: Placement::Spread,
        reserve_vram: Bytes(0),
        stagger: Duration::ZERO,
        warmup: false,
        cooldown: Duration::ZERO,
        retries: 0,
        resume_after: Vec::new(),
        ladder: Vec::new(),
        timeout: None,
        stall_after: Duration::ZERO,
        on_stall: OnStall::Show,
        on_oom: OnOom::Fail,
        grace: Grace { interrupt: Duration::from_secs(1), terminate: Duration::from_secs(1) },
        linger: Duration::from_secs(5),
        hours: Default::default(),
        neighbours: Default::default(),
    }
}

/// The named attempt.
pub fn key(shard: &str, attempt: u32) -> AttemptKey {
    AttemptKey { shard: ShardId::new(shard).unwrap(), attempt: AttemptNumber(attempt) }
}

/// An end of which nothing but the verdict is known.
pub fn outcome(verdict: Verdict, exit: Option<ExitStatus>) -> Outcome {
    Outcome { exit, elapsed: Some(Duration::from_secs(1)), ..Outcome::of_verdict(verdict) }
}

/// A failed verdict.
pub fn failed(reason: FailureReason) -> Verdict {
    Verdict::Failed(Failure { reason, message: String::new() })
}
