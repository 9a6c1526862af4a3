//! What holds on every machine: promises fit, every shard has its turn once, and nothing depends on chance.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use sweepdeck::model::needs::resources::{ComponentNeed, GpuNeed, Placement, VramNeed};
use sweepdeck::model::sweep::plan::{Parallel, Plan};
use sweepdeck::model::units::Bytes;
use sweepdeck::model::value::{Value, Variables};
use sweepdeck::results::time_left::forecast::Forecast;
use sweepdeck::scheduler::effect::Decision;

use crate::simulation::{Behaviour, SimulatedCard, Simulation};
use crate::world::plan;

const GIB: u64 = 1 << 30;

const COMBOS: usize = 3;

/// A sweep with what its shards do.
#[derive(Debug, Clone)]
struct Sweep {
    plan: Plan,
    behaviours: Vec<Behaviour>,
    /// What is known of each combo's footprint, in GiB.
    learned: Vec<Option<u64>>,
}

fn vram() -> impl Strategy<Value = Option<VramNeed>> {
    prop_oneof![
        1 => Just(None),
        3 => (1..40_u64).prop_map(|gib| Some(VramNeed::Fixed(Bytes(gib * GIB)))),
        1 => (1..101_u32).prop_map(|percent| Some(VramNeed::Percent(f64::from(percent)))),
        3 => Just(Some(VramNeed::Auto)),
    ]
}

fn gpus(most: u32) -> impl Strategy<Value = Option<GpuNeed>> {
    let component = || (1..3_u32, vram(), any::<bool>());
    prop_oneof![
        1 => Just(None),
        3 => (0..=most).prop_map(|count| Some(GpuNeed::Count(count))),
        1 => (component(), component()).prop_map(move |(env, rollout)| {
            let need = |(gpus, vram, shared)| ComponentNeed { gpus, vram, shared };
            let components = [("env".to_owned(), need(env)), ("rollout".to_owned(), need(rollout))];
            let need = GpuNeed::Components(components.into());
            // A sweep that asks for more GPUs than there are is refused before it runs.
            Some(if need.gpu_count() <= most { need } else { GpuNeed::Count(most) })
        }),
    ]
}

/// A sweep for a machine with that many GPUs.
fn sweep(cards: usize) -> impl Strategy<Value = Sweep> {
    let resources = (
        gpus(cards as u32),
        vram(),
        prop::bool::weighted(0.2),
        proptest::option::of(1..100_u32),
        proptest::option::of(1..300_u64),
    );
    let schedule = (1..9_u32, any::<bool>(), 0..6_u64, 0..3_u64);
    // Seconds, combo, hundredths of the promise that are used.
    let shards = vec((1..100_u64, 0..COMBOS, 0..101_u64), 1..14);
    let footprints = vec((1..50_u64, any::<bool>()), COMBOS);
    (resources, schedule, shards, footprints).prop_map(|(resources, schedule, shards, footprints)| {
        let names: Vec<String> = (0..shards.len()).map(|number| format!("s{number}")).collect();
        let mut plan = plan(&names);
        let (gpus, vram, exclusive, cpus, ram) = resources;
        plan.resources.gpus = gpus;
        plan.resources.vram = vram;
        plan.resources.exclusive = exclusive;
        plan.resources.cpus = cpus;
        plan.resources.ram = ram.map(|gib| Bytes(gib * GIB));
        let (parallel, pack, reserve, stagger) = schedule;
        plan.schedule.parallel = Parallel::Fixed(parallel);
        plan.schedule.placement = if pack { Placement::Pack } else { Placement::Spread };
        plan.schedule.reserve_vram = Bytes(reserve * GIB);
        plan.schedule.stagger = Duration::from_secs(stagger);
        for (shard, (_, combo, _)) in plan.shards.iter_mut().zip(&shards) {
            shard.vars = Variables(vec![("combo".to_owned(), Value::Integer(*combo as i64))]);
        }
        let behaviours = shards
            .iter()
            .map(|(takes, combo, uses)| Behaviour {
                takes: Duration::from_secs(*takes),
                uses: *uses,
                footprint: footprints[*combo].0 * GIB,
            })
            .collect();
        let learned = footprints.into_iter().map(|(gib, is_known)| is_known.then_some(gib)).collect();
        Sweep { plan, behaviours, learned }
    })
}

fn machine() -> impl Strategy<Value = Vec<SimulatedCard>> {
    let card = (8..97_u64, 0..40_u64).prop_map(|(total, strangers)| SimulatedCard {
        total: total * GIB,
        strangers: strangers.min(total) * GIB,
    });
    vec(card, 1..9)
}

fn machine_and_sweep() -> impl Strategy<Value = (Vec<SimulatedCard>, Sweep)> {
    machine().prop_flat_map(|cards| {
        let sweep = sweep(cards.len());
        (Just(cards), sweep)
    })
}

/// Strangers come and go, and are gone in the end.
fn strangers(changes: Vec<u64>) -> impl FnMut(&mut [SimulatedCard], u32) {
    move |cards, round| {
        for (number, card) in cards.iter_mut().enumerate() {
            let left = changes.get(round as usize).map_or(0, |gib| (gib + number as u64) % 40 * GIB);
            card.strangers = left.min(card.total);
        }
    }
}

fn simulate(cards: &[SimulatedCard], sweep: &Sweep) -> Simulation {
    let mut simulation = Simulation::new(&sweep.plan, cards.to_vec(), sweep.behaviours.clone());
    let policy = &simulation.world.scheduler.policy;
    let combos: Vec<(usize, usize)> = policy.combos.iter().copied().enumerate().collect();
    let slots = policy.most_gpus();
    for (position, combo) in combos {
        let Value::Integer(named) = sweep.plan.shards[position].vars.0[0].1 else { continue };
        if let Some(gib) = sweep.learned[named as usize] {
            let volatile = &mut simulation.world.scheduler.volatile;
            volatile.has_looked_back = true;
            volatile.knowledge.footprints.learn_peaks(combo, &vec![Bytes(gib * GIB); slots]);
        }
    }
    simulation
}

/// All decisions of a run.
fn decisions(cards: &[SimulatedCard], sweep: &Sweep, changes: &[u64]) -> Vec<Decision> {
    let mut decisions = Vec::new();
    let mut simulation = simulate(cards, sweep);
    simulation.run(strangers(changes.to_vec()), |run| decisions.push(run.last.clone()));
    decisions
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_shrink_time: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn promises_fit_and_every_shard_has_its_turn_once(
        (cards, sweep) in machine_and_sweep(), changes in vec(0..80_u64, 0..30)
    ) {
        let mut simulation = simulate(&cards, &sweep);
        simulation.run(strangers(changes), |_| {});
        prop_assert!(simulation.ends.iter().all(|ends| *ends == 1), "{:?}", simulation.ends);
    }

    #[test]
    fn nothing_depends_on_chance(
        (cards, sweep) in machine_and_sweep(), changes in vec(0..80_u64, 0..30)
    ) {
        // Each run has hash maps with seeds of their own.
        prop_assert_eq!(decisions(&cards, &sweep, &changes), decisions(&cards, &sweep, &changes));
    }

    #[test]
    fn large_shards_are_not_passed_for_ever((cards, sweep) in machine_and_sweep()) {
        let cards: Vec<_> = cards.iter().map(|card| SimulatedCard { strangers: 0, ..*card }).collect();
        // The needs differ from combo to combo, and none of them changes.
        let mut sweep = sweep;
        sweep.plan.resources.vram = Some(VramNeed::Auto);
        sweep.plan.schedule.stagger = Duration::ZERO;
        sweep.learned.iter_mut().for_each(|learned| *learned = learned.or(Some(40)));
        // A promise is more than what was learned: whoever used all of it would need more from then on.
        sweep.behaviours.iter_mut().for_each(|behaviour| behaviour.uses = behaviour.uses.min(50));
        let mut simulation = simulate(&cards, &sweep);
        simulation.run(|_, _| {}, Simulation::check_nobody_is_passed_for_ever);
    }
}

#[test]
fn eight_evaluations_on_two_slots_end_close_to_the_lower_bound() {
    let seconds = [
        ("friction_flat", 9226.9),
        ("grass_flat", 11605.6),
        ("boulder_flat", 5565.8),
        ("stairs_flat", 2203.7),
        ("friction_rough", 8369.8),
        ("grass_rough", 10741.7),
        ("boulder_rough", 6029.2),
        ("stairs_rough", 10203.3),
    ]
    .map(|(name, seconds)| (name.to_owned(), Duration::from_secs_f64(seconds)));
    let names: Vec<String> = seconds.iter().map(|(name, _)| name.clone()).collect();
    let mut plan = plan(&names);
    plan.resources.gpus = Some(GpuNeed::Count(0));
    plan.schedule.parallel = Parallel::Fixed(2);
    let behaviours: Vec<Behaviour> =
        seconds.iter().map(|(_, takes)| Behaviour { takes: *takes, uses: 0, footprint: 0 }).collect();
    let makespan = |plan: &Plan| {
        Simulation::new(plan, Vec::new(), behaviours.clone()).run(|_, _| {}, |_| {}).as_secs_f64()
    };
    let unknown = makespan(&plan);
    // As listed. The lower bound, half of all the work, is 31,973 s.
    assert!(unknown <= 35_738.0, "{unknown}");
    for (shard, (_, takes)) in plan.shards.iter_mut().zip(&seconds) {
        shard.expected = Some(*takes);
    }
    let known = makespan(&plan);
    let forecast = Forecast::of_plan(&plan, 2);
    assert_eq!(forecast.makespan.unwrap().as_secs_f64(), known, "what `check` says comes true");
    assert_eq!(forecast.lower_bound.unwrap().as_secs(), 31_973);
    assert!(known <= 32_540.0, "{known}");
}
