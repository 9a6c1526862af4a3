//! `parallel = "auto"`: how many side by side, from what is known without a trial and from an earlier tuning.

use super::machine::{MachineResources, MemoryRoom};
use super::room::{Footprint, Limit, LimitedBy, compute_limits};
use crate::model::ids::RunId;
use crate::model::needs::resources::VramSlot;
use crate::model::sweep::plan::{Parallel, Plan};
use crate::model::sweep::tuning::{Advised, Tuning};
use crate::model::units::Bytes;
use crate::scheduler::admission::class::with_margin;

/// How many side by side, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideBySide {
    /// Number of shards side by side.
    pub count: u32,
    /// Reason for the number, in one line.
    pub because: String,
}

/// Chooses. `tuning` is what was measured of this sweep on this machine.
pub fn side_by_side(plan: &Plan, machine: &MachineResources, tuning: Option<&Tuning>) -> SideBySide {
    let mut limits = limit_by_memory(plan, machine, tuning);
    limits.extend(limit_by_cores(plan, machine, tuning));
    limits.extend(tuning.and_then(limit_by_tuning));
    if plan.shards.iter().all(|shard| shard.slice.is_none()) {
        let count = u32::try_from(plan.shards.len()).unwrap_or(u32::MAX).max(1);
        let shards = if count == 1 { "shard" } else { "shards" };
        limits.push(Limit { count, by: LimitedBy::Shards, text: format!("the sweep has {count} {shards}") });
    }
    let tightest = limits.iter().min_by_key(|limit| limit.count);
    let (count, because) =
        tightest.map_or((1, String::new()), |limit| (limit.count.max(1), limit.text.clone()));
    SideBySide { count, because }
}

/// The limit with the word that it was measured, and when.
fn note_tuning_date(limit: Limit, tuning: &Tuning) -> Limit {
    let text = format!("{} (autotune of {})", limit.text, tuning.at.strftime("%Y-%m-%d"));
    Limit { text, ..limit }
}

/// The number for this sweep: as the sweep sets it, or chosen, with the reason.
pub fn resolve_parallel(plan: &Plan, chosen: impl FnOnce() -> SideBySide) -> (u32, Option<String>) {
    match plan.schedule.parallel {
        Parallel::Fixed(count) => (count.max(1), None),
        Parallel::Auto => {
            let SideBySide { count, because } = chosen();
            (count, Some(because))
        }
    }
}

/// Memory that shards claim is watched over while the run lasts, so that what others hold now is no limit for the whole
/// run; memory that only a tuning knows of is not, and what is free now decides.
fn limit_by_memory(plan: &Plan, machine: &MachineResources, tuning: Option<&Tuning>) -> Vec<Limit> {
    let reserve = plan.schedule.reserve_vram;
    // Where combos differ, admission weighs each; the limit leaves room for many small ones.
    let needs = plan.least_needs();
    let claimed = Footprint {
        gpus: needs.gpu_slots(machine.gpus.len()).len(),
        vram: declared_vram(plan, machine),
        ram: needs.ram,
        cores: None,
        exclusive: needs.exclusive,
    };
    let mut found = compute_limits(&machine.without_other_use(), &claimed, reserve);
    for (limit, now) in found.iter_mut().zip(compute_limits(machine, &claimed, reserve)) {
        if now.count < limit.count {
            limit.text.push_str(&format!(", once nobody else is there; now {}", now.count));
        } else {
            *limit = now;
        }
    }
    let unclaimed = Footprint { vram: None, ram: None, exclusive: false, ..claimed };
    let is_free = needs.vram.is_none() && !plan.template.needs.contains_key("vram");
    if let Some(tuning) = tuning {
        let vram = tuning.vram.filter(|_| is_free);
        let ram = tuning.ram.filter(|_| needs.ram.is_none());
        let measured = compute_limits(machine, &Footprint { vram, ram, ..unclaimed }, reserve);
        found.extend(measured.into_iter().map(|limit| note_tuning_date(limit, tuning)));
    } else if let Some((vram, run)) = learned_vram(plan).filter(|_| is_free) {
        let learned = compute_limits(machine, &Footprint { vram: Some(vram), ..unclaimed }, reserve);
        let text = |limit: &Limit| format!("{} (learned from {run})", limit.text);
        found.extend(learned.into_iter().map(|limit| Limit { text: text(&limit), ..limit }));
    }
    found
}

/// The most that earlier runs saw on a GPU of any shard, with a margin, and one such run.
fn learned_vram(plan: &Plan) -> Option<(Bytes, &RunId)> {
    let learned = plan.shards.iter().filter_map(|shard| shard.learned.vram.as_ref());
    let peaks = learned.filter_map(|vram| Some((*vram.peaks.iter().max()?, &vram.run)));
    let (peak, run) = peaks.max_by_key(|(peak, _)| *peak)?;
    (peak > Bytes(0)).then(|| (with_margin(peak), run))
}

/// The most on any one GPU of a shard: as the sweep sets it, or where it leaves that to measuring, as was
/// learned.
fn declared_vram(plan: &Plan, machine: &MachineResources) -> Option<Bytes> {
    let largest = machine.gpus.iter().filter_map(|gpu| Some(gpu.memory?.total)).max();
    let needs = plan.least_needs();
    let slots = needs.gpu_slots(machine.gpus.len());
    let on = |slot: Option<VramSlot>| slot?.bytes_on_card(largest);
    let declared = slots.into_iter().filter_map(on).max();
    let learned = learned_vram(plan).map(|(vram, _)| vram).filter(|_| needs.measures_vram());
    declared.max(learned).filter(|vram| *vram > Bytes(0))
}

/// `None` if the advice knows the cores and the sweep sets none.
fn limit_by_cores(plan: &Plan, machine: &MachineResources, tuning: Option<&Tuning>) -> Option<Limit> {
    let declared = plan.least_needs().cpus.map(f64::from);
    if declared.is_none() && tuning.is_some_and(|tuning| tuning.advised.is_some()) {
        return None;
    }
    let cores = declared.or(tuning.and_then(|tuning| tuning.cores));
    let known = Footprint { cores, ..Footprint::default() };
    let assumed = || Limit {
        count: machine.cores.max(2),
        by: LimitedBy::Cores,
        text: match tuning {
            // It was measured, and is next to nothing.
            Some(_) => format!("the machine has {} cores", machine.cores),
            None => format!("the machine has {} cores, and a shard says of none", machine.cores),
        },
    };
    let found = compute_limits(
        &MachineResources { ram: None, gpus: Vec::new(), ..machine.clone() },
        &known,
        Bytes(0),
    );
    Some(match (found.into_iter().next(), tuning) {
        (Some(limit), Some(tuning)) if declared.is_none() => note_tuning_date(limit, tuning),
        (Some(limit), _) => limit,
        (None, _) => assumed(),
    })
}

fn limit_by_tuning(tuning: &Tuning) -> Option<Limit> {
    if let Some(Advised { count, because, env: _ }) = &tuning.advised {
        return Some(note_tuning_date(
            Limit { count: *count, by: LimitedBy::Advice, text: because.clone() },
            tuning,
        ));
    }
    let count = tuning.enough?;
    let text = format!("{count} side by side did almost as much as any number that was tried");
    Some(note_tuning_date(Limit { count, by: LimitedBy::GpuTime, text }, tuning))
}

impl MachineResources {
    /// Returns the same machine as if no other process used it.
    fn without_other_use(&self) -> Self {
        let all = |memory: MemoryRoom| MemoryRoom { free: memory.total, ..memory };
        let mut emptied = self.clone();
        emptied.ram = emptied.ram.map(all);
        for gpu in &mut emptied.gpus {
            gpu.memory = gpu.memory.map(all);
        }
        emptied
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::autotune::machine::Gpu;
    use crate::config::plan::{PlanOrigin, read_plan};
    use crate::model::history::VramHistory;
    use crate::model::ids::GpuIndex;
    use crate::model::sweep::tuning::TUNING_VERSION;

    fn plan(resources: &str) -> Plan {
        let numbers: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let source = format!(
            "[matrix]\nn = [{}]\n[shard]\ncommand = 'x {{{{ n }}}}'\n[resources]\n{resources}\n[schedule]\nparallel = 'auto'",
            numbers.join(", ")
        );
        let origin =
            PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
        read_plan(&source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn machine(free_gib: u64, cores: u32) -> MachineResources {
        let memory = |free: u64| MemoryRoom { total: Bytes(48 << 30), free: Bytes(free << 30) };
        let gpu = Gpu { index: GpuIndex(0), name: "card".to_owned(), memory: Some(memory(free_gib)) };
        MachineResources { cores, ram: Some(memory(32)), gpus: vec![gpu], no_gpu: None }
    }

    fn tuning(vram_gib: u64, enough: Option<u32>) -> Tuning {
        Tuning {
            version: TUNING_VERSION,
            at: Timestamp::UNIX_EPOCH,
            host: "here".to_owned(),
            gpus: Vec::new(),
            sweep_dir: "/".into(),
            template: plan("").template,
            vram: Some(Bytes(vram_gib << 30)),
            ram: Some(Bytes(1 << 30)),
            cores: Some(0.5),
            enough,
            advised: None,
        }
    }

    fn chosen(resources: &str, machine: &MachineResources, tuning: Option<&Tuning>) -> (u32, String) {
        let SideBySide { count, because } = side_by_side(&plan(resources), machine, tuning);
        (count, because)
    }

    #[test]
    fn claims_are_held_against_the_whole_card_because_admission_watches_over_them() {
        let (count, because) = chosen("vram = '6 GiB'\ncpus = 1", &machine(9, 64), None);
        assert_eq!(count, 8);
        assert_eq!(
            because,
            "8 x 6.0 GiB fit into what is free: 48.0 GiB on GPU 0, once nobody else is there; now 1"
        );
    }

    #[test]
    fn cores_decide_where_nothing_else_does() {
        let why = "the machine has 8 cores, and a shard says of none";
        assert_eq!(chosen("", &machine(9, 8), None), (8, why.to_owned()));
        assert_eq!(chosen("cpus = 3", &machine(9, 8), None).0, 2);
        assert_eq!(chosen("", &machine(9, 64), None), (40, "the sweep has 40 shards".to_owned()));
    }

    #[test]
    fn what_was_measured_counts_where_the_sweep_says_nothing() {
        let (count, because) = chosen("", &machine(9, 64), Some(&tuning(2, None)));
        assert_eq!(count, 4);
        assert!(because.ends_with("9.0 GiB on GPU 0 (autotune of 1970-01-01)"), "{because}");
        assert_eq!(chosen("vram = '1 GiB'", &machine(9, 64), Some(&tuning(20, None))).0, 32);
        assert_eq!(chosen("", &machine(48, 64), Some(&tuning(2, Some(3)))).0, 3);
    }

    #[test]
    fn what_earlier_runs_learned_counts_where_it_was_not_tuned() {
        let learned = |resources: &str| {
            let mut plan = plan(resources);
            let vram = VramHistory { peaks: vec![Bytes(4 << 30)], run: RunId("night-1".to_owned()) };
            plan.shards[7].learned.vram = Some(vram);
            plan
        };
        let free = side_by_side(&learned(""), &machine(9, 64), None);
        assert_eq!(free.count, 1);
        assert!(free.because.ends_with("9.0 GiB on GPU 0 (learned from night-1)"), "{}", free.because);
        let watched = side_by_side(&learned("vram = 'auto'"), &machine(9, 64), None);
        assert_eq!(watched.count, 10, "admission watches over it: {}", watched.because);
        assert_eq!(side_by_side(&learned(""), &machine(9, 64), Some(&tuning(1, None))).count, 9);
    }

    proptest! {
        #[test]
        fn there_is_always_room_for_one_and_never_more_than_shards(
            free in 0_u64..49,
            cores in 1_u32..300,
            claim in 1_u64..60,
            vram in 1_u64..60,
            enough in proptest::option::of(1_u32..100),
        ) {
            let (machine, tuning) = (machine(free, cores), tuning(vram, enough));
            for resources in [String::new(), format!("vram = '{claim} GiB'"), "cpus = 7\nram = '5 GiB'".to_owned()] {
                let (count, because) = chosen(&resources, &machine, Some(&tuning));
                prop_assert!((1..=40).contains(&count), "{count}: {because}");
                prop_assert!(count <= enough.unwrap_or(40));
            }
        }
    }
}
