//! The rules of services, played out by the scheduler alone: whatever the sweep says and whichever servers die, no
//! instance serves more shards than it may, shards use ready instances of their values and GPU only, and nothing is left.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

use std::time::Duration;

use jiff::Timestamp;
use proptest::prelude::*;
use sweepdeck::config::plan::{PlanOrigin, read_plan};
use sweepdeck::model::ids::{AttemptKey, RunId};
use sweepdeck::model::outcome::{Failure, FailureReason, Outcome, Peaks, Verdict};
use sweepdeck::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use sweepdeck::model::state::phase::{Phase, QueueCause, StopCause};
use sweepdeck::model::state::run_state::RunState;
use sweepdeck::model::state::service_state::{ServicePhase, ServiceState};
use sweepdeck::model::sweep::edit::Edit;
use sweepdeck::model::sweep::plan::Plan;
use sweepdeck::scheduler::decide::Scheduler;
use sweepdeck::scheduler::effect::Effect;
use sweepdeck::scheduler::input::SchedulerInput;
use sweepdeck::scheduler::policy::SchedulingPolicy;

/// A run without processes: starts and stops succeed, and ends are asked for by the test.
struct World {
    scheduler: Scheduler,
    state: RunState,
    now: Timestamp,
    /// Attempts that were started, or asked to stop, and not yet reported.
    started: Vec<AttemptKey>,
    stopping: Vec<AttemptKey>,
    is_over: bool,
}

impl World {
    fn new(plan: &Plan, gpus: u32, parallel: u32) -> Self {
        let shards = plan.shards.iter().map(|shard| shard.id.clone()).collect();
        let run = RunId("rules".to_owned());
        let event = Event::RunCreated { version: JOURNAL_VERSION, run, shards, parallel };
        let now = Timestamp::from_second(1_000_000).unwrap();
        let state = RunState::fold_facts(&[Fact::new(now, event)]).unwrap();
        let scheduler = Scheduler::new(SchedulingPolicy::from_plan(plan, gpus));
        let (started, stopping) = (Vec::new(), Vec::new());
        let mut world = Self { scheduler, state, now, started, stopping, is_over: false };
        world.decide(SchedulerInput::Wake);
        world
    }

    fn decide(&mut self, input: SchedulerInput) {
        let mut inputs = vec![input];
        // A timer that is due at once is the next decision.
        for _ in 0..1000 {
            let decision = self.scheduler.decide(&self.state, &inputs, self.now);
            for event in decision.facts {
                self.state.apply_fact(&Fact::new(self.now, event)).unwrap();
            }
            let mut again = false;
            for effect in decision.effects {
                match effect {
                    Effect::Start { key, .. } => self.started.push(key),
                    Effect::Stop { key } => self.stopping.push(key),
                    Effect::WakeAt(at) => again |= at <= self.now,
                    Effect::Finish { .. } => self.is_over = true,
                    Effect::Look | Effect::Order { .. } | Effect::Pause { .. } | Effect::Resume { .. } => {}
                }
            }
            self.check();
            if !again {
                return;
            }
            inputs = vec![SchedulerInput::Wake];
        }
        panic!("it decides for ever: {:?}", self.state);
    }

    /// What holds at every moment.
    fn check(&self) {
        let serves = |name: &str| {
            let rule = self.scheduler.policy.services.iter().find(|rule| rule.name == name);
            rule.and_then(|rule| rule.serves)
        };
        for service in &self.state.services {
            let users = self.state.users_of(service).count();
            let most = serves(&service.instance.service).map_or(usize::MAX, |serves| serves as usize);
            assert!(users <= most, "{} serves {users} of {most}", service.id());
        }
        for shard in &self.state.shards {
            let Phase::Running(live) = &shard.phase else { continue };
            assert_eq!(live.claim.services.len(), self.scheduler.policy.services.len(), "{}", shard.id);
            for id in &live.claim.services {
                let gpu = self.state.service(id).unwrap().instance.gpu;
                if let (Some(gpu), [own]) = (gpu, &live.gpus[..]) {
                    assert_eq!(gpu, *own, "{} is on the GPU of {id}", shard.id);
                }
            }
        }
    }

    fn outcome(&self, verdict: Verdict) -> Box<Outcome> {
        Box::new(Outcome {
            patterns: Vec::new(),
            episodes: None,
            verdict,
            exit: None,
            elapsed: Some(Duration::from_secs(1)),
            paused: Duration::ZERO,
            loading: None,
            closing: None,
            unit: None,
            progress: None,
            metrics: Default::default(),
            peaks: Peaks::default(),
            proof: None,
            memory_holders: Vec::new(),
            warnings: Vec::new(),
        })
    }

    fn end(&mut self, key: AttemptKey, verdict: Verdict) {
        self.stopping.retain(|stopping| *stopping != key);
        let outcome = self.outcome(verdict);
        self.decide(SchedulerInput::Ended { key, outcome });
    }

    /// What a stop comes to, as the supervisor judges it.
    fn verdict_of_stop(&self, key: &AttemptKey) -> Verdict {
        let phase = self.state.shard(&key.shard).map(|shard| &shard.phase);
        let failed = |reason| Verdict::Failed(Failure { reason, message: String::new() });
        match phase {
            Some(Phase::Stopping { cause: StopCause::ServiceGone, .. }) => failed(FailureReason::ServiceLost),
            Some(Phase::Stopping { cause: StopCause::Unneeded, .. }) => Verdict::Succeeded,
            Some(Phase::Stopping { cause: StopCause::NotReady, .. }) => failed(FailureReason::Timeout),
            Some(_) | None => Verdict::Cancelled,
        }
    }

    /// Reports all starts and stops.
    fn catch_up(&mut self) {
        while !self.started.is_empty() || !self.stopping.is_empty() {
            for key in std::mem::take(&mut self.started) {
                let started = self.now;
                self.decide(SchedulerInput::Started { key, pid: 1, started });
            }
            for key in std::mem::take(&mut self.stopping) {
                let verdict = self.verdict_of_stop(&key);
                self.end(key, verdict);
            }
        }
    }

    fn keys(&self, is_meant: impl Fn(&ServicePhase<'_>) -> bool) -> Vec<AttemptKey> {
        let services = self.state.services.iter().filter(|service| is_meant(&service.phase()));
        services
            .filter_map(|service| {
                Some(AttemptKey { shard: service.id().clone(), attempt: service.life.attempt? })
            })
            .collect()
    }

    /// One step: servers become ready, one may die, and one shard ends.
    fn step(&mut self, dies: bool) {
        self.now += Duration::from_secs(40);
        self.decide(SchedulerInput::Wake);
        self.catch_up();
        for key in self.keys(|phase| matches!(phase, ServicePhase::Starting { live: Some(_) })) {
            self.decide(SchedulerInput::ServiceReady { key, port: Some(4242) });
        }
        self.catch_up();
        let ready = self.keys(|phase| matches!(phase, ServicePhase::Ready { .. }));
        if let (true, Some(key)) = (dies, ready.first()) {
            self.decide(SchedulerInput::ServiceDied { key: key.clone() });
            let failure = Failure { reason: FailureReason::Signal, message: "ended by SIGKILL".to_owned() };
            self.end(key.clone(), Verdict::Failed(failure));
            self.catch_up();
        }
        let running = self.state.shards.iter().find_map(|shard| match &shard.phase {
            Phase::Running(live) => Some(AttemptKey { shard: shard.id.clone(), attempt: live.attempt }),
            _other => None,
        });
        if let Some(key) = running {
            self.end(key, Verdict::Succeeded);
            self.catch_up();
        }
    }
}

fn plan(per: &str, serves: u32, shards: usize, gpus: u32) -> Plan {
    let numbers: Vec<String> = (0..shards).map(|number| number.to_string()).collect();
    let source = format!(
        "[matrix]\npolicy = ['a', 'b']\nn = [{}]\n[shard]\ncommand = 'x {{{{ policy }}}} {{{{ n }}}}'\n\
         [[service]]\nname = 'server'\nper = '{per}'\nserves = {serves}\nrestarts = 100\ncommand = 'serve {} {{{{ port }}}}'\n\
         [resources]\ngpus = {gpus}\n",
        numbers.join(", "),
        if per == "run" { "" } else { "{{ policy }}" },
    );
    let origin =
        PlanOrigin { file: "/sweeps/rules.toml".into(), home: None, cores: 4, ..PlanOrigin::default() };
    read_plan(&source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn whatever_dies_every_shard_is_served_to_its_end(
        per in prop::sample::select(vec!["run", "combo", "gpu"]),
        serves in 1_u32..4,
        shards in 1_usize..7,
        (cards, own) in prop::sample::select(vec![(0_u32, 0_u32), (1, 0), (2, 0), (2, 1), (4, 1)]),
        parallel in 1_u32..9,
        deaths in prop::collection::vec(any::<bool>(), 40),
    ) {
        let plan = plan(per, serves, shards, own);
        let mut world = World::new(&plan, cards, parallel);
        for step in 0..400 {
            // In the end they live, so that the run has an end.
            world.step(deaths.get(step).copied().unwrap_or(false));
            if world.is_over {
                break;
            }
        }
        prop_assert!(world.is_over, "{:?}", world.state);
        let succeeded = world.state.shards.iter().all(|shard| matches!(shard.phase, Phase::Succeeded(_)));
        prop_assert!(succeeded, "{:?}", world.state.shards);
        prop_assert!(!world.state.services.iter().any(ServiceState::is_active), "{:?}", world.state.services);
    }
}

#[test]
fn a_service_that_keeps_failing_bars_its_shards_and_ends_the_run() {
    let plan = plan("combo", 2, 1, 0);
    let mut world = World::new(&plan, 0, 4);
    let rules = &mut world.scheduler.policy.services;
    rules.iter_mut().for_each(|rule| rule.restarts = 1);
    for _ in 0..12 {
        world.now += Duration::from_secs(40);
        world.decide(SchedulerInput::Wake);
        world.catch_up();
        for key in world.keys(|phase| matches!(phase, ServicePhase::Starting { live: Some(_) })) {
            let is_bad =
                world.state.service(&key.shard).unwrap().instance.vars.get("policy").unwrap().to_string()
                    == "a";
            if is_bad {
                let failure = Failure { reason: FailureReason::ExitCode, message: "exit code 1".to_owned() };
                world.end(key, Verdict::Failed(failure));
            } else {
                world.decide(SchedulerInput::ServiceReady { key, port: None });
            }
        }
        world.catch_up();
        let running = world.state.shards.iter().find(|shard| matches!(shard.phase, Phase::Running(_)));
        if let Some(key) =
            running.map(|shard| AttemptKey { shard: shard.id.clone(), attempt: shard.attempt.unwrap() })
        {
            world.end(key, Verdict::Succeeded);
        }
        world.catch_up();
    }
    assert!(world.is_over, "{:?}", world.state);
    let phases: Vec<&str> = world.state.shards.iter().map(|shard| shard.phase.kind().as_str()).collect();
    assert_eq!(phases, ["queued", "succeeded"]);
    let words: Vec<&str> = world.state.services.iter().map(|service| service.phase().as_str()).collect();
    assert_eq!(words, ["failed", "ended"]);
}

#[test]
fn shards_that_are_added_use_the_instance_of_their_values() {
    let (small, mut grown) = (plan("combo", 2, 1, 0), plan("combo", 2, 2, 0));
    // Those that are added stand behind those that were there.
    grown.shards.sort_by_key(|shard| small.shards.iter().all(|old| old.vars != shard.vars));
    let mut policy = SchedulingPolicy::from_plan(&small, 0);
    policy.apply_growth(&grown);
    for (position, shard) in grown.shards.iter().enumerate() {
        let values = policy.services[0].instance_values(position, &Edit::default()).into_owned();
        assert_eq!(values.get("policy"), shard.vars.get("policy"), "{}", shard.id);
    }
}

#[test]
fn a_client_that_fails_while_it_is_ended_for_its_service_runs_again() {
    let mut world = World::new(&plan("run", 4, 1, 0), 0, 1);
    world.catch_up();
    let server = world.keys(|phase| matches!(phase, ServicePhase::Starting { live: Some(_) })).remove(0);
    world.decide(SchedulerInput::ServiceReady { key: server.clone(), port: Some(4242) });
    world.catch_up();
    world.decide(SchedulerInput::ServiceDied { key: server });
    let client = world.stopping.first().cloned().expect("it is ended with its service");
    let failure = Failure {
        reason: FailureReason::ExitCode,
        message: "Connection reset by peer; exit code 7".to_owned(),
    };
    world.end(client.clone(), Verdict::Failed(failure));
    let shard = world.state.shard(&client.shard).expect("it is of the plan");
    assert_eq!(shard.phase.kind().as_str(), "queued");
    assert!(matches!(shard.phase, Phase::Queued { cause: QueueCause::ServiceLost, .. }), "{:?}", shard.phase);
}
