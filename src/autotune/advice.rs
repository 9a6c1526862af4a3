//! From what was measured to what to write into the sweep, each line with what it rests on.

use jiff::Timestamp;
use serde::Serialize;

use super::batch::BatchTrials;
use super::combos::{Combos, collect_combos};
use super::facts::Facts;
use super::machine::MachineResources;
use super::measured::{TrialResult, Vram, VramBy};
use super::room::{Footprint, Limit, LimitedBy, compute_limits};
use super::scaling::format_figure;
use super::setting::{AdvisedSetting, SettingValue};
use super::{mujoco, sizes};
use crate::config::matrix::slots::auto_slice_count;
use crate::model::sweep::plan::Plan;
use crate::model::sweep::tuning::{Advised, TUNING_VERSION, Tuning};
use crate::model::units::Bytes;
use crate::scheduler::admission::class::with_margin;

/// A number of shards that does almost as much as the best one is as good, and leaves room.
const ALMOST: f64 = 0.9;

/// A core that is busy for less than this is not asked for.
const IDLE_CORE: f64 = 0.15;

/// Recommended settings for a sweep, and what they rest on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// So many side by side.
    pub parallel: u32,
    /// Settings to write into the sweep.
    pub settings: Vec<AdvisedSetting>,
    /// Every limit that is known, the tightest first.
    pub limits: Vec<Limit>,
    /// Values that could not be determined, each with the reason.
    pub unknown: Vec<String>,
    /// Combo that was measured, and what follows from it for the others.
    pub combos: Option<Combos>,
}

impl Advice {
    /// Returns the facts that later runs of the sweep should know of the tuning.
    pub fn to_tuning(&self, facts: &Facts<'_>, host: String, now: Timestamp) -> Tuning {
        let sound: Vec<&TrialResult> = facts.trials.iter().filter(|trial| trial.end.is_sound()).collect();
        let shard = measure_footprint(facts, &sound);
        let compared = sound.iter().filter(|trial| trial.throughput().is_some()).count();
        Tuning {
            version: TUNING_VERSION,
            at: now,
            host,
            gpus: facts.machine.gpu_names(),
            sweep_dir: facts.plan.sweep_dir.clone(),
            template: facts.plan.template.clone(),
            vram: shard.vram,
            ram: shard.ram,
            cores: shard.cores,
            enough: (compared > 1).then_some(self.parallel),
            advised: self.advised(),
        }
    }

    /// The number of shards with its reason, as it is written into the sweep.
    fn advised(&self) -> Option<Advised> {
        let is_parallel = |setting: &&AdvisedSetting| setting.key() == "parallel";
        let because = self.settings.iter().find(is_parallel)?.because.clone();
        let variable = |setting: &AdvisedSetting| match (setting.tables(), &setting.value) {
            ([shard, env], SettingValue::Text(value)) if shard == "shard" && env == "env" => {
                Some((setting.key().to_owned(), value.clone()))
            }
            _ => None,
        };
        let env = self.settings.iter().filter_map(variable).collect();
        Some(Advised { count: self.parallel, because, env })
    }
}

/// The tables of a sweep that advice is about, in its order.
const TABLES: [&str; 5] = ["schedule", "resources", "shard.env", "episodes", "matrix"];

/// Advises; without a shard that ran even alone, there is no advice.
pub fn advise_settings(facts: &Facts<'_>) -> Option<Advice> {
    let sound: Vec<&TrialResult> = facts.trials.iter().filter(|trial| trial.end.is_sound()).collect();
    let alone = *sound.first()?;
    let mut unknown = Vec::new();
    let shard = measure_footprint(facts, &sound);
    let mut limits = compute_limits(facts.machine, &shard, facts.plan.schedule.reserve_vram);
    limits.extend(gpu_time(facts.machine, alone));
    limits.extend(limit_by_shards(facts.plan));
    limits.sort_by_key(|limit| limit.count);
    let (parallel, because) = side_by_side(&sound, &limits, facts.stopped);
    let mut settings =
        vec![AdvisedSetting::new(&["schedule", "parallel"], SettingValue::Number(parallel), because)];
    settings.extend(advise_cpus(facts, &sound, parallel, &mut unknown));
    settings.extend(advise_vram(&sound, &shard, facts, &mut unknown));
    settings.extend(advise_ram(&sound, &mut unknown));
    settings.extend(mujoco::advise_renderer(facts, &shard, parallel));
    settings.extend(advise_slices(facts.plan, parallel));
    settings.extend(facts.batches.and_then(BatchTrials::advised_setting));
    // A table may appear only once in what is pasted.
    settings.sort_by_key(|setting| TABLES.iter().position(|table| setting.tables().join(".") == *table));
    unknown.extend(facts.batches.and_then(BatchTrials::explain_unknown));
    if alone.throughput().is_none() {
        unknown.push("rate: the log tells no progress; name a preset or a pattern in [progress]".to_owned());
    }
    let combos = collect_combos(facts, parallel, &mut settings);
    Some(Advice { parallel, settings, limits, unknown, combos })
}

/// Returns what a shard takes, with margins: the most of all trials, which have to be sound.
fn measure_footprint(facts: &Facts<'_>, sound: &[&TrialResult]) -> Footprint {
    let resources = facts.shard_resources();
    let gpus = resources.gpu_slots(facts.machine.gpus.len()).len();
    let peak = largest_vram(sound).map(|vram| vram.bytes);
    let rss = sound.iter().filter_map(|trial| trial.rss).max();
    Footprint {
        gpus: if facts.machine.gpus.is_empty() { 0 } else { gpus },
        // The figure is that of all its GPUs together; how it is spread over several is not known.
        vram: peak.filter(|_| gpus == 1).map(|peak| sizes::round_up(with_margin(peak))),
        ram: rss.map(|rss| sizes::round_up(with_room(rss))),
        cores: sound.first().and_then(|alone| alone.cpu_percent).map(|percent| percent / 100.0),
        exclusive: resources.exclusive,
    }
}

/// Main memory grows more than VRAM does while a program runs: a fifth more than was measured.
fn with_room(rss: Bytes) -> Bytes {
    Bytes(rss.0.saturating_add(rss.0 / 5).saturating_add(64 << 20))
}

/// The most of all trials; what the driver lists is better than a rise.
fn largest_vram(sound: &[&TrialResult]) -> Option<Vram> {
    let listed = |vram: &Vram| vram.by == VramBy::Processes;
    sound.iter().filter_map(|trial| trial.vram).max_by_key(|vram| (listed(vram), vram.bytes))
}

/// A GPU that one shard keeps busy is not done sooner with two. A guess, because utilisation counts moments at which
/// anything ran, and left out where more side by side were tried.
fn gpu_time(machine: &MachineResources, alone: &TrialResult) -> Option<Limit> {
    let percent = alone.gpu_percent.filter(|percent| *percent >= 1.0)?;
    let gpus = u32::try_from(machine.gpus.len()).unwrap_or(u32::MAX);
    let count = ((100.0 / percent).floor().max(1.0) as u32).saturating_mul(gpus);
    let text = format!("one shard keeps its GPU busy for {percent:.0} % of the time (a guess: try --scale)");
    Some(Limit { count, by: LimitedBy::GpuTime, text })
}

/// More side by side than shards are no use; slices can be made as many as there are episodes.
fn limit_by_shards(plan: &Plan) -> Option<Limit> {
    if plan.shards.iter().any(|shard| shard.slice.is_some()) {
        return None;
    }
    let count = u32::try_from(plan.shards.len()).unwrap_or(u32::MAX).max(1);
    let shards = if count == 1 { "shard" } else { "shards" };
    Some(Limit { count, by: LimitedBy::Shards, text: format!("the sweep has {count} {shards}") })
}

/// The fewest that do almost as much as the best; without several trials, what the limits allow.
fn side_by_side(sound: &[&TrialResult], limits: &[Limit], stopped: Option<&str>) -> (u32, String) {
    // What was tried may have taken more than the first of them showed, and claims are kept to.
    let room = limits.iter().filter(|limit| limit.by.is_of_claims()).map(|limit| limit.count.max(1)).min();
    let fits = |trial: &&&TrialResult| room.is_none_or(|room| trial.count <= room);
    let speeds: Vec<(u32, f64)> =
        sound.iter().filter(fits).filter_map(|trial| Some((trial.count, trial.throughput()?))).collect();
    let best = speeds.iter().map(|(_, speed)| *speed).fold(0.0, f64::max);
    let enough = speeds.iter().find(|(_, speed)| *speed >= best * ALMOST);
    if let (Some((count, speed)), true) = (enough, speeds.len() > 1) {
        let unit = sound[0].throughput_unit();
        let why = stopped.map_or(String::new(), |why| format!("; {why}"));
        return (*count, format!("measured: {} {unit}/s{why}", format_figure(*speed)));
    }
    match limits.iter().find(|limit| stopped.is_none() || limit.by != LimitedBy::GpuTime) {
        Some(limit) => (limit.count.max(1), limit.text.clone()),
        None => (1, "nothing is known that speaks for more".to_owned()),
    }
}

/// `cpus`, which also sets `OMP_NUM_THREADS`.
fn advise_cpus(
    facts: &Facts<'_>,
    sound: &[&TrialResult],
    parallel: u32,
    unknown: &mut Vec<String>,
) -> Option<AdvisedSetting> {
    let of_count = sound.iter().find(|trial| trial.count == parallel).or(sound.first());
    let Some(percent) = of_count.and_then(|trial| trial.cpu_percent) else {
        unknown.push("cpus: too few readings of the processor".to_owned());
        return None;
    };
    let all = facts.machine.cores;
    if parallel > all {
        let because = format!("{parallel} side by side on {all} cores: more threads would only wait");
        let value = SettingValue::Text("1".to_owned());
        return Some(AdvisedSetting::new(&["shard", "env", "OMP_NUM_THREADS"], value, because));
    }
    let fair = (all / parallel).max(1);
    let busy = percent / 100.0;
    let cpus = ((busy - IDLE_CORE).ceil().max(1.0) as u32).min(fair);
    let because = format!("a shard kept {busy:.1} cores busy, of {all} for {parallel}; also OMP_NUM_THREADS");
    Some(AdvisedSetting::new(&["resources", "cpus"], SettingValue::Number(cpus), because))
}

fn advise_vram(
    sound: &[&TrialResult],
    shard: &Footprint,
    facts: &Facts<'_>,
    unknown: &mut Vec<String>,
) -> Option<AdvisedSetting> {
    if facts.machine.gpus.is_empty() || shard.gpus == 0 {
        return None;
    }
    let Some(measured) = largest_vram(sound) else {
        unknown.push("vram: the driver tells no memory of these processes".to_owned());
        return None;
    };
    let Some(claim) = shard.vram else {
        let (peak, gpus) = (measured.bytes, shard.gpus);
        unknown.push(format!("vram: {peak} on {gpus} GPUs together; how much on each is not known"));
        return None;
    };
    if measured.bytes == Bytes(0) {
        unknown.push("vram: a shard held none, so nothing is claimed".to_owned());
        return None;
    }
    let how = match measured.by {
        VramBy::Processes => "measured",
        VramBy::Rise => "by the rise on its GPU, as the driver lists no processes,",
    };
    let because = format!("{} {how} and a margin", measured.bytes);
    Some(AdvisedSetting::new(&["resources", "vram"], SettingValue::Text(sizes::format_size(claim)), because))
}

fn advise_ram(sound: &[&TrialResult], unknown: &mut Vec<String>) -> Option<AdvisedSetting> {
    let Some(rss) = sound.iter().filter_map(|trial| trial.rss).max() else {
        unknown.push("ram: its processes could not be read".to_owned());
        return None;
    };
    let value = SettingValue::Text(sizes::format_size(sizes::round_up(with_room(rss))));
    let because = format!("{rss} resident and a margin; shared pages count more than once");
    Some(AdvisedSetting::new(&["resources", "ram"], value, because))
}

/// Enough slices that none of those side by side idles for long.
fn advise_slices(plan: &Plan, parallel: u32) -> Option<AdvisedSetting> {
    let first = plan.shards.first()?.slice.as_ref()?;
    let combos = plan.shards.len() / (first.count as usize).max(1);
    let of_combo = plan.shards.iter().take(first.count as usize).filter_map(|shard| shard.slice.as_ref());
    let total: u64 = of_combo.map(|slice| slice.episodes).sum();
    let count = auto_slice_count(combos, parallel, total);
    let combos = if combos == 1 { "one combo".to_owned() } else { format!("{combos} combos") };
    let because = format!("{combos} of {total} episodes for {parallel} side by side");
    Some(AdvisedSetting::new(&["episodes", "shards"], SettingValue::Number(count), because))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::autotune::machine::{Gpu, MemoryRoom};
    use crate::autotune::measured::TrialEnd;
    use crate::autotune::setting::render_settings;
    use crate::autotune::sweep_edit::apply_settings;
    use crate::config::plan::{PlanOrigin, read_plan};
    use crate::model::ids::GpuIndex;

    fn plan(source: &str) -> Plan {
        let origin =
            PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
        read_plan(source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn machine(gpus: &[u64], cores: u32) -> MachineResources {
        let memory = |free: u64| MemoryRoom { total: Bytes(96 << 30), free: Bytes(free) };
        let gpu = |(index, free): (usize, &u64)| Gpu {
            index: GpuIndex(index as u32),
            name: "card".to_owned(),
            memory: Some(memory(*free)),
        };
        MachineResources {
            cores,
            ram: Some(memory(64 << 30)),
            gpus: gpus.iter().enumerate().map(gpu).collect(),
            no_gpu: gpus.is_empty().then(|| "no driver".to_owned()),
        }
    }

    fn trial(count: u32, rate: f64, vram: Option<u64>) -> TrialResult {
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
            rss: Some(Bytes(1 << 30)),
            cpu_percent: Some(150.0),
            gpu_percent: None,
            host_cpu_percent: None,
            end: TrialEnd::Settled,
        }
    }

    fn facts<'a>(plan: &'a Plan, machine: &'a MachineResources, trials: &'a [TrialResult]) -> Facts<'a> {
        Facts { plan, shard: 0, machine, trials, batches: None, stopped: None, mujoco_gl: None }
    }

    fn value(advice: &Advice, key: &str) -> Option<String> {
        advice.settings.iter().find(|setting| setting.key() == key).map(|setting| setting.value.to_toml())
    }

    const SWEEP: &str = "[matrix]\nn = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]\n[shard]\n\
                         command = 'lerobot-eval {{ n }} {{ out }}'\n[schedule]\nreserve_vram = '1 GiB'";

    proptest! {
        #[test]
        fn advice_never_asks_for_more_than_is_free(
            free in proptest::collection::vec(0_u64..96 << 30, 0..5),
            cores in 1_u32..256,
            peak in 1_u64..40 << 30,
            busy in 0.0_f64..3200.0,
        ) {
            let (plan, machine) = (plan(SWEEP), machine(&free, cores));
            let trials = [TrialResult { cpu_percent: Some(busy), ..trial(1, 1.0, Some(peak)) }];
            let advice = advise_settings(&facts(&plan, &machine, &trials)).unwrap();
            prop_assert!(advice.parallel >= 1);
            // One alone is what was tried; more must fit next to one another.
            if advice.parallel > 1 && !free.is_empty() {
                let claim: Bytes = value(&advice, "vram").unwrap().trim_matches('"').parse().unwrap();
                let fit: u64 = free.iter().map(|free| free.saturating_sub(1 << 30) / claim.0).sum();
                prop_assert!(u64::from(advice.parallel) <= fit);
            }
            if let Some(cpus) = value(&advice, "cpus") {
                prop_assert!(cpus.parse::<u32>().unwrap() * advice.parallel <= cores);
            }
            prop_assert_eq!(value(&advice, "vram").is_some(), !free.is_empty());
            prop_assert!(toml::from_str::<toml::Table>(&render_settings(&advice.settings)).is_ok());
            let edited = apply_settings(SWEEP, &advice.settings).unwrap();
            let origin = PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores, ..PlanOrigin::default() };
            prop_assert!(read_plan(&edited, &origin).is_ok(), "{edited}");
        }
    }

    #[test]
    fn the_fewest_that_do_almost_as_much_are_advised() {
        let (plan, machine) = (plan(SWEEP), machine(&[40 << 30], 32));
        let trials =
            [trial(1, 1.0, Some(2 << 30)), trial(2, 1.9, None), trial(4, 3.5, None), trial(8, 3.6, None)];
        let facts = Facts { stopped: Some("it stopped"), ..facts(&plan, &machine, &trials) };
        let advice = advise_settings(&facts).unwrap();
        assert_eq!(advice.parallel, 4);
        assert_eq!(advice.settings[0].because, "measured: 3.50 done/s; it stopped");
        assert_eq!(value(&advice, "MUJOCO_GL").as_deref(), Some("\"egl\""));
    }

    #[test]
    fn without_a_gpu_there_is_no_line_about_vram_and_rendering_is_on_the_cpu() {
        let (plan, machine) = (plan(SWEEP), machine(&[], 8));
        let trials = [trial(1, 1.0, None)];
        let advice = advise_settings(&facts(&plan, &machine, &trials)).unwrap();
        assert_eq!((advice.parallel, value(&advice, "vram")), (5, None));
        assert_eq!(value(&advice, "MUJOCO_GL").as_deref(), Some("\"osmesa\""));
        assert_eq!(advice.unknown, [] as [&str; 0]);
        let failed = TrialEnd::Failed { shard: plan.shards[0].id.clone(), message: "exit-code".to_owned() };
        assert_eq!(
            advise_settings(&facts(&plan, &machine, &[TrialResult { end: failed, ..trials[0].clone() }])),
            None
        );
    }

    #[test]
    fn slices_fill_the_slots_and_what_is_not_told_is_named() {
        let plan = plan("[episodes]\ntotal = 100\nshards = 2\n[shard]\ncommand = 'x {{ out }}'");
        let machine = machine(&[40 << 30, 40 << 30], 8);
        let trials = [TrialResult { done_per_s: None, cpu_percent: None, ..trial(1, 1.0, None) }];
        let advice = advise_settings(&facts(&plan, &machine, &trials)).unwrap();
        let slices: u32 = value(&advice, "shards").unwrap().parse().unwrap();
        assert!(slices <= advice.parallel && slices * 10 >= advice.parallel * 9, "{slices}");
        assert_eq!(advice.unknown.len(), 3, "{:?}", advice.unknown);
    }
}
