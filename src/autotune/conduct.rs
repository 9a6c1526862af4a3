//! The course of a tuning: trials one after another, each as long as it takes to know.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::batch::{Axis, BatchTrials};
use super::bench::Bench;
use super::machine::{Gpu, MachineResources};
use super::measured::TrialResult;
use super::room::{Footprint, Limit, LimitedBy, compute_limits};
use super::scaling::{self, Next, format_figure};
use super::sizes;
use super::trial::{Company, Trial};
use super::trial_progress::TrialProgress;
use super::work_rates::Declared;
use crate::model::ids::GpuIndex;
use crate::model::needs::resources::Resources;
use crate::model::sweep::plan::{Plan, ProgressSpec};
use crate::model::units::{Bytes, or_unknown};
use crate::progress::formats::presets::table::AUTO;
use crate::scheduler::admission::class::with_margin;

/// How often is looked at a trial; what is read of it changes once a second.
const LOOK: Duration = Duration::from_millis(250);

/// Request for a tuning: the shard to try and the limits of the trials.
#[derive(Debug, Clone, Copy)]
pub struct TuningRequest {
    /// The position of the shard to try.
    pub shard: usize,
    /// How long a trial may take.
    pub limit: Duration,
    /// Also side by side, so many at most.
    pub most: Option<u32>,
}

/// Results of the trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuningResult {
    /// The position of the shard that was tried; of several batch sizes the one with the best.
    #[serde(skip)]
    pub shard: usize,
    /// The trials, fewest side by side first.
    pub trials: Vec<TrialResult>,
    /// Trials of the sweep's batch sizes, if it has an axis of them.
    pub batches: Option<BatchTrials>,
    /// Why no more were tried side by side; `None` if that was not asked for.
    pub stopped: Option<String>,
}

/// A tuning at work.
struct TuningSession<'a, B> {
    bench: &'a mut B,
    plan: &'a Plan,
    machine: &'a MachineResources,
    wish: TuningRequest,
    company: Company,
    tell: &'a mut dyn FnMut(&str),
}

/// Runs the trials. Progress is passed to `tell`, a line at a time.
pub fn run_trials<B: Bench>(
    bench: &mut B,
    plan: &Plan,
    machine: &MachineResources,
    wish: TuningRequest,
    tell: &mut dyn FnMut(&str),
) -> Result<TuningResult, B::Error> {
    let company = Company::for_plan(plan);
    let mut tuning = TuningSession { bench, plan, machine, wish, company, tell };
    let mut found = TuningResult { shard: wish.shard, trials: Vec::new(), batches: None, stopped: None };
    let Some(most) = wish.most else {
        found.trials.push(tuning.run_trial(wish.shard, 1, None)?);
        return Ok(found);
    };
    if let Some(axis) = Axis::for_shard(plan, wish.shard) {
        let batches = tuning.try_batches(&axis)?;
        if let Some(best) = batches.best_index() {
            tuning.wish.shard = axis.values[best].1;
            found.shard = tuning.wish.shard;
            found.trials.push(batches.trials[best].1.clone());
        }
        found.batches = Some(batches);
    }
    found.stopped = Some(tuning.scale_up(&mut found.trials, most)?);
    Ok(found)
}

impl<B: Bench> TuningSession<'_, B> {
    fn try_batches(&mut self, axis: &Axis) -> Result<BatchTrials, B::Error> {
        let mut batches = BatchTrials { axis: axis.name.clone(), trials: Vec::new() };
        for (value, position) in &axis.values {
            if !batches.goes_on() {
                break;
            }
            (self.tell)(&format!("{} = {value}", axis.name));
            batches.trials.push((value.clone(), self.run_trial(*position, 1, None)?));
        }
        Ok(batches)
    }

    /// Tries ever more side by side; gives the reason for the end.
    fn scale_up(&mut self, trials: &mut Vec<TrialResult>, most: u32) -> Result<String, B::Error> {
        loop {
            match scaling::next(trials, &self.tightest_limit(trials, most)) {
                Next::Stop(reason) => return Ok(reason),
                Next::Try(count) => {
                    let claim = estimate_claim(trials).filter(|_| self.gpus_each() == 1 && count > 1);
                    let trial = self.run_trial(self.wish.shard, count, claim)?;
                    trials.push(trial);
                }
            }
        }
    }

    /// Returns what the shard that is tried needs.
    fn shard_resources(&self) -> Cow<'_, Resources> {
        let shard = self.plan.shards.get(self.wish.shard);
        shard.map_or(Cow::Borrowed(&self.plan.resources), |shard| self.plan.resources_of(shard))
    }

    fn gpus_each(&self) -> usize {
        self.shard_resources().gpu_slots(self.machine.gpus.len()).len()
    }

    /// The tightest of what is known before a trial; cores are not in it, because threads can wait for one another.
    fn tightest_limit(&self, trials: &[TrialResult], most: u32) -> Limit {
        let shard = Footprint {
            gpus: self.gpus_each(),
            vram: estimate_claim(trials).filter(|_| self.gpus_each() == 1),
            ram: trials.iter().filter_map(|trial| trial.rss).max(),
            cores: self.shard_resources().cpus.map(f64::from),
            exclusive: self.shard_resources().exclusive,
        };
        let mut all = compute_limits(self.machine, &shard, self.plan.schedule.reserve_vram);
        all.push(Limit { count: most, by: LimitedBy::Shards, text: format!("{most} was the most to try") });
        let others = self.company.max_parallel(self.plan, self.wish.shard);
        let text = format!(
            "the command does not name {{{{ out }}}}, so only the {others} different shards of the sweep can run side by side"
        );
        all.push(Limit { count: others, by: LimitedBy::Shards, text });
        let least = all.into_iter().min_by_key(|limit| limit.count);
        least.unwrap_or(Limit { count: 1, by: LimitedBy::Shards, text: "there is one shard".to_owned() })
    }

    /// Runs one trial from its start to its end.
    fn run_trial(&mut self, shard: usize, count: u32, vram: Option<Bytes>) -> Result<TrialResult, B::Error> {
        let trial = Trial { shard, count, limit: self.wish.limit, vram };
        let plan = trial.build_plan(self.plan, self.company);
        let ids: Vec<_> = plan.shards.iter().map(|shard| shard.id.clone()).collect();
        let who = ids.first().map_or_else(String::new, ToString::to_string);
        (self.tell)(&match count {
            1 => format!("{who} alone …"),
            _ => format!("{count} side by side …"),
        });
        let mut course = TrialProgress::begin(
            ids,
            &declared_progress(&self.plan.progress),
            idle_use(self.machine),
            Timestamp::now(),
        );
        self.bench.start_trial(&plan)?;
        let end = loop {
            course.record_sight(self.bench.poll_trial(LOOK)?);
            if let Some(end) = course.check_end(Timestamp::now(), self.wish.limit) {
                break end;
            }
        };
        let measured = course.to_measured(end);
        self.bench.stop_trial()?;
        (self.tell)(&summarize_trial(&measured));
        Ok(measured)
    }
}

/// Returns the VRAM that the shards of the next trial are promised on a GPU.
fn estimate_claim(trials: &[TrialResult]) -> Option<Bytes> {
    let peak = trials.iter().filter_map(|trial| trial.vram).map(|vram| vram.bytes).max()?;
    Some(sizes::round_up(with_margin(peak)))
}

fn declared_progress(progress: &ProgressSpec) -> Declared {
    Declared {
        preset: Some(progress.preset.clone()).filter(|preset| preset != AUTO),
        unit: progress.format.as_ref().map(|format| format.unit.clone()),
        own_progress: progress.done.is_some() || progress.file.is_some(),
    }
}

fn idle_use(machine: &MachineResources) -> BTreeMap<GpuIndex, Bytes> {
    let used = |gpu: &Gpu| {
        let memory = gpu.memory?;
        Some((gpu.index, Bytes(memory.total.0.saturating_sub(memory.free.0))))
    };
    machine.gpus.iter().filter_map(used).collect()
}

fn summarize_trial(measured: &TrialResult) -> String {
    let throughput = measured.throughput().map_or_else(
        || "no progress was read".to_owned(),
        |rate| format!("{} {}/s", format_figure(rate), measured.throughput_unit()),
    );
    let vram = or_unknown(measured.vram, |vram| vram.bytes.to_string());
    format!("  {throughput}, VRAM of each {vram}")
}
