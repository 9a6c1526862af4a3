//! What a run teaches the next run of the same sweep, and what it is taught by earlier ones.
//!
//! Work is the same when its values, its program, its folder, its environment and its GPUs are, on the same models of
//! GPUs; its duration holds for the same number of episodes only. What else may have changed, such as the files behind
//! the command, nobody can know: the newest run counts.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use crate::model::ids::RunId;
use crate::model::learned::{Experience, Learned, LearnedFailure, LearnedTime, LearnedVram};
use crate::model::outcome::{FailureReason, Verdict};
use crate::model::plan::{Plan, ShardSpec};
use crate::model::run_state::RunState;
use crate::model::sample::GpuInventory;
use crate::model::units::Bytes;
use crate::scheduler::footprint::Footprints;
use crate::scheduler::policy::Policy;

/// Tells the same work from other work.
pub struct Works {
    common: String,
    machine: String,
}

impl Works {
    /// For the shards of a plan on a machine.
    pub fn of(plan: &Plan, inventory: &GpuInventory, host: &str) -> Self {
        let template = &plan.template;
        let env: BTreeMap<_, _> =
            template.env.iter().filter(|(name, _)| !template.secret.contains(name)).collect();
        let gpus = plan.resources.slots(inventory.cards().len()).len();
        let common = json!([template.cwd, template.setup, template.command, env, plan.progress.total, gpus]);
        let mut models: Vec<&str> = Vec::new();
        for card in inventory.cards().iter().filter(|_| gpus > 0) {
            if !models.contains(&card.name.as_str()) {
                models.push(&card.name);
            }
        }
        let machine = if models.is_empty() { host.to_owned() } else { models.join(" + ") };
        Self { common: common.to_string(), machine }
    }

    fn work(&self, spec: &ShardSpec) -> String {
        fingerprint(&[&self.common, &spec.cwd.to_string_lossy(), &spec.combo()])
    }
}

/// 16 hex digits of the FNV-1a hash: the same in every build, and texts such as commands stand in no other file.
fn fingerprint(parts: &[&str]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        // 0xff stands in no text, so that it tells where a part ends.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

fn episodes(spec: &ShardSpec) -> Option<u64> {
    spec.slice.as_ref().map(|slice| slice.episodes)
}

/// Notes with every shard of the plan what earlier runs taught of its work.
pub fn teach(plan: &mut Plan, works: &Works, known: &[Experience]) {
    let mut of_machine: Vec<&Experience> = known.iter().filter(|one| one.machine == works.machine).collect();
    of_machine.sort_by_key(|one| one.at);
    let mut times: HashMap<(&str, Option<u64>), LearnedTime> = HashMap::new();
    let mut footprints: HashMap<&str, LearnedVram> = HashMap::new();
    let mut failures: HashMap<(&str, Option<u64>), LearnedFailure> = HashMap::new();
    for one in of_machine {
        let (run, kind) = (one.run.clone(), (one.work.as_str(), one.episodes));
        match one.failed_after {
            Some(after) => failures.insert(kind, LearnedFailure { after, run: run.clone() }),
            None => failures.remove(&kind),
        };
        if let Some(took) = one.took {
            times.insert(kind, LearnedTime { took, run: run.clone() });
        }
        if !one.vram.is_empty() {
            footprints.insert(&one.work, LearnedVram { peaks: one.vram.clone(), run });
        }
    }
    for spec in &mut plan.shards {
        let work = works.work(spec);
        let kind = (work.as_str(), episodes(spec));
        spec.learned = Learned {
            time: times.get(&kind).cloned(),
            vram: footprints.get(work.as_str()).cloned(),
            failure: failures.get(&kind).cloned(),
        };
    }
}

/// What the attempts of a run teach: those that succeeded, and of work of which none did, those that failed.
pub fn of_run(
    plan: &Plan,
    works: &Works,
    state: &RunState,
    (policy, footprints): (&Policy, &Footprints),
    (run, at): (&RunId, Timestamp),
) -> Vec<Experience> {
    // What is not measured for admission is in the journal, where the sweep uses one GPU.
    let journal = (!policy.measures).then(|| Footprints::of_journal(state, &policy.combos));
    let footprints = journal.as_ref().unwrap_or(footprints);
    let mut kinds: BTreeMap<(usize, Option<u64>), Kind<'_>> = BTreeMap::new();
    for ((spec, shard), combo) in plan.shards.iter().zip(&state.shards).zip(&policy.combos) {
        // With other values than the sweep gives it was other work.
        let Some(ended) = shard.phase.ended().filter(|ended| ended.edit.is_empty()) else { continue };
        let took = ended.outcome.elapsed.map(|elapsed| elapsed.saturating_sub(ended.outcome.paused));
        let has_succeeded = ended.outcome.verdict == Verdict::Succeeded;
        if !has_succeeded && !ended.outcome.reason().is_some_and(is_of_the_work) {
            continue;
        }
        let kind = kinds.entry((*combo, episodes(spec))).or_insert_with(|| Kind::of(spec));
        kind.has_succeeded |= has_succeeded;
        if has_succeeded {
            kind.took.extend(took);
        } else {
            kind.failed_after = kind.failed_after.max(Some(took.unwrap_or_default()));
        }
    }
    let experience = |((combo, episodes), kind): ((usize, Option<u64>), Kind<'_>)| Experience {
        work: works.work(kind.spec),
        machine: works.machine.clone(),
        combo: kind.spec.combo(),
        episodes,
        took: mean(&kind.took),
        vram: if kind.has_succeeded { measured(footprints.measured(combo)) } else { Vec::new() },
        failed_after: kind.failed_after.filter(|_| !kind.has_succeeded),
        run: run.clone(),
        at,
    };
    kinds.into_iter().map(experience).collect()
}

/// Whether the next run must expect it again; deaths, wishes and a machine that was short of memory pass.
fn is_of_the_work(reason: FailureReason) -> bool {
    match reason {
        FailureReason::ExitCode
        | FailureReason::Signal
        | FailureReason::GpuOom
        | FailureReason::Timeout
        | FailureReason::Stalled
        | FailureReason::Incomplete
        | FailureReason::MissingArtifact
        | FailureReason::Invalid
        | FailureReason::LaunchError
        | FailureReason::Exception => true,
        FailureReason::HostOom | FailureReason::Lost | FailureReason::Killed => false,
    }
}

/// Shards that do the same work.
struct Kind<'p> {
    /// One of them.
    spec: &'p ShardSpec,
    has_succeeded: bool,
    took: Vec<Duration>,
    failed_after: Option<Duration>,
}

impl<'p> Kind<'p> {
    fn of(spec: &'p ShardSpec) -> Self {
        Self { spec, has_succeeded: false, took: Vec::new(), failed_after: None }
    }
}

fn mean(lengths: &[Duration]) -> Option<Duration> {
    let count = u32::try_from(lengths.len()).ok().filter(|count| *count > 0)?;
    Some(lengths.iter().sum::<Duration>() / count)
}

/// Nothing on any GPU is what a driver says that does not tell.
fn measured(peaks: &[Bytes]) -> Vec<Bytes> {
    if peaks.iter().any(|peak| *peak > Bytes(0)) { peaks.to_vec() } else { Vec::new() }
}
