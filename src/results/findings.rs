//! Everything that is known of a run when its results are written.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use jiff::Timestamp;

use super::artifacts::{self, ShardArtifacts};
use super::doubts::seeds;
use super::edited;
use super::measured::attempts::{Attempt, collect_attempts, on_gpus};
use super::measured::fold::Fold;
use super::measured::gpu_place::{GpuInventories, GpuPlace};
use super::measured::grid::Grid;
use super::measured::measures::{AttemptMeasures, RunMeasures};
use super::measured::occupancy::Occupancy;
use super::merge::record::MergedFile;
use super::outcome::{ShardOutcome, planned_episodes, shard_outcomes};
use super::pack_values::PackValue;
use super::statistics::contrast::{Contrast, compute_contrasts};
use super::statistics::cost::{self, Cost, shard_costs};
use super::statistics::distributions::resampling::Intervals;
use super::statistics::group::ShardGroup;
use super::statistics::headline::Headline;
use super::statistics::missing::Bounds;
use super::statistics::paired::paired_metric::{self, AxisMetric};
use super::statistics::scaling::{NewestAttempt, Scaling, compute_scalings};
use super::status::document::RunWord;
use crate::model::machine::system_info::SystemInfo;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::sweep::plan::Plan;

/// The share of its time that an attempt must have its GPUs for itself to count as alone: then it shared them with no
/// process worth mentioning.
const ALONE: f64 = 0.95;

/// The records of a run, as they were read.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a> {
    /// The description that the run gives of itself.
    pub info: &'a RunInfo,
    /// Plan of the run with all its shards.
    pub plan: &'a Plan,
    /// State of the run, folded from its journal.
    pub state: &'a RunState,
    /// State of the run in one word: what it is doing, or how it ended.
    pub word: RunWord,
    /// Up to when its time is shown: its end, or now, or the last sign of life of one that died.
    pub seen: Timestamp,
}

impl<'a> Records<'a> {
    /// The records of a run; `alive` is the last moment in which something of it was seen alive.
    pub fn new(
        info: &'a RunInfo,
        plan: &'a Plan,
        state: &'a RunState,
        word: RunWord,
        alive: Timestamp,
    ) -> Self {
        let seen = match state.stage {
            RunStage::Ended { at, .. } => at,
            RunStage::Active | RunStage::Draining | RunStage::Stopping => {
                state.last_fact.map_or(alive, |last| last.max(alive))
            }
        };
        Self { info, plan, state, word, seen }
    }

    /// The time that pictures show.
    pub fn time_grid(&self) -> Grid {
        Grid::from_span(self.info.created, self.seen)
    }
}

/// Everything that is known of a run.
#[derive(Debug)]
pub struct Findings<'a> {
    /// The records of the run.
    pub records: Records<'a>,
    /// The outcome of each shard.
    pub outcomes: Vec<ShardOutcome<'a>>,
    /// Every attempt of every shard.
    pub attempts: Vec<Attempt<'a>>,
    /// The attempts on each GPU over time, as positions in `attempts`.
    pub on_gpus: BTreeMap<GpuPlace, Occupancy>,
    /// Measurements from the telemetry of the run.
    pub measured: RunMeasures,
    /// The cost of each shard.
    pub costs: Vec<Cost>,
    /// GPUs of the machines that it ran on, as far as they are known.
    pub inventories: GpuInventories,
    /// The machine it ran on, where that was noted.
    pub system: Option<SystemInfo>,
    /// Merged files, and those that could not be made.
    pub merged: Vec<MergedFile>,
    /// The files of each shard, where an attempt of it has ended and its files were looked at.
    pub artifacts: Vec<Option<ShardArtifacts>>,
    /// Each value of each pack.
    pub pack_values: Vec<PackValue>,
    /// Intervals of metrics that were drawn, by group: several faces show the same ones, and they take long.
    pub(super) drawn: RefCell<BTreeMap<String, Intervals>>,
    /// Values of axes against one another, once they are asked for: joining all episodes takes its time.
    contrasts: OnceCell<Vec<Contrast>>,
    /// Metrics of the same episodes, once they are asked for: each is drawn again thousands of times.
    paired_metrics: OnceCell<Vec<AxisMetric>>,
}

impl<'a> Findings<'a> {
    /// Derives the findings of a run whose telemetry `read` gives to a fold, row by row.
    pub fn new(records: Records<'a>, read: impl FnOnce(&mut Fold)) -> Self {
        let Records { plan, state, seen, .. } = records;
        let attempts = collect_attempts(plan, state, seen);
        let on_gpus = on_gpus(&attempts);
        let mut fold = Fold::new(records.time_grid(), plan, &attempts);
        read(&mut fold);
        let measured = fold.finish();
        let costs = shard_costs(plan.shards.len(), &attempts, &measured.attempts, &on_gpus);
        let outcomes = shard_outcomes(plan, state);
        let artifacts = vec![None; outcomes.len()];
        Self {
            records,
            outcomes,
            attempts,
            on_gpus,
            measured,
            costs,
            inventories: GpuInventories::default(),
            system: None,
            merged: Vec::new(),
            artifacts,
            pack_values: Vec::new(),
            drawn: RefCell::default(),
            contrasts: OnceCell::new(),
            paired_metrics: OnceCell::new(),
        }
    }

    /// Returns what was measured of the newest attempt of each shard.
    pub fn newest_measures(&self) -> Vec<Option<&AttemptMeasures>> {
        let mut newest = vec![None; self.outcomes.len()];
        for (attempt, measures) in self.attempts.iter().zip(&self.measured.attempts) {
            newest[attempt.shard] = Some(measures);
        }
        newest
    }

    /// Every value of an axis against the others.
    pub fn contrasts(&self) -> &[Contrast] {
        self.contrasts.get_or_init(|| compute_contrasts(self.records.plan, &self.outcomes))
    }

    /// The metrics of the same episodes of every two values of an axis.
    pub fn paired_metrics(&self) -> &[AxisMetric] {
        self.paired_metrics.get_or_init(|| paired_metric::of_axes(self.records.plan, &self.outcomes))
    }

    /// The success of the whole run; `None` if no episode is known.
    pub fn headline(&self) -> Option<Headline> {
        Headline::from_outcomes(self.records.plan, &self.outcomes)
    }

    /// More is to come: the run has not finished, or shards of it have no result.
    pub fn is_provisional(&self) -> bool {
        self.records.word != RunWord::Finished
            || self.outcomes.iter().any(|shard| shard.phase != PhaseKind::Succeeded && !shard.is_unneeded)
    }

    /// Between what and what the rate of a group lies, where episodes of it are missing and the plan gives
    /// their number.
    pub fn rate_bounds(&self, group: &ShardGroup) -> Option<Bounds> {
        let plan = self.records.plan;
        let needed = group.members.iter().filter(|position| !self.outcomes[**position].is_unneeded);
        let planned: Option<u64> =
            needed.map(|position| planned_episodes(plan, plan.shards.get(*position)?)).sum();
        Bounds::from_counts(group.totals.successes?, group.totals.episodes?, planned? as f64)
    }

    /// Reports what only several shards together show, one line each.
    pub fn cross_shard_warnings(&self) -> Vec<String> {
        let ids = self.outcomes.iter().map(ShardOutcome::id);
        let files = ids.zip(&self.artifacts).filter_map(|(id, files)| Some((id, files.as_ref()?)));
        let edited = edited::find_edit_warnings(&self.outcomes).into_iter();
        let reporter = self.records.state.warnings.reporter.as_ref();
        let reporter = reporter.map(|failure| format!("{}, see reporter.log", failure.to_text()));
        let signs = edited.chain(seeds::find_seed_warnings(self.records.plan, &self.outcomes));
        let warnings = &self.records.state.warnings;
        let repeats = warnings.repeat_lines().chain(warnings.preflight.iter().map(String::as_str));
        let repeats = repeats.map(str::to_owned);
        reporter.into_iter().chain(repeats).chain(signs).chain(artifacts::find_file_warnings(files)).collect()
    }

    /// How the throughput grows along each axis of numbers.
    pub fn scalings(&self) -> Vec<Scaling> {
        let hours = cost::attempt_gpu_hours(self.attempts.len(), &self.on_gpus);
        let mut newest: Vec<Option<NewestAttempt<'_>>> = vec![None; self.outcomes.len()];
        for ((attempt, measures), hours) in self.attempts.iter().zip(&self.measured.attempts).zip(hours) {
            let given = attempt.gpus.len();
            let alone = given > 0 && hours * 3600.0 >= ALONE * attempt.seconds() * given as f64;
            newest[attempt.shard] = Some(NewestAttempt { measures, own_gpus: alone.then_some(given) });
        }
        compute_scalings(self.records.plan, &self.outcomes, &newest)
    }
}
