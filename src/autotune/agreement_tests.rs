//! What is advised is what `parallel = "auto"` comes to on the same machine.

use jiff::Timestamp;
use proptest::prelude::*;

use super::advice::{Advice, advise_settings};
use super::auto::{SideBySide, side_by_side};
use super::facts::Facts;
use super::machine::{Gpu, MachineResources, MemoryRoom};
use super::measured::{TrialEnd, TrialResult, Vram, VramBy};
use super::sweep_edit::apply_settings;
use crate::config::plan::{PlanOrigin, read_plan};
use crate::model::ids::GpuIndex;
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;

const SWEEP: &str = "[matrix]\nn = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]\n[shard]\n\
                     command = 'eval {{ n }}'\n[schedule]\nparallel = \"auto\"";

fn plan(source: &str) -> Plan {
    let origin =
        PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
    read_plan(source, &origin).unwrap_or_else(|problems| panic!("{problems}: {source}"))
}

fn machine(free: &[u64], free_ram: u64, cores: u32) -> MachineResources {
    let memory = |free: u64| MemoryRoom { total: Bytes(96 << 30), free: Bytes(free) };
    let gpu = |(index, free): (usize, &u64)| Gpu {
        index: GpuIndex(index as u32),
        name: "card".to_owned(),
        memory: Some(memory(*free)),
    };
    let gpus = free.iter().enumerate().map(gpu).collect();
    MachineResources {
        cores,
        ram: Some(memory(free_ram)),
        gpus,
        no_gpu: free.is_empty().then(|| "no driver".to_owned()),
    }
}

/// A trial of so many side by side that did so much.
fn trial(count: u32, rate: f64, vram: Option<u64>, busy: f64, gpu_percent: Option<f64>) -> TrialResult {
    TrialResult {
        count,
        shards: Vec::new(),
        done_per_s: Some(rate),
        counted: None,
        steps_per_s: None,
        rates: Vec::new(),
        is_steady: true,
        startup_s: Some(2.0),
        vram: vram.map(|bytes| Vram { bytes: Bytes(bytes), by: VramBy::Processes }),
        rss: Some(Bytes(u64::from(count) << 29)),
        cpu_percent: Some(busy),
        gpu_percent,
        host_cpu_percent: None,
        end: TrialEnd::Settled,
    }
}

fn advice_and_auto(
    machine: &MachineResources,
    trials: &[TrialResult],
    stopped: Option<&str>,
) -> [(u32, String); 3] {
    let first = plan(SWEEP);
    let facts = Facts { plan: &first, shard: 0, machine, trials, batches: None, stopped, mujoco_gl: None };
    let advice: Advice = advise_settings(&facts).unwrap();
    let tuning = advice.to_tuning(&facts, "here".to_owned(), Timestamp::UNIX_EPOCH);
    let kept = serde_json::from_str(&serde_json::to_string(&tuning).unwrap()).unwrap();
    let auto = |plan: &Plan| {
        let SideBySide { count, because } = side_by_side(plan, machine, Some(&kept));
        (count, because)
    };
    let others: Vec<_> =
        advice.settings.iter().filter(|setting| setting.key() != "parallel").cloned().collect();
    let advised = plan(&apply_settings(SWEEP, &others).unwrap());
    [(advice.parallel, format!("{:?}", advice.settings)), auto(&first), auto(&advised)]
}

fn agree(machine: &MachineResources, trials: &[TrialResult], stopped: Option<&str>) -> u32 {
    let [advised, auto, pasted] = advice_and_auto(machine, trials, stopped);
    assert_eq!((auto.0, pasted.0), (advised.0, advised.0), "{advised:?} {auto:?} {pasted:?}");
    assert!(auto.1.contains("(autotune of 1970-01-01)") || auto.1.contains("12 shards"), "{auto:?}");
    auto.0
}

#[test]
fn each_limit_that_advice_knows_holds_for_auto_too() {
    let gpus = |gib: u64| machine(&[gib << 30], 64 << 30, 4);
    let vram = Some(2 << 30);
    assert_eq!(agree(&gpus(9), &[trial(1, 1.0, vram, 10.0, None)], None), 3, "memory");
    assert_eq!(
        agree(&gpus(90), &[trial(1, 1.0, vram, 10.0, None)], None),
        12,
        "not the number of cores: they idle"
    );
    assert_eq!(agree(&gpus(90), &[trial(1, 1.0, vram, 10.0, Some(30.0))], None), 3, "time of the GPU");
    assert_eq!(agree(&gpus(90), &[trial(1, 1.0, vram, 150.0, None)], None), 2, "cores");
    let rates = [(1, 1.0), (2, 1.9), (4, 3.5), (8, 3.6)];
    let trials: Vec<_> = rates.iter().map(|(count, rate)| trial(*count, *rate, vram, 150.0, None)).collect();
    assert_eq!(agree(&gpus(90), &trials, Some("it stopped")), 4, "measured, though 2 keep all cores busy");
}

proptest! {
    #[test]
    fn advice_and_auto_agree(
        free in proptest::collection::vec(0_u64..96 << 30, 0..4),
        free_ram in 0_u64..96 << 30,
        cores in 1_u32..130,
        vram in proptest::option::of(1_u64..40 << 30),
        busy in 0.0_f64..1600.0,
        gpu_percent in proptest::option::of(0.0_f64..100.0),
        rates in proptest::collection::vec(0.1_f64..10.0, 1..5),
    ) {
        let machine = machine(&free, free_ram, cores);
        let trials: Vec<TrialResult> = rates
            .iter()
            .zip(0..)
            .map(|(rate, place)| trial(1 << place, *rate, vram.filter(|_| !free.is_empty()), busy, gpu_percent))
            .collect();
        agree(&machine, &trials, (trials.len() > 1).then_some("it stopped"));
    }
}
