//! What a run teaches the next run of the same sweep, and what it is taught by earlier ones.
//!
//! Work is the same when its values, its program, its folder, its environment and its GPUs are, on the same models of
//! GPUs; its duration holds for the same number of episodes only. What else may have changed, such as the files behind
//! the command, cannot be known: the newest run counts.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use crate::model::failure_trait::FailureTrait;
use crate::model::history::{
    ComboHistory, DurationHistory, FailureHistory, PackHistory, PackSizes, ShardHistory, VramHistory,
};
use crate::model::ids::{RunId, ShardId};
use crate::model::machine::sample::GpuInventory;
use crate::model::outcome::Verdict;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::{PackSizing, Plan, ShardSpec};
use crate::model::sweep::split::{PackSplit, SplitCause};
use crate::model::units::Bytes;
use crate::scheduler::endings::ladder::Ladder;
use crate::scheduler::endings::pack_split::half_name;
use crate::scheduler::learning::footprint::Footprints;
use crate::scheduler::learning::pack_families::PackFamilies;
use crate::scheduler::policy::SchedulingPolicy;

/// Fingerprints that distinguish the same work from other work.
pub struct Works {
    common: String,
    /// Decides how much memory a pack gets, and nothing of its work.
    room: String,
    machine: String,
}

impl Works {
    /// For the shards of a plan on a machine.
    pub fn from_plan(plan: &Plan, inventory: &GpuInventory, host: &str) -> Self {
        let template = &plan.template;
        let env: BTreeMap<_, _> =
            template.env.iter().filter(|(name, _)| !template.secret.contains(name)).collect();
        let cards = inventory.cards().len();
        let gpus = plan.resources.gpu_slots(cards).len();
        let common = json!([template.cwd, template.setup, template.command, env, plan.progress.total, gpus]);
        let mut models: Vec<&str> = Vec::new();
        for card in inventory.cards().iter().filter(|_| !plan.needs_no_gpu()) {
            if !models.contains(&card.name.as_str()) {
                models.push(&card.name);
            }
        }
        let machine = if models.is_empty() { host.to_owned() } else { models.join(" + ") };
        let schedule = &plan.schedule;
        // What its templates come to may differ from one pack of a family to the next.
        let room = match template.needs.is_empty() {
            true => json!([plan.resources, schedule.parallel, schedule.reserve_vram]),
            false => json!([plan.resources, schedule.parallel, schedule.reserve_vram, template.needs]),
        };
        Self { common: common.to_string(), room: room.to_string(), machine }
    }

    /// The work of packs that differ in their values alone; `None` if the shard is no pack.
    fn family_key(&self, spec: &ShardSpec) -> Option<String> {
        Some(fingerprint(&[&self.common, &self.room, &spec.pack_family()?]))
    }

    /// GPUs of its own are part of the work; other needs are room for it.
    fn work_key(&self, spec: &ShardSpec) -> String {
        let gpus =
            spec.needs.gpus.as_ref().map_or_else(String::new, |need| format!(" on {}", need.gpu_count()));
        fingerprint(&[&self.common, &spec.cwd.to_string_lossy(), &(spec.combo_key() + &gpus)])
    }
}

/// Returns 16 hex digits of the FNV-1a hash: the same in every build, and texts such as commands are written to no
/// other file.
fn fingerprint(parts: &[&str]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        // 0xff occurs in no text, so that it marks where a part ends.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

fn slice_episodes(spec: &ShardSpec) -> Option<u64> {
    spec.slice.as_ref().map(|slice| slice.episodes)
}

/// Notes with each shard what earlier runs taught of its work.
pub fn apply_history(shards: &mut [ShardSpec], works: &Works, known: &[ComboHistory]) {
    let mut of_machine: Vec<&ComboHistory> =
        known.iter().filter(|one| one.machine == works.machine).collect();
    of_machine.sort_by_key(|one| one.at);
    let mut times: HashMap<(&str, Option<u64>), DurationHistory> = HashMap::new();
    let mut footprints: HashMap<&str, VramHistory> = HashMap::new();
    let mut failures: HashMap<(&str, Option<u64>), FailureHistory> = HashMap::new();
    let mut packs: HashMap<&str, PackHistory> = HashMap::new();
    for one in of_machine {
        let (run, kind) = (one.run.clone(), (one.work.as_str(), one.episodes));
        if !one.pack.is_empty() {
            packs.insert(&one.work, PackHistory { sizes: one.pack, run });
            continue;
        }
        match one.failed_after {
            Some(after) => failures.insert(kind, FailureHistory { after, run: run.clone() }),
            None => failures.remove(&kind),
        };
        if let Some(took) = one.took {
            let (loading, closing) = (one.loading, one.closing);
            times.insert(kind, DurationHistory { took, loading, closing, run: run.clone() });
        }
        if !one.vram.is_empty() {
            footprints.insert(&one.work, VramHistory { peaks: one.vram.clone(), run });
        }
    }
    for spec in shards {
        let work = works.work_key(spec);
        let kind = (work.as_str(), slice_episodes(spec));
        spec.learned = ShardHistory {
            time: times.get(&kind).cloned(),
            vram: footprints.get(work.as_str()).cloned(),
            failure: failures.get(&kind).cloned(),
            pack: works.family_key(spec).and_then(|family| packs.get(family.as_str()).cloned()),
        };
    }
}

/// Lists what the attempts of a run teach: those that succeeded, and of work of which none did, those that failed.
pub fn of_run(
    plan: &Plan,
    works: &Works,
    state: &RunState,
    (policy, footprints, families): (&SchedulingPolicy, &Footprints, &PackFamilies),
    (run, at): (&RunId, Timestamp),
) -> Vec<ComboHistory> {
    // What is not measured for admission is in the journal, where the sweep uses one GPU.
    let journal = (!policy.measures).then(|| Footprints::of_journal(state, &policy.combos));
    let footprints = journal.as_ref().unwrap_or(footprints);
    let mut kinds: BTreeMap<(usize, Option<u64>), WorkKind<'_>> = BTreeMap::new();
    for ((spec, shard), combo) in plan.shards.iter().zip(&state.shards).zip(&policy.combos) {
        // With other values than the sweep gives it was other work.
        let Some(ended) = shard.phase.ended().filter(|ended| ended.edit.is_empty()) else { continue };
        let before = shard.worked_before(ended.attempt);
        let took = ended.outcome.worked_time().map(|worked| worked + before);
        let has_succeeded = ended.outcome.verdict == Verdict::Succeeded;
        if !has_succeeded
            && !ended.outcome.failure_reason().is_some_and(|reason| reason.has(FailureTrait::OfTheWork))
        {
            continue;
        }
        let kind = kinds.entry((*combo, slice_episodes(spec))).or_insert_with(|| WorkKind::for_spec(spec));
        kind.has_succeeded |= has_succeeded;
        if has_succeeded {
            kind.took.extend(took);
            kind.loading.push(ended.outcome.loading);
            kind.closing.push(ended.outcome.closing);
        } else {
            kind.failed_after = kind.failed_after.max(Some(took.unwrap_or_default()));
        }
    }
    let sizes = family_sizes(plan, policy, families).into_iter().filter_map(|(spec, pack)| {
        Some(ComboHistory {
            work: works.family_key(spec)?,
            machine: works.machine.clone(),
            combo: spec.pack_family()?,
            episodes: None,
            took: None,
            loading: None,
            closing: None,
            vram: Vec::new(),
            failed_after: None,
            pack,
            run: run.clone(),
            at,
        })
    });
    let experience = |((combo, episodes), kind): ((usize, Option<u64>), WorkKind<'_>)| ComboHistory {
        work: works.work_key(kind.spec),
        machine: works.machine.clone(),
        combo: kind.spec.combo_key(),
        episodes,
        took: mean_duration(&kind.took),
        loading: mean_of_all(&kind.loading),
        closing: mean_of_all(&kind.closing),
        vram: if kind.has_succeeded { nonzero_peaks(footprints.measured_peaks(combo)) } else { Vec::new() },
        failed_after: kind.failed_after.filter(|_| !kind.has_succeeded),
        pack: PackSizes::default(),
        run: run.clone(),
        at,
    };
    kinds.into_iter().map(experience).chain(sizes).collect()
}

/// Returns what is known of the sizes of each family, with one of its packs: what this run has seen, and what it was
/// taught as far as this run has not disproved it.
fn family_sizes<'p>(
    plan: &'p Plan,
    policy: &SchedulingPolicy,
    families: &PackFamilies,
) -> Vec<(&'p ShardSpec, PackSizes)> {
    let mut all: BTreeMap<usize, (&ShardSpec, PackSizes)> = BTreeMap::new();
    for (spec, pack) in plan.shards.iter().zip(&policy.packs) {
        let Some(pack) = pack else { continue };
        let (_, sizes) = all.entry(pack.family).or_insert_with(|| (spec, families.own_sizes(pack.family)));
        if let Some(too_large) = spec.learned.pack.as_ref().and_then(|learned| learned.sizes.too_large)
            && sizes.fits.is_none_or(|fits| fits < too_large)
        {
            sizes.fail_at(too_large);
        }
    }
    all.into_values().filter(|(_, sizes)| !sizes.is_empty()).collect()
}

/// Splits packs of sizes at which earlier runs ran out of memory, as the run itself would before it starts them. What
/// is known of the parts is to be taught afterwards.
pub fn split_too_large(plan: &mut Plan) {
    let is_too_large = |spec: &ShardSpec| {
        let (values, learned) = (spec.pack.as_ref()?.values.len(), spec.learned.pack.as_ref()?);
        let is_given = spec.pack.as_ref()?.sizing == PackSizing::Given;
        (is_given && values > 1 && learned.sizes.too_large? <= values).then_some(values)
    };
    if !Ladder::from_plan(plan).splits_packs() {
        return;
    }
    let indexes = plan.shards.iter().filter_map(|spec| spec.pack.as_ref()).map(|pack| pack.index + 1);
    let mut index = indexes.max().unwrap_or(0);
    let mut position = 0;
    // A half is looked at again, and its other half when its turn comes.
    while position < plan.shards.len() {
        let spec = &plan.shards[position];
        let split = is_too_large(spec).zip(spec.pack.as_ref()).and_then(|(values, pack)| {
            let other = ShardId::new(half_name(spec.id.as_str(), pack.index, index)).ok()?;
            let is_new = plan.shards.iter().all(|shard| shard.id != other);
            is_new.then(|| PackSplit {
                shard: spec.id.clone(),
                keeps: values.div_ceil(2),
                other,
                index,
                cause: SplitCause::KnownSize,
                needs: None,
            })
        });
        let Some(split) = split else {
            position += 1;
            continue;
        };
        plan.apply_splits(&[split]);
        index += 1;
    }
}

/// Shards that do the same work.
struct WorkKind<'p> {
    /// Shard that represents this kind of work.
    spec: &'p ShardSpec,
    has_succeeded: bool,
    took: Vec<Duration>,
    loading: Vec<Option<Duration>>,
    closing: Vec<Option<Duration>>,
    failed_after: Option<Duration>,
}

impl<'p> WorkKind<'p> {
    fn for_spec(spec: &'p ShardSpec) -> Self {
        let (took, loading, closing) = (Vec::new(), Vec::new(), Vec::new());
        Self { spec, has_succeeded: false, took, loading, closing, failed_after: None }
    }
}

fn mean_duration(lengths: &[Duration]) -> Option<Duration> {
    let count = u32::try_from(lengths.len()).ok().filter(|count| *count > 0)?;
    Some(lengths.iter().sum::<Duration>() / count)
}

/// The mean, where it is known of each.
fn mean_of_all(lengths: &[Option<Duration>]) -> Option<Duration> {
    mean_duration(&lengths.iter().copied().collect::<Option<Vec<_>>>()?)
}

/// Drops peaks that are all zero: a driver that does not report memory gives nothing on any GPU.
fn nonzero_peaks(peaks: &[Bytes]) -> Vec<Bytes> {
    if peaks.iter().any(|peak| *peak > Bytes(0)) { peaks.to_vec() } else { Vec::new() }
}
