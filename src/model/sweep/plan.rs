//! A sweep after expansion: every shard with its variables, and the rules all shards share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::edit::Edit;
use super::expansion::Expansion;
use super::hook::Hook;
use super::ladder::{LadderAction, LadderStep, Trigger};
use super::own_command::OwnCommand;
use super::rule::RuleSpec;
use super::service::ServiceSpec;
use super::shard_template::ShardTemplate;
pub use super::slice::{Slice, SliceUnit};
use crate::model::analysis::AnalysisSpec;
use crate::model::claims::foreign_work::ForeignWork;
use crate::model::claims::neighbours::Neighbours;
use crate::model::history::ShardHistory;
use crate::model::hours::start_hours::StartHours;
use crate::model::ids::ShardId;
use crate::model::logs::log_format::{LogFormat, OwnFormat};
use crate::model::logs::value_log::ValueLogSpec;
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::needs::resources::{Placement, Resources};
use crate::model::outcome::FailureReason;
pub use crate::model::pack::{Pack, PackSizing, PackedValue};
pub use crate::model::results::metric_spec::{MetricSource, MetricSpec, Reduce};
use crate::model::results::results_spec::ResultsSpec;
use crate::model::sweep::node_spec::NodeSpec;
use crate::model::units::{Bytes, maybe_seconds, seconds};
use crate::model::value::Variables;

/// The version of the plan's format; a reader refuses newer ones.
pub const PLAN_VERSION: u32 = 1;

/// Contents of `plan.json`, the expanded sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of this file's format.
    pub version: u32,
    /// The name of the sweep.
    pub name: String,
    /// The folder of the sweep file, absolute; relative paths of the sweep start here.
    pub sweep_dir: PathBuf,
    /// Names of the axes in their order; the columns of the results.
    pub axes: Vec<String>,
    /// The command of every shard and all that goes with it, as templates.
    pub template: ShardTemplate,
    /// The shards in the order of the sweep.
    pub shards: Vec<ShardSpec>,
    /// Processes that the shards share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<ServiceSpec>,
    /// The resources of the machine that one shard needs.
    pub resources: Resources,
    /// When and how shards start, wait and end.
    pub schedule: Schedule,
    /// How progress is read from the logs.
    pub progress: ProgressSpec,
    /// Metrics the sweep defines itself.
    pub metrics: Vec<MetricSpec>,
    /// Rules on log lines.
    pub rules: Vec<RuleSpec>,
    /// How single values of a pack are recognised in the logs.
    #[serde(default, skip_serializing_if = "ValueLogSpec::is_empty")]
    pub value_log: ValueLogSpec,
    /// Files and rules by which results are read and merged.
    pub results: ResultsSpec,
    /// How the results are compared.
    #[serde(default, skip_serializing_if = "AnalysisSpec::is_default")]
    pub analysis: AnalysisSpec,
    /// The command that is called to report how the run goes.
    #[serde(default)]
    pub hook: Option<Hook>,
    /// Commands that the dashboard offers on a row to the owner of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<OwnCommand>,
    /// The work behind each shard, in a run that starts nothing and only watches.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub foreign: BTreeMap<ShardId, ForeignWork>,
    /// How the shards came out of the sweep; plans of earlier versions do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expansion: Option<Expansion>,
    /// The machines that take the shards; this one where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeSpec>,
}

impl Plan {
    /// Reports whether the run starts nothing: its shards are processes that were started elsewhere.
    pub fn only_watches(&self) -> bool {
        !self.foreign.is_empty()
    }
}

/// A unit of scheduling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardSpec {
    /// Name of the shard and of its folder.
    pub id: ShardId,
    /// Values of the axes for this combo.
    pub vars: Variables,
    /// The episodes of the combo that the shard does, where the sweep slices them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slice: Option<Slice>,
    /// The values of the packed axes that the shard does, where the sweep packs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pack: Option<Pack>,
    /// The command with what is known before the start filled in; values known only later are left as `{{ out }}`.
    pub command: String,
    /// The working directory as far as known before the start.
    pub cwd: PathBuf,
    /// How long it should take, as the sweep sets it.
    #[serde(with = "maybe_seconds", default)]
    pub expected: Option<Duration>,
    /// The needs of the shard that differ from those that the sweep sets for all.
    #[serde(default, skip_serializing_if = "OwnNeeds::is_empty")]
    pub needs: OwnNeeds,
    /// Knowledge about the same work from earlier runs.
    #[serde(default, skip_serializing_if = "ShardHistory::is_empty")]
    pub learned: ShardHistory,
    /// Changes by a user for the present or next attempt; they come from the journal, not from `plan.json`.
    #[serde(default, skip_serializing_if = "Edit::is_empty")]
    pub edit: Edit,
}

impl ShardSpec {
    /// How long it should take: as long as the same work took before, else as the sweep sets it.
    pub fn expected_duration(&self) -> Option<Duration> {
        self.learned.time.as_ref().map(|time| time.took).or(self.expected)
    }

    /// The combo by its values. Slices of one combo, and packs of equal size of it, do the same work on other
    /// episodes, so that what is learned of one holds for the others.
    pub fn combo_key(&self) -> String {
        let vars =
            serde_json::to_string(&self.vars).expect("values of a matrix are finite and can be written");
        match &self.pack {
            Some(pack) => format!("{vars} x {}", pack.values.len()),
            None => vars,
        }
    }

    /// The values that a pack has in common with packs of other values of its axis; `None` if it is no pack.
    pub fn pack_family(&self) -> Option<String> {
        let pack = self.pack.as_ref()?;
        let vars =
            serde_json::to_string(&self.vars).expect("values of a matrix are finite and can be written");
        Some(format!("{vars} x {}", pack.axes.join(" x ")))
    }

    /// Returns the value of an axis, or all values of a packed one joined by commas.
    pub fn value_of(&self, axis: &str) -> String {
        if let Some(value) = self.vars.get(axis) {
            return value.to_string();
        }
        let values = self.pack.as_ref().and_then(|pack| pack.values_of(axis)).unwrap_or_default();
        values.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}

/// When and how shards start, wait and end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// How many run side by side.
    pub parallel: Parallel,
    /// The order in which queued shards start.
    pub order: QueueOrder,
    /// How the GPU of a shard is chosen.
    #[serde(default)]
    pub placement: Placement,
    /// VRAM that is left free on every GPU.
    pub reserve_vram: Bytes,
    /// The least time between two starts.
    #[serde(with = "seconds")]
    pub stagger: Duration,
    /// Whether the first shard runs alone until its first progress.
    pub warmup: bool,
    /// Pause between the end of a shard and the next start.
    #[serde(with = "seconds")]
    pub cooldown: Duration,
    /// How often a failed shard is tried again.
    pub retries: u32,
    /// Ends after which an attempt continues without counting against `retries`, as long as it gets further each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resume_after: Vec<FailureReason>,
    /// After this much unpaused time an attempt is stopped.
    #[serde(with = "maybe_seconds", default)]
    pub timeout: Option<Duration>,
    /// After this much time without output or progress a shard is shown as stalled.
    #[serde(with = "seconds")]
    pub stall_after: Duration,
    /// The response to an attempt that stalls.
    pub on_stall: OnStall,
    /// The response to an attempt that runs out of memory.
    pub on_oom: OnOom,
    /// The steps of `on_oom`, `on_stall` and `on_fail`, in this order; words alone are `on_oom` and `on_stall`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ladder: Vec<LadderStep>,
    /// How long each step of a polite stop waits.
    pub grace: Grace,
    /// How long leftover descendants may live after the main process.
    #[serde(with = "seconds")]
    pub linger: Duration,
    /// The hours in which shards may start.
    #[serde(default, skip_serializing_if = "StartHours::is_default")]
    pub hours: StartHours,
    /// How the run treats other users of the machine.
    #[serde(default, skip_serializing_if = "Neighbours::is_default")]
    pub neighbours: Neighbours,
}

/// Limit on the number of shards that run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parallel {
    /// The number that the sweep gives.
    Fixed(u32),
    /// As many as the machine takes.
    Auto,
}

impl Parallel {
    /// The limit a run begins with on a machine with that many cores.
    pub fn initial_limit(self, cores: u32) -> u32 {
        match self {
            Self::Fixed(limit) => limit.max(1),
            Self::Auto => cores.max(2),
        }
    }
}

/// Order in which queued shards start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueOrder {
    /// Longest expected duration first; unknown ones in the order of the sweep.
    LongestFirst,
    /// In the order of the sweep.
    AsListed,
}

/// Response to an attempt that stalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnStall {
    /// The stall is shown and the attempt goes on.
    Show,
    /// The stall ends the attempt as failed.
    Fail,
}

/// Response to an attempt that runs out of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnOom {
    /// Tried again with more room, or with fewer side by side.
    BackOff,
    /// A failure like any other.
    Fail,
    /// The steps of the ladder, one after another.
    Steps,
}

impl Schedule {
    /// The whole ladder: the default as a step of its own, then the steps of the sweep.
    pub fn ladder_steps(&self) -> Vec<LadderStep> {
        let default = (self.on_oom == OnOom::BackOff)
            .then(|| LadderStep { times: u32::MAX, ..LadderStep::new(Trigger::Oom, LadderAction::BackOff) });
        default.into_iter().chain(self.ladder.iter().cloned()).collect()
    }
}

/// How long each step of a polite stop waits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Grace {
    /// After SIGINT, before SIGTERM.
    #[serde(with = "seconds")]
    pub interrupt: Duration,
    /// After SIGTERM, before SIGKILL.
    #[serde(with = "seconds")]
    pub terminate: Duration,
}

/// How progress is read from the logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgressSpec {
    /// A preset's name, or `auto`.
    pub preset: String,
    /// Own pattern with a group `done` and, if the line has it, `total`.
    pub done: Option<String>,
    /// How many there are, where the log does not print it.
    pub total: Option<u64>,
    /// A file of JSON that the program keeps up to date, as a template; may hold `*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A line that shows that the evaluation is complete.
    pub finished: Option<String>,
    /// The lines of a preset of the user's own, as its file was when the sweep was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<LogFormat>,
}

impl ProgressSpec {
    /// Progress that only this preset reads.
    pub fn of_preset(preset: &str) -> Self {
        Self { preset: preset.to_owned(), done: None, total: None, file: None, finished: None, format: None }
    }

    /// Copies a format of the user's own into it and the metrics, so that its file is not needed any more. What the
    /// sweep says itself comes first.
    pub fn freeze(&mut self, format: &OwnFormat, metrics: &mut Vec<MetricSpec>) {
        if self.done.is_none() && self.file.is_none() {
            self.done.clone_from(&format.done);
        }
        self.total = self.total.or(format.total);
        self.finished = self.finished.take().or_else(|| format.finished.clone());
        self.format = Some(format.lines.clone());
        let declared = metrics.len();
        let is_new = |own: &&MetricSpec| metrics[..declared].iter().all(|metric| metric.name != own.name);
        let own: Vec<MetricSpec> = format.metrics.iter().filter(is_new).cloned().collect();
        metrics.extend(own);
    }

    /// Returns the format of the user's own that was copied into it, by its name.
    pub fn frozen_format(&self) -> Option<(String, Result<OwnFormat, String>)> {
        let lines = self.format.clone()?;
        Some((self.preset.clone(), Ok(OwnFormat { lines, ..OwnFormat::default() })))
    }
}
