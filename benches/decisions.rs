//! How long the scheduler thinks: sweeps of 10,000 shards on a simulated machine of four GPUs, taken to their end.

#![allow(clippy::print_stdout, reason = "a measurement is printed")]
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

#[path = "../tests/scenarios/simulation.rs"]
#[allow(dead_code, reason = "a part of it is for tests")]
mod simulation;
#[path = "../tests/scenarios/world.rs"]
#[allow(dead_code, reason = "a part of it is for tests")]
mod world;

use std::time::{Duration, Instant};

use sweepdeck::model::needs::resources::VramNeed;
use sweepdeck::model::sweep::plan::Parallel;
use sweepdeck::model::units::Bytes;
use sweepdeck::model::value::{Value, Variables};

use crate::simulation::{Behaviour, SimulatedCard, Simulation};

const SHARDS: usize = 10_000;
const GIB: u64 = 1 << 30;

fn main() {
    measure("as many as 64 slots take", 64, None, false);
    measure("2 GiB each", 200, Some(VramNeed::Fixed(Bytes(2 * GIB))), false);
    measure("a footprint of its own for every combo", 200, Some(VramNeed::Auto), true);
}

/// Every run of a sweep decides the same: the least of these runs is what a decision takes, the rest is the machine.
const RUNS: usize = 3;

fn measure(what: &str, slots: u32, vram: Option<VramNeed>, is_learned: bool) {
    let begun = Instant::now();
    let mut least = Vec::new();
    for _ in 0..RUNS {
        let mut took = Vec::new();
        sweep(slots, vram, is_learned).run(|_, _| {}, |run| took.push(run.world.thought));
        least.resize(took.len(), Duration::MAX);
        for (least, took) in least.iter_mut().zip(took) {
            *least = took.min(*least);
        }
    }
    let all = begun.elapsed().div_f64(RUNS as f64);
    least.sort_unstable();
    println!(
        "10,000 shards, {what}: {} decisions simulated in {:.1} s; a decision takes {:.0?} of processor time, {:.0?} \
         at 99 %, {:.0?} worst, each the least of {RUNS} runs (budget 1 ms)",
        least.len(),
        all.as_secs_f64(),
        least[least.len() / 2],
        least[least.len() * 99 / 100],
        least[least.len() - 1],
    );
}

fn sweep(slots: u32, vram: Option<VramNeed>, is_learned: bool) -> Simulation {
    let names: Vec<String> = (0..SHARDS).map(|number| format!("shard_{number}")).collect();
    let mut plan = world::plan(&names);
    plan.schedule.parallel = Parallel::Fixed(slots);
    plan.resources.vram = vram;
    for (number, shard) in plan.shards.iter_mut().enumerate() {
        shard.vars = Variables(vec![("n".to_owned(), Value::Integer(number as i64))]);
    }
    let takes = |number: usize| Duration::from_secs(60 + number as u64 * 7919 % 3000);
    let behaviour = |number| Behaviour { takes: takes(number), uses: 100, footprint: 0 };
    let cards = vec![SimulatedCard { total: 80 * GIB, strangers: 0 }; 4];
    let mut simulation = Simulation::new(&plan, cards, (0..SHARDS).map(behaviour).collect());
    if is_learned {
        let volatile = &mut simulation.world.scheduler.volatile;
        volatile.has_looked_back = true;
        for combo in 0..SHARDS {
            let peak = Bytes((1 + combo as u64 * 31 % 97) * GIB / 10);
            volatile.knowledge.footprints.learn_peaks(combo, &[peak]);
        }
    }
    simulation
}
