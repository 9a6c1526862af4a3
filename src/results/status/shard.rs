//! One shard in the document of `status --json`.

use std::sync::Arc;

use serde::Serialize;

use super::silence::{self, ShardLoad};
use super::sources::Sources;
use super::stuck::Listened;
use super::waiting::Causes;
use crate::model::ids::{AttemptNumber, GpuIndex, ShardId};
use crate::model::logs::stage::Stage;
use crate::model::machine::sample::ShardSample;
use crate::model::machine::vram_parts::VramPart;
use crate::model::outcome::{FailureReason, Metrics, Progress, Proof};
use crate::model::shortage::Shortage;
use crate::model::state::fact::Condition;
use crate::model::state::phase::{Phase, PhaseKind};
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::plan::ShardSpec;
use crate::model::units::Bytes;
use crate::model::value::Variables;
use crate::results::counted_unit::unit_of;
use crate::results::live::LiveReading;
use crate::results::statistics::cost::energy_of_all;
use crate::results::time_left::eta::Remaining;
use crate::results::time_left::fellows::{Fellows, Kinship};
use crate::results::time_left::pace::Pace;
use crate::results::time_left::shard_left::{AtWork, Expected};

/// State of a shard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShardStatus {
    /// Name of the shard.
    pub id: ShardId,
    /// Values of the combo by axis.
    pub vars: Variables,
    /// Values that its newest attempt, or the one it is queued for, has in place of those of the sweep.
    pub edited: Option<Edit>,
    /// The node that has it, or had it last, in a run that deals to nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// Phase that the shard is in.
    pub phase: PhaseKind,
    /// Shown on top of the phase.
    pub condition: Option<Condition>,
    /// Explanation of its silence, for people.
    #[serde(skip)]
    pub silence: Option<String>,
    /// Why it does not run yet, while it is queued.
    pub waiting: Option<String>,
    /// Reason why it failed, if it did.
    pub reason: Option<FailureReason>,
    /// The sentence that explains it.
    pub message: Option<String>,
    /// The line of its log that proves the verdict.
    pub proof: Option<Proof>,
    /// Its episodes are those of another shard that should have done others.
    pub repeated: bool,
    /// Remarks in addition to the verdict.
    pub warnings: Vec<String>,
    /// The newest try; none before the first.
    pub attempt: Option<AttemptNumber>,
    /// Stage that the program is at, while it lives.
    pub stage: Option<Stage>,
    /// The last progress seen.
    pub progress: Option<Progress>,
    /// Unit of the progress, in the plural.
    pub unit: Option<String>,
    /// The newest value of each metric.
    pub metrics: Metrics,
    /// How its process ended.
    pub exit: Option<ExitPart>,
    /// Its main process while it runs.
    pub pid: Option<u32>,
    /// The GPUs it was given.
    pub gpus: Vec<GpuIndex>,
    /// VRAM over all GPUs now.
    pub vram_bytes: Option<Bytes>,
    /// The same by GPU and component, where it has several GPUs or components.
    pub vram_parts: Vec<VramPart>,
    /// The most VRAM, once it has ended.
    pub peak_vram_bytes: Option<Bytes>,
    /// Whether that is the rise on its GPUs, because the driver lists no processes.
    pub peak_vram_by_rise: bool,
    /// Processor use now, in % of one core.
    pub cpu_percent: Option<f64>,
    /// Size of its resident memory now.
    pub rss_bytes: Option<Bytes>,
    /// Energy that its GPUs drew for all its attempts so far, in J; a part of what they drew in all where others were
    /// on them.
    pub energy_j: Option<f64>,
    /// How long it has run, or ran, without pauses.
    pub elapsed_s: Option<f64>,
    /// How much longer it will take; unknown for one that is stuck.
    pub eta_s: Option<f64>,
    /// The same, if one that is stuck goes on now: what the end of the run is computed with.
    #[serde(skip)]
    pub remaining: Remaining,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExitPart {
    /// The exit code, when it exited.
    pub code: Option<i32>,
    /// The signal that ended it, when one did.
    pub signal: Option<i32>,
}

impl ShardStatus {
    /// Its time left counts only if it goes on.
    pub(in crate::results) fn is_stuck(&self) -> bool {
        !self.remaining.stuck.is_zero() && self.phase == PhaseKind::Running
    }
}

/// Every shard, in the order of the sweep.
pub(in crate::results) fn shard_statuses(sources: &Sources<'_>) -> Vec<ShardStatus> {
    let kinship = Arc::new(Kinship::of(sources.plan));
    let fellows = Fellows::of(sources.plan, &kinship, sources.state, (&[], sources.now));
    let causes = sources.wait_causes();
    let short_of = causes.shortages_by_shard();
    let specs = sources.plan.shards.iter().enumerate();
    specs
        .filter_map(|(position, spec)| Some((position, spec, sources.state.shard(&spec.id)?)))
        .map(|(position, spec, shard)| ShardStatus {
            waiting: waiting_reason(&causes, short_of.get(&position).copied(), shard),
            ..shard_status(sources, spec, shard, fellows.expected(position, spec))
        })
        .collect()
}

fn shard_status(
    sources: &Sources<'_>,
    spec: &ShardSpec,
    shard: &ShardState,
    expected: Option<Expected>,
) -> ShardStatus {
    let phase = &shard.phase;
    let ended = phase.ended();
    let reading = sources.readings.get(&shard.id).filter(|_| phase.kind().is_active());
    let progress = match ended {
        Some(ended) => ended.outcome.progress,
        None => reading.and_then(|reading| reading.progress),
    };
    let sample = sources.telemetry.shards.iter().rev().find(|sample| {
        sample.shard == shard.id
            && phase.live().is_some_and(|live| live.attempt == sample.attempt)
            && sources.is_fresh(sample.timestamp)
    });
    let load = ShardLoad {
        cpu_percent: sample.and_then(|sample| sample.cpu_percent),
        gpu_percent: sources.busiest_utilization(shard.node.as_ref(), phase.gpus()),
    };
    let part = reading.and_then(|reading| reading.part);
    let unread = Pace::default();
    let pace = reading.map(|reading| &reading.pace);
    let listened = Listened { shard, pace, is_watched: sources.supervised, now: sources.now };
    let (stuck, lost) = (listened.stuck_for(), listened.lost_time());
    let times = (lost, sources.now);
    let work = AtWork::of(shard, pace.unwrap_or(&unread), (progress, part), expected, times);
    let left = work.and_then(|work| work.left());
    ShardStatus {
        id: shard.id.clone(),
        vars: spec.vars.clone(),
        edited: Some(shard.edit.clone()).filter(|edit| !edit.is_empty()),
        node: shard.node.clone(),
        phase: phase.kind(),
        condition: shard.condition(),
        silence: match shard.shown {
            Some(shown) => silence::describe_silence(shown, load, sources.now),
            None => stuck.map(|stuck| silence::describe_long_silence(stuck, load)),
        },
        waiting: None,
        reason: phase.failure().map(|failure| failure.reason),
        message: phase_message(phase),
        proof: ended.and_then(|ended| ended.outcome.proof.clone()),
        repeated: sources.state.warnings.is_repeated(&shard.id),
        warnings: ended.map_or_else(|| shard.warnings.0.clone(), |ended| ended.outcome.warnings.clone()),
        attempt: shard.attempt,
        stage: reading.and_then(|reading| reading.stage.clone()),
        progress,
        unit: progress_unit(spec, phase, progress, reading),
        metrics: match ended {
            Some(ended) => ended.outcome.metrics.clone(),
            None => reading.map(|reading| reading.metrics.clone()).unwrap_or_default(),
        },
        exit: ended
            .and_then(|ended| ended.outcome.exit)
            .map(|exit| ExitPart { code: exit.code(), signal: exit.signal() }),
        pid: phase.live().and_then(|live| live.pid),
        gpus: phase.gpus().to_vec(),
        vram_bytes: sample.and_then(|sample| sample.vram_bytes),
        vram_parts: sample
            .and_then(|sample| sample.vram_parts.clone())
            .map(|parts| parts.0)
            .unwrap_or_default(),
        peak_vram_bytes: ended.and_then(|ended| ended.outcome.peaks.vram),
        peak_vram_by_rise: ended.is_some_and(|ended| ended.outcome.peaks.vram_by_rise),
        cpu_percent: sample.and_then(|sample| sample.cpu_percent),
        rss_bytes: sample.and_then(|sample| sample.rss_bytes),
        energy_j: energy_of_all(shard, sample.and_then(ShardSample::energy)).map(|energy| energy.joules),
        elapsed_s: phase.worked_time(sources.now).map(|elapsed| elapsed.as_secs_f64()),
        eta_s: left.filter(|_| stuck.is_none()).map(|left| left.time.as_secs_f64()),
        remaining: Remaining {
            left,
            stuck: lost,
            share: progress.and_then(|progress| progress.fraction_with(part)).unwrap_or(0.0),
        },
    }
}

/// Returns the unit of the progress, where there is any.
fn progress_unit(
    spec: &ShardSpec,
    phase: &Phase,
    progress: Option<Progress>,
    reading: Option<&LiveReading>,
) -> Option<String> {
    let told = match phase.ended() {
        Some(ended) => ended.outcome.unit.as_deref(),
        None => reading.and_then(|reading| reading.unit.as_deref()),
    };
    progress.map(|_| unit_of(spec, progress, told).to_owned())
}

fn waiting_reason(causes: &Causes<'_>, short_of: Option<&Shortage>, shard: &ShardState) -> Option<String> {
    match &shard.phase {
        Phase::Queued { not_before, .. } => {
            Some(causes.reason_given_shortage(&shard.id, short_of, *not_before))
        }
        Phase::Paused { cause, .. } => causes.pause_reason(*cause),
        Phase::Starting { .. }
        | Phase::Running(_)
        | Phase::Stopping { .. }
        | Phase::Succeeded(_)
        | Phase::Failed { .. }
        | Phase::Cancelled { .. } => None,
    }
}

fn phase_message(phase: &Phase) -> Option<String> {
    match phase {
        Phase::Cancelled { ended: None, cause, .. } => Some(cause.as_text().to_owned()),
        Phase::Cancelled { ended: Some(_), .. } => Some("stopped with the run".to_owned()),
        Phase::Queued { .. }
        | Phase::Starting { .. }
        | Phase::Running(_)
        | Phase::Paused { .. }
        | Phase::Stopping { .. }
        | Phase::Succeeded(_)
        | Phase::Failed { .. } => phase.failure().map(|failure| failure.message.clone()),
    }
}
