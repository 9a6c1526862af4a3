//! What holds whatever happens, in whatever order.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use sweepdeck::model::command::{Command, Selection};
use sweepdeck::model::ids::{AttemptKey, AttemptNumber, ShardId};
use sweepdeck::model::outcome::{FailureReason, Verdict};
use sweepdeck::model::priority::Priority;
use sweepdeck::model::state::fact::Event;
use sweepdeck::model::state::phase::PhaseKind;
use sweepdeck::model::state::run_state::RunState;
use sweepdeck::model::sweep::edit::{Edit, EnvironmentEdit};
use sweepdeck::model::sweep::plan::{OnOom, Pack, PackSizing, Parallel, Plan};
use sweepdeck::model::units::Bytes;
use sweepdeck::model::value::Value;
use sweepdeck::scheduler::effect::{Decision, Effect};
use sweepdeck::scheduler::input::{LoadKind, SchedulerInput};
use sweepdeck::scheduler::run_end;

use crate::world::{USER, World, failed, moment, outcome, plan};

/// Something that happens to shard `usize` (modulo their number), or to the run.
#[derive(Debug, Clone)]
enum Happening {
    Time(u64),
    Started(usize),
    Ended(usize, Verdict),
    Active(usize, bool),
    Loaded(usize, bool),
    Late(usize, u32),
    Asked(Command),
    Crash,
    ResultsWritten,
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Succeeded),
        Just(Verdict::Cancelled),
        proptest::sample::select(FailureReason::ALL.to_vec()).prop_map(failed),
    ]
}

fn selection() -> impl Strategy<Value = Selection> {
    prop_oneof![
        Just(Selection::All),
        Just(Selection::Failed),
        vec(0..6_usize, 1..3).prop_map(|picked| Selection::These(picked.into_iter().map(name).collect())),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        selection().prop_map(|shards| Command::Pause { shards }),
        selection().prop_map(|shards| Command::Resume { shards }),
        selection().prop_map(|shards| Command::Kill { shards }),
        selection().prop_map(|shards| Command::Requeue { shards }),
        (0..6_usize).prop_map(|picked| {
            let edit = EnvironmentEdit { name: "E".into(), old: None, new: "1".into() };
            let edit = Edit { environment: vec![edit], ..Edit::default() };
            Command::RequeueEdited { shard: name(picked), edit }
        }),
        selection().prop_map(|shards| Command::Undo { shards }),
        (selection(), -2..3_i32)
            .prop_map(|(shards, number)| Command::SetPriority { shards, priority: Priority(number) }),
        (0..3_u64).prop_map(|gib| Command::SetReserve { vram: Bytes(gib << 30) }),
        any::<bool>().prop_map(|now| Command::Stop { now }),
        Just(Command::Continue),
        (0..4_u32).prop_map(|parallel| Command::SetParallel { parallel }),
        Just(Command::Ping),
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        3 => (0..20_u64).prop_map(Happening::Time),
        6 => (0..6_usize).prop_map(Happening::Started),
        5 => (0..6_usize, verdict()).prop_map(|(shard, verdict)| Happening::Ended(shard, verdict)),
        2 => (0..6_usize, any::<bool>()).prop_map(|(shard, progress)| Happening::Active(shard, progress)),
        2 => (0..6_usize, any::<bool>()).prop_map(|(shard, busy)| Happening::Loaded(shard, busy)),
        2 => (0..6_usize, 0..9_u32).prop_map(|(shard, attempt)| Happening::Late(shard, attempt)),
        4 => command().prop_map(Happening::Asked),
        1 => Just(Happening::Crash),
        2 => Just(Happening::ResultsWritten),
    ]
}

fn sweep() -> impl Strategy<Value = Plan> {
    let times = (0..3_u64, 0..3_u64, proptest::option::of(1..30_u64));
    (1..6_usize, 0..4_u32, 0..3_u32, any::<bool>(), times).prop_map(
        |(shards, parallel, retries, warmup, (stagger, cooldown, timeout))| {
            let mut plan = plan(&(0..shards).map(|index| name(index).to_string()).collect::<Vec<_>>());
            plan.schedule.parallel = Parallel::Fixed(parallel);
            plan.schedule.retries = retries;
            for (index, shard) in plan.shards.iter_mut().enumerate().filter(|(index, _)| index % 2 == 0) {
                let values = (0..i64::from(retries) + 3).map(Value::Integer);
                let sizing = if index % 4 == 0 { PackSizing::Auto } else { PackSizing::Given };
                shard.pack = Some(Pack { sizing, ..Pack::of_axis(index as u32, "value", values) });
            }
            plan.schedule.on_oom = if warmup { OnOom::Fail } else { OnOom::BackOff };
            plan.schedule.warmup = warmup;
            plan.schedule.stagger = Duration::from_secs(stagger);
            plan.schedule.cooldown = Duration::from_secs(cooldown);
            plan.schedule.timeout = timeout.map(Duration::from_secs);
            plan
        },
    )
}

/// The sixth name belongs to no run: commands must cope with it.
fn name(index: usize) -> ShardId {
    ShardId::new(["a", "b", "c", "d", "e", "ghost"][index]).unwrap()
}

/// What the happening is to the scheduler now; none where there is nothing it could be about.
fn input(world: &World, happening: &Happening) -> Option<SchedulerInput> {
    let present = |index: usize| {
        let shard = &world.state.shards[index % world.state.shards.len()];
        let attempt = shard.phase.attempt().filter(|_| shard.phase.kind().is_active())?;
        Some(AttemptKey { shard: shard.id.clone(), attempt })
    };
    let now = world.timestamp();
    Some(match happening {
        Happening::Time(_) => SchedulerInput::Wake,
        Happening::Started(index) => SchedulerInput::Started { key: present(*index)?, pid: 1, started: now },
        Happening::Ended(index, verdict) => {
            SchedulerInput::Ended { key: present(*index)?, outcome: Box::new(outcome(verdict.clone(), None)) }
        }
        Happening::Active(index, progress) => {
            let last_progress = progress.then_some(now);
            SchedulerInput::Activity {
                key: present(*index)?,
                last_output: now,
                last_progress,
                may_compile: !progress,
            }
        }
        Happening::Loaded(index, busy) => {
            let load = if *busy { LoadKind::ProcessorOnly } else { LoadKind::Other };
            SchedulerInput::Load { key: present(*index)?, load }
        }
        Happening::Late(index, attempt) => {
            let key = AttemptKey { shard: name(*index), attempt: AttemptNumber(*attempt) };
            let is_present =
                world.state.shard(&key.shard).is_some_and(|shard| shard.attempt == Some(key.attempt));
            if is_present {
                return None;
            }
            match attempt % 3 {
                0 => SchedulerInput::Started { key, pid: 9, started: moment(Duration::ZERO) },
                1 => SchedulerInput::Load { key, load: LoadKind::ProcessorOnly },
                _ => SchedulerInput::Ended { key, outcome: Box::new(outcome(Verdict::Succeeded, None)) },
            }
        }
        Happening::Asked(command) => SchedulerInput::Command { command: command.clone(), by: USER },
        Happening::Crash | Happening::ResultsWritten => return None,
    })
}

/// Lets it happen; the decision, where there was one.
fn happen(world: &mut World, happening: &Happening) -> Option<Decision> {
    match happening {
        Happening::Time(seconds) => world.now += Duration::from_secs(*seconds),
        Happening::Crash => recover(world),
        Happening::ResultsWritten => {
            if let Some(finished) = run_end::pending_end(&world.scheduler.policy, &world.state) {
                world.record(Event::RunEnded { finished });
            }
        }
        Happening::Started(_)
        | Happening::Ended(..)
        | Happening::Active(..)
        | Happening::Loaded(..)
        | Happening::Late(..)
        | Happening::Asked(_) => {}
    }
    Some(world.decide(&[input(world, happening)?]))
}

/// The supervisor dies; the next one reads the logs again before it decides.
fn recover(world: &mut World) {
    let volatile = &world.scheduler.volatile;
    let (progress_seen, footprints) = (volatile.progress_seen, volatile.knowledge.footprints.clone());
    world.crash();
    world.scheduler.volatile.progress_seen = progress_seen;
    world.scheduler.volatile.knowledge.footprints = footprints;
}

/// All that a crash may change: the end is asked for once more, and what is only shown waits until it is measured
/// again.
fn lasting(mut decision: Decision) -> Decision {
    decision.effects.retain(|effect| !matches!(effect, Effect::Finish { .. } | Effect::WakeAt(_)));
    decision.facts.retain(|fact| !matches!(fact, Event::ConditionChanged { .. }));
    decision
}

/// Takes the run to its end: everything that starts succeeds.
fn see_through(world: &mut World) {
    world.decide(&[SchedulerInput::Command { command: Command::Continue, by: USER }]);
    world
        .decide(&[SchedulerInput::Command { command: Command::Resume { shards: Selection::All }, by: USER }]);
    for _ in 0..100 {
        world.now += Duration::from_secs(3);
        world.decide(&[SchedulerInput::Wake]);
        for index in 0..world.state.shards.len() {
            if let Some(ended) = input(world, &Happening::Ended(index, Verdict::Succeeded)) {
                world.decide(&[ended]);
            }
        }
    }
}

proptest! {
    #[test]
    fn starts_keep_to_the_limit_and_attempt_numbers_rise(
        plan in sweep(), happenings in vec(happening(), 0..80)
    ) {
        let mut world = World::new(&plan, 2);
        let mut newest: BTreeMap<ShardId, AttemptNumber> = BTreeMap::new();
        for happening in &happenings {
            let before = world.state.clone();
            let Some(decision) = happen(&mut world, happening) else { continue };
            let mut starts = 0;
            for effect in &decision.effects {
                let Effect::Start { key, gpus } = effect else { continue };
                starts += 1;
                prop_assert_eq!(gpus.len(), 1);
                prop_assert!(newest.insert(key.shard.clone(), key.attempt).is_none_or(|old| old < key.attempt));
                let ended_now = decision.facts.iter().any(|fact| {
                    matches!(fact, Event::AttemptEnded { shard, .. } if *shard == key.shard)
                });
                prop_assert!(!before.shard(&key.shard).unwrap().phase.kind().is_active() || ended_now);
                prop_assert_eq!(world.state.shard(&key.shard).unwrap().phase.kind(), PhaseKind::Starting);
            }
            prop_assert!(starts == 0 || world.state.active_count() <= world.state.parallel.max(1) as usize);
        }
    }

    #[test]
    fn the_state_is_the_fold_of_the_journal(plan in sweep(), happenings in vec(happening(), 0..80)) {
        let mut world = World::new(&plan, 0);
        for happening in &happenings {
            happen(&mut world, happening);
        }
        prop_assert_eq!(&RunState::fold_facts(&world.journal).unwrap(), &world.state);
        for kind in PhaseKind::ALL {
            let counted = world.state.shards.iter().filter(|shard| shard.phase.kind() == kind).count();
            prop_assert_eq!(world.state.count(kind), counted);
        }
        let held = world.state.clone();
        world.crash();
        prop_assert_eq!(held, world.state);
    }

    #[test]
    fn a_crash_changes_no_later_decision(plan in sweep(), happenings in vec(happening(), 1..60)) {
        let mut world = World::new(&plan, 2);
        for happening in &happenings {
            let mut recovered = world.clone();
            recover(&mut recovered);
            let after_crash = happen(&mut recovered, happening).map(lasting);
            prop_assert_eq!(happen(&mut world, happening).map(lasting), after_crash);
        }
    }

    #[test]
    fn a_late_event_decides_nothing(plan in sweep(), happenings in vec(happening(), 1..60)) {
        let mut world = World::new(&plan, 2);
        for happening in &happenings {
            if let Happening::Late(..) = happening {
                let mut waking = world.clone();
                let plain = waking.decide(&[SchedulerInput::Wake]);
                if let Some(decision) = happen(&mut world, happening) {
                    prop_assert_eq!(decision, plain);
                }
            } else {
                happen(&mut world, happening);
            }
        }
    }

    #[test]
    fn every_run_ends_when_its_attempts_do(plan in sweep(), happenings in vec(happening(), 0..60)) {
        let mut world = World::new(&plan, 2);
        for happening in &happenings {
            happen(&mut world, happening);
        }
        see_through(&mut world);
        prop_assert!(world.state.all_final());
        happen(&mut world, &Happening::ResultsWritten);
        prop_assert!(run_end::pending_end(&world.scheduler.policy, &world.state).is_none());
    }

    #[test]
    fn every_value_of_a_pack_stays_in_one_shard(plan in sweep(), happenings in vec(happening(), 0..80)) {
        let values = |plan: &Plan| {
            let packs = plan.shards.iter().filter_map(|shard| shard.pack.as_ref());
            let mut values: Vec<String> =
                packs.flat_map(|pack| &pack.values).map(ToString::to_string).collect();
            values.sort();
            values
        };
        let before = values(&plan);
        let mut world = World::new(&plan, 2);
        for happening in &happenings {
            happen(&mut world, happening);
            let planned = world.plan.shards.iter().map(|shard| &shard.id);
            let state = world.state.shards.iter().map(|shard| &shard.id);
            prop_assert!(planned.eq(state), "plan and state name the same shards in the same order");
        }
        prop_assert_eq!(before, values(&world.plan));
        let mut numbers: Vec<u32> =
            world.plan.shards.iter().filter_map(|shard| Some(shard.pack.as_ref()?.index)).collect();
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        prop_assert_eq!(count, numbers.len());
    }
}
