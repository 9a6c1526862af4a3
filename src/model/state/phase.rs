//! The phases of a shard: each variant carries exactly what exists in that phase.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::cancel_cause::CancelCause;
use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptNumber, GpuIndex};
use crate::model::outcome::{Failure, Outcome, Verdict};
use crate::model::sweep::edit::Edit;
use crate::model::sweep::node_spec::NodeId;
use crate::model::units::duration_between;

/// The present phase of a shard, with the data that exists in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Waits for its turn.
    Queued {
        /// When the shard entered the queue.
        since: Timestamp,
        /// The reason why the shard is in the queue.
        cause: QueueCause,
        /// Earliest moment at which the shard may start.
        not_before: Option<Timestamp>,
    },
    /// Announced, but no process is known yet.
    Starting {
        /// Number of the attempt that is starting.
        attempt: AttemptNumber,
        /// When it was announced.
        since: Timestamp,
        /// The GPUs it was given.
        gpus: Vec<GpuIndex>,
        /// The resources of the machine that the attempt was promised.
        claim: Claim,
    },
    /// A process runs and is not paused.
    Running(Live),
    /// All its processes are stopped; VRAM stays held.
    Paused {
        /// The attempt that is paused.
        live: Live,
        /// When the pause began.
        since: Timestamp,
        /// The reason for the pause.
        cause: PauseCause,
    },
    /// The attempt was asked to end.
    Stopping {
        /// The attempt that is being stopped.
        live: Live,
        /// When the stop was asked for.
        since: Timestamp,
        /// The reason for the stop.
        cause: StopCause,
    },
    /// The last attempt did everything that was asked for.
    Succeeded(Ended),
    /// The newest attempt failed, and none is queued or running.
    Failed {
        /// The attempt that failed.
        ended: Ended,
        /// The reason for the failure, with its message.
        failure: Failure,
    },
    /// Taken out by the user before it was done; `None` when it never ran in this round.
    Cancelled {
        /// The attempt that ended, where one ran.
        ended: Option<Ended>,
        /// When the shard was taken out.
        at: Timestamp,
        /// Why a queued one was taken out.
        cause: CancelCause,
    },
}

/// An attempt that has or may have a process.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// Number of the attempt.
    pub attempt: AttemptNumber,
    /// The main process; unknown only where a stop was asked for before the start was reported.
    pub pid: Option<u32>,
    /// When the attempt was started.
    pub started: Timestamp,
    /// The GPUs it was given.
    pub gpus: Vec<GpuIndex>,
    /// The resources of the machine that the attempt was promised.
    pub claim: Claim,
    /// How long it was paused before now; a pause that lasts is not in it.
    pub paused: Duration,
    /// The pauses that are over, oldest first.
    pub pauses: Vec<PausedSpan>,
    /// When it last went on after a pause.
    pub resumed: Option<Timestamp>,
}

/// A pause that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PausedSpan {
    /// When the pause began.
    pub from: Timestamp,
    /// When the pause ended.
    pub until: Timestamp,
}

/// Why an attempt is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseCause {
    /// A user asked for it, and lets it go on.
    User,
    /// The window of the sweep has closed; it goes on when the next one opens.
    Window,
}

/// An attempt that has ended, with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Number of the attempt.
    pub attempt: AttemptNumber,
    /// When it started, where it did.
    pub started: Option<Timestamp>,
    /// When its end was recorded.
    pub at: Timestamp,
    /// The node where it ran; none in a run of one machine.
    pub node: Option<NodeId>,
    /// The GPUs it was given.
    pub gpus: Vec<GpuIndex>,
    /// Changes to the sweep with which the attempt ran.
    pub edit: Edit,
    /// The attempt whose work it continued; `None` if it started from the beginning.
    pub previous: Option<AttemptNumber>,
    /// All that is known of it.
    pub outcome: Outcome,
}

/// The reason why a shard is in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueCause {
    /// The shard is part of the sweep or was added to it, and is new.
    New,
    /// A failed attempt and the sweep's `retries`.
    Retry,
    /// A lost attempt; counted apart from `retries`.
    Lost,
    /// The attempt ran out of GPU memory by itself; counted apart from `retries`.
    GpuOom,
    /// Others took the GPU memory that it ran out of; it waits for it, and nothing is counted.
    ForeignOom,
    /// Its pack ran out of memory and was split.
    Split,
    /// The attempt ran out of main memory while others ran alongside it.
    HostOom,
    /// The attempt ended before it was done, got further than the one before it, and continues; nothing is counted.
    Resumed,
    /// Its GPU was lost; it gets another one, and nothing is counted.
    GpuLost,
    /// A step of the sweep's ladder: it is tried again, as a rule with other values; the step is counted.
    Step,
    /// The machine could not start it; nothing is counted.
    PutBack,
    /// A service that it used ended; nothing is counted.
    ServiceLost,
    /// The node that ran it was given up; nothing is counted.
    NodeGone,
    /// Shards need this service again.
    Needed,
    /// A user asked for it.
    User,
    /// The run was stopped and goes on.
    Recovered,
}

/// Why an attempt is being stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopCause {
    /// A user killed the shard.
    Killed,
    /// The attempt ran longer than `timeout`.
    Timeout,
    /// The attempt was silent for longer than `stall_after`, and `on_stall = "fail"`.
    Stalled,
    /// The whole run is being stopped.
    RunStopped,
    /// A service that it uses has ended.
    ServiceGone,
    /// The service was not ready within `ready_timeout`.
    NotReady,
    /// No shard needs this service any more.
    Unneeded,
    /// A user wants this service started again.
    Restarted,
}

/// A phase without its data: for counts, filters and JSON.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum PhaseKind {
    /// Waits for its turn; see [`Phase::Queued`].
    Queued,
    /// Announced, but without a known process; see [`Phase::Starting`].
    Starting,
    /// Has a process that runs; see [`Phase::Running`].
    Running,
    /// Stopped for a while; see [`Phase::Paused`].
    Paused,
    /// Was asked to end; see [`Phase::Stopping`].
    Stopping,
    /// Has done everything asked for; see [`Phase::Succeeded`].
    Succeeded,
    /// Has failed and is not queued again; see [`Phase::Failed`].
    Failed,
    /// Was taken out before it was done; see [`Phase::Cancelled`].
    Cancelled,
}

impl PhaseKind {
    /// All kinds, in the order a shard passes through them.
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Starting,
        Self::Running,
        Self::Paused,
        Self::Stopping,
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The word used in files, JSON and on the screen.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reports whether nothing happens any more unless the user asks for it.
    pub fn is_final(self) -> bool {
        match self {
            Self::Succeeded | Self::Failed | Self::Cancelled => true,
            Self::Queued | Self::Starting | Self::Running | Self::Paused | Self::Stopping => false,
        }
    }

    /// A process exists or is about to.
    pub fn is_active(self) -> bool {
        match self {
            Self::Starting | Self::Running | Self::Paused | Self::Stopping => true,
            Self::Queued | Self::Succeeded | Self::Failed | Self::Cancelled => false,
        }
    }
}

impl Phase {
    /// The phase without its data.
    pub fn kind(&self) -> PhaseKind {
        match self {
            Self::Queued { .. } => PhaseKind::Queued,
            Self::Starting { .. } => PhaseKind::Starting,
            Self::Running(_) => PhaseKind::Running,
            Self::Paused { .. } => PhaseKind::Paused,
            Self::Stopping { .. } => PhaseKind::Stopping,
            Self::Succeeded(_) => PhaseKind::Succeeded,
            Self::Failed { .. } => PhaseKind::Failed,
            Self::Cancelled { .. } => PhaseKind::Cancelled,
        }
    }

    /// The living attempt, where a process is known.
    pub fn live(&self) -> Option<&Live> {
        match self {
            Self::Running(live) | Self::Paused { live, .. } | Self::Stopping { live, .. } => Some(live),
            Self::Queued { .. }
            | Self::Starting { .. }
            | Self::Succeeded(_)
            | Self::Failed { .. }
            | Self::Cancelled { .. } => None,
        }
    }

    /// The ended attempt of a final phase.
    pub fn ended(&self) -> Option<&Ended> {
        match self {
            Self::Succeeded(ended) | Self::Failed { ended, .. } => Some(ended),
            Self::Cancelled { ended, .. } => ended.as_ref(),
            Self::Queued { .. }
            | Self::Starting { .. }
            | Self::Running(_)
            | Self::Paused { .. }
            | Self::Stopping { .. } => None,
        }
    }

    /// Why it is being ended and since when, where it is.
    pub fn stop_cause(&self) -> Option<(StopCause, Timestamp)> {
        if let Self::Stopping { cause, since, .. } = self { Some((*cause, *since)) } else { None }
    }

    /// Since when the attempt is paused, if it is.
    pub fn paused_since(&self) -> Option<Timestamp> {
        if let Self::Paused { since, .. } = self { Some(*since) } else { None }
    }

    /// How long the program of the attempt has run, or ran, without pauses; `None` before it started.
    pub fn worked_time(&self, now: Timestamp) -> Option<Duration> {
        match self.ended() {
            Some(ended) => ended.outcome.worked_time(),
            None => {
                let live = self.live().filter(|live| live.pid.is_some())?;
                Some(live.unpaused_time(now, self.paused_since()))
            }
        }
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<&Failure> {
        if let Self::Failed { failure, .. } = self { Some(failure) } else { None }
    }

    /// The attempt this phase is about; none while queued.
    pub fn attempt(&self) -> Option<AttemptNumber> {
        match self {
            Self::Starting { attempt, .. } => Some(*attempt),
            Self::Queued { .. } => None,
            Self::Running(_) | Self::Paused { .. } | Self::Stopping { .. } => {
                self.live().map(|live| live.attempt)
            }
            Self::Succeeded(_) | Self::Failed { .. } | Self::Cancelled { .. } => {
                self.ended().map(|ended| ended.attempt)
            }
        }
    }

    /// The GPUs the attempt of this phase was given.
    pub fn gpus(&self) -> &[GpuIndex] {
        match self {
            Self::Starting { gpus, .. } => gpus,
            Self::Queued { .. } => &[],
            Self::Running(_) | Self::Paused { .. } | Self::Stopping { .. } => {
                self.live().map_or(&[], |live| &live.gpus)
            }
            Self::Succeeded(_) | Self::Failed { .. } | Self::Cancelled { .. } => {
                self.ended().map_or(&[], |ended| &ended.gpus)
            }
        }
    }

    /// Returns the resources that a living attempt was promised of the machine.
    pub fn claim(&self) -> Option<&Claim> {
        match self {
            Self::Starting { claim, .. } => Some(claim),
            Self::Running(live) | Self::Paused { live, .. } | Self::Stopping { live, .. } => {
                Some(&live.claim)
            }
            Self::Queued { .. } | Self::Succeeded(_) | Self::Failed { .. } | Self::Cancelled { .. } => None,
        }
    }

    /// Reports whether the shard was taken out because the comparison it was to add to is decided.
    pub fn is_unneeded(&self) -> bool {
        matches!(self, Self::Cancelled { cause: CancelCause::ComparisonDecided, .. })
    }

    /// The final phase that a verdict leads to.
    pub fn of_verdict(ended: Ended) -> Self {
        match ended.outcome.verdict.clone() {
            Verdict::Succeeded => Self::Succeeded(ended),
            Verdict::Failed(failure) => Self::Failed { ended, failure },
            Verdict::Cancelled => {
                Self::Cancelled { at: ended.at, ended: Some(ended), cause: CancelCause::Asked }
            }
        }
    }
}

impl Live {
    /// Time since the start that was not paused; `paused_since` is the pause that lasts, if one does.
    pub fn unpaused_time(&self, now: Timestamp, paused_since: Option<Timestamp>) -> Duration {
        let until = paused_since.unwrap_or(now);
        duration_between(self.started, until).saturating_sub(self.paused)
    }
}
