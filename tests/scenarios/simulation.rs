//! A machine that plays along: shards take memory and time, others come and go, and every promise is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sweepdeck::model::claims::claim::Tenancy;
use sweepdeck::model::ids::{AttemptKey, GpuIndex, ShardId};
use sweepdeck::model::outcome::{ExitStatus, Outcome, Verdict};
use sweepdeck::model::state::fact::Event;
use sweepdeck::model::sweep::plan::Plan;
use sweepdeck::model::units::Bytes;
use sweepdeck::scheduler::effect::{Decision, Effect};
use sweepdeck::scheduler::input::SchedulerInput;
use sweepdeck::scheduler::learning::footprint::living_key;
use sweepdeck::scheduler::machine::{AttemptUse, GpuState, MachineState, Ram};

use crate::world::{World, outcome};

const CORES: u32 = 64;
const RAM: u64 = 256 << 30;

/// A footprint has settled so long after the first progress.
const SETTLED: Duration = Duration::from_secs(5);

/// A card and what others hold of it.
#[derive(Debug, Clone, Copy)]
pub struct SimulatedCard {
    pub total: u64,
    pub strangers: u64,
}

/// What a shard does when it runs.
#[derive(Debug, Clone)]
pub struct Behaviour {
    pub takes: Duration,
    /// How much it uses of the memory it was promised, in hundredths.
    pub uses: u64,
    /// What it uses of each GPU, in bytes, while nothing is promised because it is being measured.
    pub footprint: u64,
}

/// A run on a simulated machine.
pub struct Simulation {
    pub world: World,
    pub cards: Vec<SimulatedCard>,
    behaviours: Vec<Behaviour>,
    running: BTreeMap<AttemptKey, Running>,
    /// How often each shard was seen to its end.
    pub ends: Vec<u32>,
    reserve: u64,
    is_exclusive: bool,
    /// What was decided last.
    pub last: Decision,
    watched: Option<Watched>,
}

struct Running {
    position: usize,
    ends: Duration,
    /// When its footprint is known, where it is being measured and that lies ahead.
    settles: Option<Duration>,
    gpus: Vec<GpuIndex>,
    vram: Vec<u64>,
    claim: Vec<u64>,
    tenancy: Tenancy,
    cpus: u32,
    ram: u64,
    ram_claim: u64,
}

/// Room is kept for a shard; when those that were there before it have left, it must start.
struct Watched {
    shard: ShardId,
    before: BTreeSet<AttemptKey>,
}

impl Simulation {
    pub fn new(plan: &Plan, cards: Vec<SimulatedCard>, behaviours: Vec<Behaviour>) -> Self {
        Self {
            world: World::new(plan, cards.len() as u32),
            cards,
            behaviours,
            running: BTreeMap::new(),
            ends: vec![0; plan.shards.len()],
            reserve: plan.schedule.reserve_vram.0,
            is_exclusive: plan.resources.exclusive,
            last: Decision::default(),
            watched: None,
        }
    }

    /// Runs everything to its end; gives the time that took. `others` changes what strangers hold, `seen` sees every
    /// decision.
    pub fn run(
        &mut self,
        mut others: impl FnMut(&mut [SimulatedCard], u32),
        mut seen: impl FnMut(&mut Self),
    ) -> Duration {
        let most = 1000 + 8 * self.ends.len() as u32;
        for round in 1.. {
            assert!(round < most, "no end on {:?}: {:?}", self.cards, self.last.waiting);
            others(&mut self.cards, round);
            let mut inputs = self.due();
            inputs.push(SchedulerInput::Machine(Box::new(self.reading())));
            while !inputs.is_empty() {
                self.last = self.world.decide(&inputs);
                seen(self);
                inputs = self.start_what_was_decided();
            }
            if self.world.state.all_final() {
                break;
            }
            self.world.now = self.next_moment();
        }
        self.world.now
    }

    /// The next end or settling. A second later something else may have changed.
    fn next_moment(&self) -> Duration {
        let moments =
            self.running.values().flat_map(|running| running.settles.into_iter().chain([running.ends]));
        moments.min().unwrap_or(self.world.now + Duration::from_secs(1))
    }

    /// The ends that have come. What was measured and has settled counts as promised from now on.
    fn due(&mut self) -> Vec<SchedulerInput> {
        let now = self.world.now;
        for running in self.running.values_mut() {
            if running.settles.take_if(|at| *at <= now).is_some() {
                running.claim.clone_from(&running.vram);
            }
        }
        let due: Vec<AttemptKey> =
            self.running.iter().filter(|(_, one)| one.ends <= now).map(|(key, _)| key.clone()).collect();
        due.into_iter().map(|key| self.end(key)).collect()
    }

    fn end(&mut self, key: AttemptKey) -> SchedulerInput {
        let running = self.running.remove(&key).unwrap();
        self.ends[running.position] += 1;
        let elapsed = Some(self.behaviours[running.position].takes);
        let outcome = Outcome { elapsed, ..outcome(Verdict::Succeeded, Some(ExitStatus { raw: 0 })) };
        SchedulerInput::Ended { key, outcome: Box::new(outcome) }
    }

    /// Starts it, checks the promises, and gives what the supervisor hears of it.
    fn start_what_was_decided(&mut self) -> Vec<SchedulerInput> {
        let new: Vec<(AttemptKey, Running)> = starts(&self.last)
            .map(|(event, key, gpus)| (key.clone(), self.start(event, key, gpus)))
            .collect();
        let started: Vec<AttemptKey> = new.iter().map(|(key, _)| key.clone()).collect();
        for (key, running) in new {
            assert!(self.running.insert(key, running).is_none(), "something was started twice");
        }
        started.iter().for_each(|key| self.check(key));
        let at = self.world.timestamp();
        let heard = |key: &AttemptKey| {
            let (key, last_progress) = (key.clone(), Some(at));
            let progress = SchedulerInput::Activity {
                key: key.clone(),
                last_output: at,
                last_progress,
                may_compile: false,
            };
            [SchedulerInput::Started { key, pid: 1, started: at }, progress]
        };
        let mut inputs: Vec<SchedulerInput> = started.iter().flat_map(heard).collect();
        if started.iter().any(|key| self.running[key].settles.is_some()) {
            inputs.push(SchedulerInput::Machine(Box::new(self.reading())));
        }
        inputs
    }

    fn start(&self, event: &Event, key: &AttemptKey, gpus: &[GpuIndex]) -> Running {
        let Event::AttemptStarting { claim, .. } = event else { unreachable!("`starts` gives these only") };
        let position = self.world.state.position(&key.shard).unwrap();
        let behaviour = &self.behaviours[position];
        let claims: Vec<u64> = (0..gpus.len())
            .map(|slot| claim.vram.get(slot).copied().flatten().unwrap_or_default().0)
            .collect();
        let is_measured = claim.tenancy == Tenancy::Measuring;
        let uses = |claim: &u64| if is_measured { behaviour.footprint } else { claim / 100 * behaviour.uses };
        let ram = claim.ram.unwrap_or_default().0;
        let now = self.world.now;
        Running {
            position,
            ends: now + behaviour.takes,
            settles: is_measured.then_some(now + SETTLED),
            gpus: gpus.to_vec(),
            vram: claims.iter().map(uses).collect(),
            claim: claims,
            tenancy: claim.tenancy,
            cpus: claim.cpus.unwrap_or(0),
            ram: ram / 100 * behaviour.uses,
            ram_claim: ram,
        }
    }

    fn reading(&self) -> MachineState {
        let timestamp = self.world.timestamp();
        let card = |(number, card): (usize, &SimulatedCard)| GpuState {
            gpu: GpuIndex(number as u32),
            at: Some(timestamp),
            total: Some(Bytes(card.total)),
            used: Some(Bytes(
                (card.strangers + self.sum(number, |running, slot| running.vram[slot])).min(card.total),
            )),
            tells_processes: true,
            stranger: None,
            strangers: Some(Bytes(card.strangers)),
            listed_strangers: Bytes(0),
            fault: None,
            is_lost: false,
        };
        let attempt = |(key, running): (&AttemptKey, &Running)| {
            let vram = running.gpus.iter().zip(&running.vram).map(|(gpu, vram)| (*gpu, Some(Bytes(*vram))));
            (key.clone(), AttemptUse { vram: vram.collect(), rss: Some(Bytes(running.ram)) })
        };
        let used: u64 = self.running.values().map(|running| running.ram).sum();
        MachineState {
            at: timestamp,
            cards: self.cards.iter().enumerate().map(card).collect(),
            cores: Some(CORES),
            ram: Some(Ram { total: Bytes(RAM), free: Bytes(RAM.saturating_sub(used)) }),
            attempts: self.running.iter().map(attempt).collect(),
            visitors: Vec::new(),
        }
    }

    /// Over the attempts on a card.
    fn sum(&self, card: usize, amount: impl Fn(&Running, usize) -> u64) -> u64 {
        let on_card = |running: &Running| {
            let slot = running.gpus.iter().position(|gpu| gpu.0 as usize == card)?;
            Some(amount(running, slot))
        };
        self.running.values().filter_map(on_card).sum()
    }

    /// What was promised to one that has just started is there.
    fn check(&self, key: &AttemptKey) {
        let new = &self.running[key];
        assert!(self.world.state.active_count() <= self.world.state.parallel.max(1) as usize);
        let distinct: BTreeSet<&GpuIndex> = new.gpus.iter().collect();
        assert_eq!(distinct.len(), new.gpus.len(), "{key} got a GPU twice");
        for (gpu, claim) in new.gpus.iter().zip(&new.claim) {
            self.check_card(gpu.0 as usize, *claim > 0);
        }
        let cpus: u32 = self.running.values().map(|running| running.cpus).sum();
        assert!(new.cpus == 0 || cpus <= CORES, "{cpus} of {CORES} cores were promised");
        let ram: u64 = self.running.values().map(|running| running.ram_claim).sum();
        // One that wants more than there is may try it alone.
        let is_alone = self.running.len() == 1;
        assert!(new.ram_claim == 0 || is_alone || ram <= RAM, "{ram} bytes were promised");
    }

    fn check_card(&self, number: usize, is_promised: bool) {
        let card = self.cards[number];
        let promised = self.sum(number, |running, slot| running.claim[slot]);
        assert!(
            !is_promised || promised + card.strangers + self.reserve <= card.total,
            "GPU {number} of {card:?} was promised {promised}"
        );
        let is_tenant = |running: &&Running| running.gpus.iter().any(|gpu| gpu.0 as usize == number);
        let tenants: Vec<&Running> = self.running.values().filter(is_tenant).collect();
        // One whose footprint has settled lets others join.
        let is_closed = |running: &&&Running| match running.tenancy {
            Tenancy::Shared => false,
            Tenancy::Alone => true,
            Tenancy::Measuring => self.is_exclusive || running.settles.is_some(),
        };
        let closed = tenants.iter().filter(is_closed).count();
        assert!(closed == 0 || tenants.len() == 1, "GPU {number} has {} tenants", tenants.len());
    }

    /// The shard for which room is kept starts when those have left that ran when it first had to wait: nobody passes
    /// it again and again. To be called after every decision, on a machine whose strangers stay as they are.
    pub fn check_nobody_is_passed_for_ever(&mut self) {
        let state = &self.world.state;
        let active = || state.shards.iter().filter_map(living_key);
        let waits = |shard: &ShardId| state.shard(shard).is_some_and(|shard| shard.attempt.is_none());
        if let Some(Watched { shard, before }) = self.watched.as_ref().filter(|one| waits(&one.shard)) {
            let is_over = !active().any(|key| before.contains(&key));
            let has_slot = state.active_count() < state.parallel as usize;
            assert!(!is_over || !has_slot, "{shard} was passed: {:?}", self.last.waiting);
            return;
        }
        let kept = self.world.scheduler.volatile.kept.as_ref().filter(|kept| waits(&kept.shard));
        self.watched = kept.map(|kept| Watched { shard: kept.shard.clone(), before: active().collect() });
    }
}

/// Announcements with the deeds that follow them.
fn starts(decision: &Decision) -> impl Iterator<Item = (&Event, &AttemptKey, &[GpuIndex])> {
    let facts = decision.facts.iter().filter(|fact| matches!(fact, Event::AttemptStarting { .. }));
    let deeds = decision.effects.iter().filter_map(|effect| match effect {
        Effect::Start { key, gpus } => Some((key, gpus.as_slice())),
        Effect::Stop { .. }
        | Effect::Pause { .. }
        | Effect::Resume { .. }
        | Effect::Look
        | Effect::WakeAt(_)
        | Effect::Order { .. }
        | Effect::Finish { .. } => None,
    });
    facts.zip(deeds).map(|(fact, (key, gpus))| (fact, key, gpus))
}
