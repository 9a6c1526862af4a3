//! Readings during which everything changes: no promise too many follows from them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::config::plan::{self, PlanOrigin};
use crate::model::ids::{AttemptNumber, RunId};
use crate::model::outcome::{Outcome, Verdict};
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::process::stat::{self, Stat};
use crate::scheduler::decide::Scheduler;
use crate::scheduler::effect::Effect;
use crate::scheduler::input::SchedulerInput;
use crate::scheduler::policy::SchedulingPolicy;
use crate::telemetry::shards;

const GIB: u64 = 1 << 30;
const CARDS: usize = 2;
const TOTAL: u64 = 24 * GIB;
const RESERVE: u64 = 4 * GIB;
const CLAIM: u64 = 9 * GIB;
const SHARDS: usize = 40;

/// Above the largest pid of any Linux, so that no real process has it.
const STRANGER: u32 = 5_000_000;

/// What may happen between any two calls into the driver.
#[derive(Debug, Clone)]
enum Step {
    /// The next call of the reading.
    Read,
    /// A running shard has so many GiB from now on.
    Hold(usize, u64),
    /// A running shard ends.
    End(usize),
    /// A stranger has so many GiB of a card from now on.
    Stranger(usize, u64),
    /// Time passes, in milliseconds.
    Pass(u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => Just(Step::Read),
        5 => (0..SHARDS, prop_oneof![Just(9_u64), Just(0), 0..10_u64]).prop_map(|(shard, gib)| Step::Hold(shard, gib)),
        2 => (0..SHARDS).prop_map(Step::End),
        1 => (0..CARDS, 0..12_u64).prop_map(|(card, gib)| Step::Stranger(card, gib)),
        1 => (0..200_u16).prop_map(Step::Pass),
    ]
}

/// A running shard.
struct Tenant {
    pid: u32,
    gpu: usize,
    held: u64,
}

/// A run on two cards, and the reading that is being made.
struct World {
    plan: Plan,
    scheduler: Scheduler,
    state: RunState,
    now: Timestamp,
    tenants: BTreeMap<AttemptKey, Tenant>,
    strangers: [u64; CARDS],
    reading: GpuReadings,
    began: Timestamp,
    /// What strangers held of each card when its list was read.
    listed: [u64; CARDS],
    /// The same of the last reading that is whole.
    known: [u64; CARDS],
    starts: usize,
}

impl World {
    fn new() -> Self {
        let numbers: Vec<String> = (0..SHARDS).map(|number| number.to_string()).collect();
        let source = format!(
            "[matrix]\nn = [{}]\n[shard]\ncommand = 'true'\n[resources]\ngpus = 1\nvram = '9 GiB'\n\
             [schedule]\nparallel = 16\nreserve_vram = '4 GiB'\n",
            numbers.join(", ")
        );
        let origin = PlanOrigin {
            file: PathBuf::from("/s/sweep.toml"),
            home: None,
            cores: 8,
            ..PlanOrigin::default()
        };
        let plan = plan::read_plan(&source, &origin).unwrap();
        let scheduler = Scheduler::new(SchedulingPolicy::from_plan(&plan, CARDS as u32));
        let now = Timestamp::from_second(1_000_000).unwrap();
        let mut world = Self {
            scheduler,
            state: RunState::default(),
            now,
            tenants: BTreeMap::new(),
            strangers: [0; CARDS],
            reading: GpuReadings::default(),
            began: now,
            listed: [0; CARDS],
            known: [0; CARDS],
            starts: 0,
            plan,
        };
        let shards = world.plan.shards.iter().map(|shard| shard.id.clone()).collect();
        let run = RunId("r".to_owned());
        world.record(Event::RunCreated { version: JOURNAL_VERSION, run, shards, parallel: 16 });
        // A supervisor looks before it decides anything.
        (0..2 * CARDS).for_each(|_| world.read());
        world
    }

    fn record(&mut self, event: Event) {
        self.state.apply_fact(&Fact::new(self.now, event)).unwrap();
    }

    /// The list of each card, and after it its memory.
    fn read(&mut self) {
        let calls = self.reading.samples.len();
        let card = calls;
        let gpu = GpuIndex(card as u32);
        let has_list = self.reading.health.len() > card;
        if !has_list {
            self.begin_list(card, gpu);
            return;
        }
        let held: u64 =
            self.tenants.values().filter(|tenant| tenant.gpu == card).map(|tenant| tenant.held).sum();
        let sample = GpuSample {
            vram_used_bytes: Some(Bytes(held + self.strangers[card])),
            vram_total_bytes: Some(Bytes(TOTAL)),
            outside_processes: Some(0),
            ..GpuSample::unknown(gpu, self.began)
        };
        self.reading.samples.push(sample);
        if self.reading.samples.len() == CARDS {
            let machine = self.machine();
            self.known = self.listed;
            self.decide(&[SchedulerInput::Machine(Box::new(machine))]);
        }
    }

    fn begin_list(&mut self, card: usize, gpu: GpuIndex) {
        if card == 0 {
            self.began = self.now;
        }
        self.reading.health.push(GpuHealth { gpu, faults: Vec::new() });
        let mine = self.tenants.values().filter(|tenant| tenant.gpu == card);
        let mine = mine.map(|tenant| (tenant.pid, tenant.held));
        let all = mine.chain([(STRANGER, self.strangers[card])]).filter(|(_, held)| *held > 0);
        self.listed[card] = self.strangers[card];
        self.reading.processes.extend(all.map(|(pid, held)| GpuProcess {
            gpu,
            pid,
            vram: Some(Bytes(held)),
        }));
    }

    /// What the supervisor makes of a reading that is whole.
    fn machine(&mut self) -> MachineState {
        let reading = std::mem::take(&mut self.reading);
        let attempts: Vec<_> =
            self.tenants.iter().map(|(key, tenant)| (key.clone(), vec![process(tenant.pid)])).collect();
        let mut monitor = shards::ShardMonitor::new();
        let rows = monitor.read_samples(&attempts, &reading.processes, self.now);
        let host = HostSample {
            timestamp: self.now,
            cpu_percent: None,
            cores: 64,
            ram_used_bytes: None,
            ram_total_bytes: None,
            load_1m: None,
            ..HostSample::unknown(Timestamp::UNIX_EPOCH)
        };
        combine_readings(&reading, &host, &rows, monitor.on_gpus()).with_strangers(&HashSet::new())
    }

    fn decide(&mut self, inputs: &[SchedulerInput]) {
        let decision = self.scheduler.decide(&self.state, inputs, self.now);
        decision.facts.into_iter().for_each(|fact| self.record(fact));
        for effect in decision.effects {
            if let Effect::Start { key, gpus } = effect {
                self.starts += 1;
                let pid = STRANGER + self.starts as u32;
                self.tenants.insert(key, Tenant { pid, gpu: gpus[0].0 as usize, held: 0 });
                let promised =
                    self.tenants.values().filter(|tenant| tenant.gpu == gpus[0].0 as usize).count();
                let held = promised as u64 * CLAIM + self.known[gpus[0].0 as usize];
                assert!(held <= TOTAL - RESERVE, "{promised} shards and {held} bytes on {gpus:?}");
            }
        }
    }

    fn happen(&mut self, step: &Step) {
        self.now += SignedDuration::from_micros(200);
        let nth = |world: &Self, number: usize| {
            world.tenants.keys().nth(number % world.tenants.len().max(1)).cloned()
        };
        match step {
            Step::Read => self.read(),
            Step::Hold(number, gib) => {
                if let Some(key) = nth(self, *number) {
                    self.tenants.get_mut(&key).unwrap().held = (gib * GIB).min(CLAIM);
                }
            }
            Step::End(number) => {
                let Some(key) = nth(self, *number) else { return };
                self.tenants.remove(&key);
                self.decide(&[SchedulerInput::Ended { key, outcome: Box::new(succeeded()) }]);
            }
            // What a stranger takes while a card is read may be missing from it, as if it came right after.
            Step::Stranger(card, gib) => self.strangers[*card] = gib * GIB,
            Step::Pass(time) => self.now += SignedDuration::from_millis((*time).into()),
        }
    }
}

/// A process of which only the number matters.
fn process(pid: u32) -> Stat {
    Stat { pid, ..stat::read_own().unwrap() }
}

fn succeeded() -> Outcome {
    Outcome::of_verdict(Verdict::Succeeded)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_while_cards_are_read_nothing_is_promised_twice(steps in vec(step(), 0..400)) {
        let mut world = World::new();
        prop_assert_eq!(world.starts, 4, "two fit on each card");
        steps.iter().for_each(|step| world.happen(step));
    }
}

#[test]
fn shards_that_take_their_memory_at_any_moment_all_have_their_turn() {
    let (mut starts, mut chance) = (0, 1_u64);
    while starts < 1000 {
        let mut world = World::new();
        for _ in 0..20_000 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = (chance >> 40) as usize;
            if world.state.all_final() {
                break;
            }
            world.happen(&match (chance >> 33) % 5 {
                0..3 => Step::Read,
                3 => Step::Hold(number, 9),
                _ => Step::End(number),
            });
        }
        assert!(world.state.all_final(), "only {} have started", world.starts);
        assert!(world.state.shards.iter().all(|shard| shard.attempt == Some(AttemptNumber::FIRST)));
        starts += world.starts;
    }
}
