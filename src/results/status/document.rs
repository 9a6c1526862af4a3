//! The document of `status --json`: the state of a run, with every key always present.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::nodes::{NodeStatus, list_nodes};
use super::service::{ServiceStatus, service_statuses};
use super::shard::{ShardStatus, shard_statuses};
use super::sources::{MachineGpus, Sources};
use crate::model::decided::DecidedComparison;
use crate::model::ids::{GpuIndex, RunId};
use crate::model::machine::allocation::Allocation;
use crate::model::machine::sample::{GpuCard, GpuSample, HostSample};
use crate::model::machine::throttle::Throttle;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::sweep::expansion::AxisWatch;
use crate::model::sweep::node_spec::NodeId;
use crate::model::units::{Bytes, duration_between};
use crate::results::doubts::run_troubles::{self, Present};
use crate::results::statistics::headline::Headline;
use crate::results::statistics::sequential::Saving;
use crate::results::time_left::estimate::Estimate;
use crate::results::time_left::eta::{self, Remaining};
use crate::results::time_left::fellows::{Fellows, Kinship};
use crate::results::time_left::forecast::Forecast;

/// The version of the document.
pub const STATUS_VERSION: u32 = 1;

/// State of a run, as a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// Version of the document, [`STATUS_VERSION`].
    pub version: u32,
    /// The run as a whole.
    pub run: RunStatus,
    /// Number of shards by phase.
    pub counts: PhaseCounts,
    /// The success of the whole run, of the shards that succeeded so far; `None` if no episode is known.
    pub headline: Option<Headline>,
    /// Every shard, in the order of the sweep.
    pub shards: Vec<ShardStatus>,
    /// Every instance of a service that shards have needed so far; none of them is a shard.
    pub services: Vec<ServiceStatus>,
    /// Every GPU of the machine.
    pub gpus: Vec<GpuStatus>,
    /// The machine as a whole.
    pub host: HostStatus,
}

/// The run as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunStatus {
    /// Its name on this machine.
    pub id: RunId,
    /// Name of the sweep.
    pub name: String,
    /// Folder of the run.
    pub dir: PathBuf,
    /// Word for what it is doing.
    pub state: RunWord,
    /// Machine or container where it lives, where that is another than this one; or what it is a copy of.
    pub place: Option<String>,
    /// When its shards may start, where they may not now: a moment of the wall clock.
    pub opens: Option<Timestamp>,
    /// The Slurm job in which the run lives, with its end.
    pub allocation: Option<Allocation>,
    /// The nodes that take its shards; absent in a run of one machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeStatus>,
    /// When it was created.
    pub started: Timestamp,
    /// From then until now or its end.
    pub elapsed_s: f64,
    /// How much longer it will take.
    pub eta_s: Option<f64>,
    /// The shortest and the longest that this may be, right in eight of ten cases.
    pub eta_range_s: Option<[f64; 2]>,
    /// The same in words, where it says more than the length alone.
    #[serde(skip)]
    pub eta_range_text: Option<String>,
    /// How long it takes in all, and how long at least.
    pub forecast: Forecast,
    /// Problems of the run as a whole, and not of a shard or a GPU: one line for people each.
    pub troubles: Vec<String>,
    /// Warnings from before it began: one line for people each.
    pub warnings: Vec<String>,
    /// Axes whose new files become shards; the run does not end before.
    pub watching: Vec<Watching>,
    /// The comparison that the sweep ends once it is decided.
    pub comparison: Option<ComparisonStatus>,
}

/// A comparison that ends once it is decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonStatus {
    /// Name of the compared axis.
    pub axis: String,
    /// Chance of a false decision anywhere.
    pub level: f64,
    /// Pairs of values decided so far.
    pub decided: Vec<DecidedComparison>,
    /// Work that is not run because of it.
    pub saving: Saving,
}

/// An axis that takes up new files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Watching {
    /// Name of the axis.
    pub axis: String,
    /// Pattern of the files.
    pub glob: String,
}

/// State of a run in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum RunWord {
    /// A supervisor is at work.
    Running,
    /// Every shard was taken to its end.
    Finished,
    /// The run was stopped before.
    Stopped,
    /// Not at its end, and no supervisor lives.
    Unsupervised,
}

impl RunWord {
    /// The word for a run in that stage.
    pub fn from_stage(stage: RunStage, supervised: bool) -> Self {
        match stage {
            RunStage::Ended { finished: true, .. } => Self::Finished,
            RunStage::Ended { finished: false, .. } => Self::Stopped,
            RunStage::Active | RunStage::Draining | RunStage::Stopping if supervised => Self::Running,
            RunStage::Active | RunStage::Draining | RunStage::Stopping => Self::Unsupervised,
        }
    }

    /// The word used in JSON and on the screen.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Shards by phase, every phase named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseCounts(pub [usize; PhaseKind::ALL.len()]);

impl PhaseCounts {
    /// Counts the shards of a run.
    pub fn from_state(state: &RunState) -> Self {
        Self(PhaseKind::ALL.map(|kind| state.count(kind)))
    }

    /// Phases and their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (PhaseKind, usize)> {
        PhaseKind::ALL.into_iter().zip(self.0)
    }
}

impl Serialize for PhaseCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (kind, count) in self.iter() {
            map.serialize_entry(kind.as_str(), &count)?;
        }
        map.end()
    }
}

/// State of a GPU as shown to people and programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GpuStatus {
    /// Its number in PCI-bus order.
    pub index: GpuIndex,
    /// The node that has it, in a run that deals to nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// The name that survives reordering.
    pub uuid: String,
    /// Name of the GPU's model.
    pub name: String,
    /// All of its memory.
    pub vram_total_bytes: Option<Bytes>,
    /// Memory in use, by any process.
    pub vram_used_bytes: Option<Bytes>,
    /// Power that it draws, in W.
    pub power_w: Option<f64>,
    /// The cap that is enforced.
    pub power_cap_w: Option<f64>,
    /// Temperature of the core, in °C.
    pub temperature_c: Option<f64>,
    /// Kernels ran in this part of the last second.
    pub utilization_percent: Option<f64>,
    /// How much warmer it may become before it slows itself down.
    pub slowdown_margin_c: Option<f64>,
    /// Why its clocks are held back.
    pub throttle: Option<Throttle>,
    /// For how much of the last second they were.
    pub throttled_percent: Option<f64>,
    /// Faults of the GPU, while the run is supervised: one line for people each.
    pub faults: Vec<String>,
    /// Why no shard of the run gets it.
    pub withheld: Option<String>,
    /// Energy drawn since the driver was loaded, in J.
    #[serde(skip)]
    pub energy_j: Option<f64>,
    /// When it was read; `None` where its numbers are not current.
    #[serde(skip)]
    pub sampled: Option<Timestamp>,
}

/// State of the machine as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostStatus {
    /// All cores together, 0 to 100.
    pub cpu_percent: Option<f64>,
    /// Cores the run may use.
    pub cores: Option<u32>,
    /// Size of all memory.
    pub ram_total_bytes: Option<Bytes>,
    /// Size of the memory in use.
    pub ram_used_bytes: Option<Bytes>,
    /// When it was read; `None` where its numbers are not current.
    #[serde(skip)]
    pub sampled: Option<Timestamp>,
}

/// Builds the status document from its sources.
pub fn build_status(sources: &Sources<'_>) -> Status {
    let shards = shard_statuses(sources);
    let left: Vec<Remaining> = shards.iter().map(|shard| shard.remaining).collect();
    let fresh_host = sources.telemetry.host.as_ref().filter(|sample| sources.is_fresh(sample.timestamp));
    Status {
        version: STATUS_VERSION,
        run: run_status(sources, &left),
        counts: PhaseCounts::from_state(sources.state),
        headline: Headline::of_run(sources.plan, sources.state),
        shards,
        services: service_statuses(sources),
        gpus: sources.machines().flat_map(|machine| gpu_statuses(sources, machine)).collect(),
        host: host_status(fresh_host),
    }
}

fn run_status(sources: &Sources<'_>, left: &[Remaining]) -> RunStatus {
    let started = sources.info.created;
    let until = match sources.state.stage {
        RunStage::Ended { at, .. } => at,
        RunStage::Active | RunStage::Draining | RunStage::Stopping => sources.now,
    };
    let elapsed = duration_between(started, until);
    let kinship = Arc::new(Kinship::of(sources.plan));
    let fellows = Fellows::of(sources.plan, &kinship, sources.state, (left, sources.now));
    let eta = eta::run(sources.plan, sources.state, left, (&fellows, sources.now));
    RunStatus {
        id: sources.info.id.clone(),
        name: sources.info.name.clone(),
        dir: sources.dir.to_owned(),
        state: RunWord::from_stage(sources.state.stage, sources.supervised),
        place: sources.place.map(str::to_owned),
        opens: sources.state.opens_at(),
        allocation: sources.state.allocation.clone(),
        nodes: list_nodes(sources.plan, sources.state),
        started,
        elapsed_s: elapsed.as_secs_f64(),
        eta_s: eta.map(|eta| eta.time.as_secs_f64()),
        eta_range_s: eta.map(|eta| eta.range().map(|end| end.as_secs_f64())),
        eta_range_text: eta.and_then(Estimate::range_text),
        forecast: Forecast::of_run(sources.plan, sources.state, left, &fellows, (elapsed, sources.now)),
        troubles: list_troubles(sources),
        warnings: sources.state.warnings.preflight.clone(),
        watching: sources.plan.open_watches(sources.state).map(watched_axis).collect(),
        comparison: comparison_status(sources),
    }
}

fn comparison_status(sources: &Sources<'_>) -> Option<ComparisonStatus> {
    let rule = sources.plan.analysis.stop.as_ref()?;
    Some(ComparisonStatus {
        axis: rule.compare.clone(),
        level: rule.level,
        decided: sources.state.decisions.iter().cloned().collect(),
        saving: Saving::from_state(sources.plan, sources.state),
    })
}

fn watched_axis(watch: &AxisWatch) -> Watching {
    Watching { axis: watch.axis.clone(), glob: watch.pattern.clone() }
}

fn list_troubles(sources: &Sources<'_>) -> Vec<String> {
    let telemetry = sources.telemetry.host.as_ref().map(|sample| sample.timestamp);
    let present = Present { unwritten: sources.unwritten, telemetry, now: sources.now };
    let mut troubles = run_troubles::recorded_troubles(sources.state);
    if sources.supervised {
        troubles.extend(run_troubles::current_troubles(sources.state, &present));
    }
    troubles.into_iter().map(|trouble| trouble.text).collect()
}

fn gpu_statuses(sources: &Sources<'_>, machine: MachineGpus<'_>) -> Vec<GpuStatus> {
    machine.cards.iter().map(|card| gpu_status(sources, machine, card)).collect()
}

fn gpu_status(sources: &Sources<'_>, machine: MachineGpus<'_>, card: &GpuCard) -> GpuStatus {
    let fresh = |sample: &&GpuSample| sample.gpu == card.index && sources.is_fresh(sample.timestamp);
    let sample = machine.samples.iter().rev().find(fresh);
    let health = machine.health.iter().filter(|health| sources.supervised && health.gpu == card.index);
    let faults = health.flat_map(|health| &health.faults);
    GpuStatus {
        index: card.index,
        node: machine.node.cloned(),
        uuid: card.uuid.clone(),
        name: card.name.clone(),
        vram_total_bytes: card.vram_total.or(sample.and_then(|sample| sample.vram_total_bytes)),
        vram_used_bytes: sample.and_then(|sample| sample.vram_used_bytes),
        power_w: sample.and_then(|sample| sample.power_w),
        power_cap_w: sample.and_then(|sample| sample.power_cap_w),
        temperature_c: sample.and_then(|sample| sample.temperature_c),
        utilization_percent: sample.and_then(|sample| sample.utilization_percent),
        slowdown_margin_c: sample.and_then(|sample| sample.slowdown_margin_c),
        throttle: sample.and_then(|sample| sample.throttle),
        throttled_percent: sample.and_then(|sample| sample.throttled_percent),
        faults: faults.map(|fault| fault.kind.to_sentence(card.index)).collect(),
        withheld: card.withheld.clone(),
        energy_j: sample.and_then(|sample| sample.energy_j),
        sampled: sample.map(|sample| sample.timestamp),
    }
}

fn host_status(sample: Option<&HostSample>) -> HostStatus {
    HostStatus {
        cpu_percent: sample.and_then(|sample| sample.cpu_percent),
        cores: sample.map(|sample| sample.cores),
        ram_total_bytes: sample.and_then(|sample| sample.ram_total_bytes),
        ram_used_bytes: sample.and_then(|sample| sample.ram_used_bytes),
        sampled: sample.map(|sample| sample.timestamp),
    }
}
