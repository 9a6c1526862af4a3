//! A sweep after expansion: every shard with its variables, and the rules all shards share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::analysis::AnalysisSpec;
use super::edit::Edit;
use super::expansion::Expansion;
use super::foreign_work::ForeignWork;
use super::hook::Hook;
use super::ids::ShardId;
use super::ladder::{Action, LadderStep, Trigger};
use super::learned::Learned;
pub use super::metric_spec::{MetricSource, MetricSpec, Reduce};
use super::neighbours::Neighbours;
use super::outcome::FailureReason;
use super::own_command::OwnCommand;
use super::own_needs::OwnNeeds;
pub use super::pack::{Pack, PackSizing, PackedValue};
use super::resources::{Placement, Resources};
use super::results_spec::ResultsSpec;
use super::rule::RuleSpec;
use super::service::ServiceSpec;
use super::shard_template::ShardTemplate;
pub use super::slice::{Slice, SliceUnit};
use super::start_hours::StartHours;
use super::units::{Bytes, optional_seconds, seconds};
use super::value::Variables;
use super::value_log::ValueLogSpec;

/// The version of the plan's format; a reader refuses newer ones.
pub const PLAN_VERSION: u32 = 1;

/// What `plan.json` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of this file's format.
    pub version: u32,
    /// The sweep's name.
    pub name: String,
    /// The folder of the sweep file, absolute; relative paths of the sweep start here.
    pub sweep_dir: PathBuf,
    /// Names of the axes in their order; the columns of the results.
    pub axes: Vec<String>,
    /// What every shard runs, as templates.
    pub template: ShardTemplate,
    /// The shards in the order of the sweep.
    pub shards: Vec<ShardSpec>,
    /// Processes that the shards share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<ServiceSpec>,
    /// What one shard needs of the machine.
    pub resources: Resources,
    /// When and how shards start, wait and end.
    pub schedule: Schedule,
    /// How progress is read from the logs.
    pub progress: ProgressSpec,
    /// Metrics the sweep defines itself.
    pub metrics: Vec<MetricSpec>,
    /// Rules on log lines.
    pub rules: Vec<RuleSpec>,
    /// How single values of a pack are told apart in the logs.
    #[serde(default, skip_serializing_if = "ValueLogSpec::is_empty")]
    pub value_log: ValueLogSpec,
    /// What is made of the results.
    pub results: ResultsSpec,
    /// How the results are compared.
    #[serde(default, skip_serializing_if = "AnalysisSpec::is_default")]
    pub analysis: AnalysisSpec,
    /// Who is told how the run goes.
    #[serde(default)]
    pub hook: Option<Hook>,
    /// What the dashboard offers to the owner of the run on a row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<OwnCommand>,
    /// The work behind each shard, in a run that starts nothing and only watches.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub foreign: BTreeMap<ShardId, ForeignWork>,
    /// How the shards came out of the sweep; plans of earlier versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expansion: Option<Expansion>,
}

impl Plan {
    /// The run starts nothing: its shards are processes that were started elsewhere.
    pub fn only_watches(&self) -> bool {
        !self.foreign.is_empty()
    }
}

/// One unit of scheduling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardSpec {
    /// Its name and folder.
    pub id: ShardId,
    /// The combo's values.
    pub vars: Variables,
    /// Which episodes of the combo, where the sweep slices them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slice: Option<Slice>,
    /// Which values of the packed axes, where the sweep packs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pack: Option<Pack>,
    /// The command with what is known before the start; values known only then stand as `{{ out }}`.
    pub command: String,
    /// The working directory as far as known before the start.
    pub cwd: PathBuf,
    /// How long the sweep says it should take.
    #[serde(with = "optional_seconds", default)]
    pub expected: Option<Duration>,
    /// What it needs other than what the sweep says for all.
    #[serde(default, skip_serializing_if = "OwnNeeds::is_empty")]
    pub needs: OwnNeeds,
    /// What earlier runs taught of its work.
    #[serde(default, skip_serializing_if = "Learned::is_empty")]
    pub learned: Learned,
    /// What a user changed of it for the attempt that comes or is there; the journal tells it, not `plan.json`.
    #[serde(default, skip_serializing_if = "Edit::is_empty")]
    pub edit: Edit,
}

impl ShardSpec {
    /// How long it should take: as long as the same work took before, else what the sweep says.
    pub fn foreseen(&self) -> Option<Duration> {
        self.learned.time.as_ref().map(|time| time.took).or(self.expected)
    }

    /// The combo by its values. Slices of one combo, and packs of equal size of it, do the same work on other
    /// episodes, so that what is learned of one holds for the others.
    pub fn combo(&self) -> String {
        let vars =
            serde_json::to_string(&self.vars).expect("values of a matrix are finite and can be written");
        match &self.pack {
            Some(pack) => format!("{vars} x {}", pack.values.len()),
            None => vars,
        }
    }

    /// The values that a pack has in common with packs of other values of its axis; none where it is no pack.
    pub fn pack_family(&self) -> Option<String> {
        let pack = self.pack.as_ref()?;
        let vars =
            serde_json::to_string(&self.vars).expect("values of a matrix are finite and can be written");
        Some(format!("{vars} x {}", pack.axes.join(" x ")))
    }

    /// What stands under an axis: its value, or all values of a packed one.
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
    /// Which shard is next.
    pub order: Order,
    /// Which GPU it gets.
    #[serde(default)]
    pub placement: Placement,
    /// VRAM that is left free on every GPU.
    pub reserve_vram: Bytes,
    /// The least time between two starts.
    #[serde(with = "seconds")]
    pub stagger: Duration,
    /// One shard alone until its first progress.
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
    #[serde(with = "optional_seconds", default)]
    pub timeout: Option<Duration>,
    /// After this much time without output or progress a shard is shown as stalled.
    #[serde(with = "seconds")]
    pub stall_after: Duration,
    /// What a stall does.
    pub on_stall: OnStall,
    /// What running out of memory does.
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
    /// How the run behaves beside other users.
    #[serde(default, skip_serializing_if = "Neighbours::is_default")]
    pub neighbours: Neighbours,
}

/// The parallel limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parallel {
    /// That many.
    Fixed(u32),
    /// As many as the machine takes.
    Auto,
}

impl Parallel {
    /// The limit a run begins with on a machine with that many cores.
    pub fn limit(self, cores: u32) -> u32 {
        match self {
            Self::Fixed(limit) => limit.max(1),
            Self::Auto => cores.max(2),
        }
    }
}

/// Which shard is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Longest expected duration first; unknown ones in the order of the sweep.
    LongestFirst,
    /// In the order of the sweep.
    AsListed,
}

/// What a stall does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnStall {
    /// It is shown.
    Show,
    /// It ends the attempt.
    Fail,
}

/// What running out of memory does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnOom {
    /// Tried again with more room, or with fewer side by side.
    BackOff,
    /// A failure like any other.
    Fail,
    /// What the steps of the ladder say.
    Steps,
}

impl Schedule {
    /// The whole ladder: what the sweep says, and the default as the one step that it is.
    pub fn steps(&self) -> Vec<LadderStep> {
        let default = (self.on_oom == OnOom::BackOff)
            .then(|| LadderStep { times: u32::MAX, ..LadderStep::new(Trigger::Oom, Action::BackOff) });
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
    /// Own pattern with a group `done` and, if the line says it, `total`.
    pub done: Option<String>,
    /// How many there are, where the log does not say it.
    pub total: Option<u64>,
    /// A file of JSON that the program keeps up to date, as a template; may hold `*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A line that says the evaluation is complete.
    pub finished: Option<String>,
}
