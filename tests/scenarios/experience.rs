//! What a run teaches the next one, and what makes its work another.

use std::time::Duration;

use sweepdeck::model::history::ComboHistory;
use sweepdeck::model::ids::{GpuIndex, RunId};
use sweepdeck::model::machine::sample::{GpuCard, GpuInventory};
use sweepdeck::model::outcome::{Outcome, Peaks, Verdict};
use sweepdeck::model::sweep::command_template::CommandTemplate;
use sweepdeck::model::sweep::plan::{Plan, Slice, SliceUnit};
use sweepdeck::model::units::Bytes;
use sweepdeck::model::value::{Value, Variables};
use sweepdeck::scheduler::history::{Works, apply_history, of_run};
use sweepdeck::scheduler::input::SchedulerInput;
use sweepdeck::scheduler::policy::SchedulingPolicy;

use crate::world::{World, failed, key, outcome, plan};

/// Two slices of a combo, one of another.
fn sweep() -> Plan {
    let mut plan = plan(&["a0", "a1", "b"].map(str::to_owned));
    for (shard, combo) in plan.shards.iter_mut().zip(["a", "a", "b"]) {
        shard.vars = Variables(vec![("combo".to_owned(), Value::String(combo.to_owned()))]);
        shard.slice = Some(Slice {
            index: 0,
            count: 2,
            episodes: 25,
            first: 0,
            seed: 0,
            ids: Vec::new(),
            unit: SliceUnit::default(),
        });
    }
    plan.template.secret = vec!["TOKEN".to_owned()];
    plan
}

fn gpus(name: &str) -> GpuInventory {
    let card = GpuCard { name: name.to_owned(), ..GpuCard::unknown(GpuIndex(0)) };
    GpuInventory::Present { driver: "570".to_owned(), cards: vec![card] }
}

/// What a run of it teaches in which a0 takes 10 s and 3 GiB, a1 20 s and 5 GiB, and b fails.
fn experience() -> Vec<ComboHistory> {
    let plan = sweep();
    let mut world = World::new(&plan, 1);
    world.state.parallel = 3;
    world.decide(&[SchedulerInput::Wake]);
    for (name, seconds, gib) in [("a0", 13, 3), ("a1", 20, 5), ("b", 9, 9)] {
        let verdict = match name {
            "b" => failed(sweepdeck::model::outcome::FailureReason::ExitCode),
            _ => Verdict::Succeeded,
        };
        let outcome = Outcome {
            elapsed: Some(Duration::from_secs(seconds)),
            paused: Duration::from_secs(if name == "a0" { 3 } else { 0 }),
            loading: None,
            closing: None,
            unit: None,
            peaks: Peaks { vram: Some(Bytes(gib << 30)), ..Peaks::default() },
            ..outcome(verdict, None)
        };
        world.decide(&[SchedulerInput::Ended { key: key(name, 1), outcome: Box::new(outcome) }]);
    }
    let works = Works::from_plan(&plan, &gpus("NVIDIA H100"), "host");
    let known = (
        &SchedulingPolicy::from_plan(&plan, 1),
        world.scheduler.footprints(),
        world.scheduler.pack_families(),
    );
    of_run(&plan, &works, &world.state, known, (&RunId("first".to_owned()), world.timestamp()))
}

/// What a plan is taught on a machine: seconds and GiB of each shard.
fn taught(mut plan: Plan, inventory: &GpuInventory) -> Vec<(Option<u64>, Option<u64>)> {
    let works = Works::from_plan(&plan, inventory, "host");
    apply_history(&mut plan.shards, &works, &experience());
    let learned = plan.shards.iter().map(|shard| &shard.learned);
    learned
        .map(|learned| {
            let time = learned.time.as_ref().map(|time| time.took.as_secs());
            (time, learned.vram.as_ref().map(|vram| vram.peaks[0].0 >> 30))
        })
        .collect()
}

#[test]
fn slices_of_a_combo_teach_together_and_failures_teach_no_duration() {
    // The mean of 10 and 20 seconds without the pause, and the higher peak.
    let a = (Some(15), Some(5));
    assert_eq!(taught(sweep(), &gpus("NVIDIA H100")), [a, a, (None, None)]);
}

#[test]
fn what_makes_the_work_another_makes_it_unknown() {
    let nothing = vec![(None, None); 3];
    let changed = |change: fn(&mut Plan)| {
        let mut plan = sweep();
        change(&mut plan);
        taught(plan, &gpus("NVIDIA H100"))
    };
    let command = |plan: &mut Plan| plan.template.command = CommandTemplate::Shell("false".to_owned());
    assert_eq!(changed(command), nothing);
    assert_eq!(changed(|plan| plan.template.setup.push("true".to_owned())), nothing);
    assert_eq!(changed(|plan| plan.progress.total = Some(7)), nothing);
    let set = |plan: &mut Plan, name: &str| plan.template.env.insert(name.to_owned(), "1".to_owned());
    let mut plan = sweep();
    set(&mut plan, "SEED");
    assert_eq!(taught(plan, &gpus("NVIDIA H100")), nothing);
    let mut plan = sweep();
    set(&mut plan, "TOKEN");
    assert_ne!(taught(plan, &gpus("NVIDIA H100")), nothing, "a secret is no part of the work");
    assert_eq!(taught(sweep(), &gpus("NVIDIA A100")), nothing);
}

#[test]
fn other_episodes_take_another_time_and_the_same_memory() {
    let mut plan = sweep();
    plan.shards.iter_mut().for_each(|shard| shard.slice.as_mut().unwrap().episodes = 50);
    assert_eq!(taught(plan, &gpus("NVIDIA H100")), [(None, Some(5)), (None, Some(5)), (None, None)]);
}

#[test]
fn a_sweep_without_gpus_learns_for_the_machine() {
    let mut plan = sweep();
    plan.resources.gpus = Some(sweepdeck::model::needs::resources::GpuNeed::Count(0));
    let works = Works::from_plan(&plan, &gpus("NVIDIA H100"), "host");
    let world = World::new(&plan, 1);
    let known = (
        &SchedulingPolicy::from_plan(&plan, 1),
        world.scheduler.footprints(),
        world.scheduler.pack_families(),
    );
    let run = RunId("r".to_owned());
    assert_eq!(of_run(&plan, &works, &world.state, known, (&run, world.timestamp())), []);
    apply_history(&mut plan.shards, &works, &experience());
    assert!(plan.shards.iter().all(|shard| shard.learned.is_empty()));
}
