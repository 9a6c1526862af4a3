//! The phases of a shard: each variant carries exactly what exists in that phase.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::cancel_cause::CancelCause;
use super::claim::Claim;
use super::edit::Edit;
use super::ids::{AttemptNumber, GpuIndex};
use super::outcome::{Failure, Outcome, Verdict};
use super::units::between;

/// Where a shard stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Waits for its turn.
    Queued {
        /// Since when.
        since: Timestamp,
        /// What brought it here.
        cause: QueueCause,
        /// It is not started before this moment.
        not_before: Option<Timestamp>,
    },
    /// Announced, but no process is known yet.
    Starting {
        /// Which try.
        attempt: AttemptNumber,
        /// When it was announced.
        since: Timestamp,
        /// The GPUs it was given.
        gpus: Vec<GpuIndex>,
        /// What it was promised of the machine.
        claim: Claim,
    },
    /// A process runs.
    Running(Live),
    /// All its processes are stopped; VRAM stays held.
    Paused {
        /// What ran.
        live: Live,
        /// Since when.
        since: Timestamp,
        /// Why.
        cause: PauseCause,
    },
    /// It was asked to end.
    Stopping {
        /// What runs.
        live: Live,
        /// Since when.
        since: Timestamp,
        /// Why.
        cause: StopCause,
    },
    /// Done.
    Succeeded(Ended),
    /// Not done.
    Failed {
        /// What ended.
        ended: Ended,
        /// Why.
        failure: Failure,
    },
    /// Taken out by the user before it was done; `None` when it never ran in this round.
    Cancelled {
        /// What ended, where something ran.
        ended: Option<Ended>,
        /// When.
        at: Timestamp,
        /// Why a queued one was taken out.
        cause: CancelCause,
    },
}

/// A living attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// Which try.
    pub attempt: AttemptNumber,
    /// The main process; unknown only where a stop was asked for before the start was reported.
    pub pid: Option<u32>,
    /// When it started.
    pub started: Timestamp,
    /// The GPUs it was given.
    pub gpus: Vec<GpuIndex>,
    /// What it was promised of the machine.
    pub claim: Claim,
    /// How long it was paused before now; a pause that lasts is not in it.
    pub paused: Duration,
    /// Those pauses, oldest first.
    pub pauses: Vec<PausedSpan>,
    /// When it last went on after a pause.
    pub resumed: Option<Timestamp>,
}

/// A pause that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PausedSpan {
    /// Its begin.
    pub from: Timestamp,
    /// Its end.
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

/// An ended attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Which try.
    pub attempt: AttemptNumber,
    /// When it started, where it did.
    pub started: Option<Timestamp>,
    /// When its end was recorded.
    pub at: Timestamp,
    /// The GPUs it was given.
    pub gpus: Vec<GpuIndex>,
    /// What it ran with beside the sweep as given.
    pub edit: Edit,
    /// The attempt whose work it continued; none where it started from the beginning.
    pub previous: Option<AttemptNumber>,
    /// All that is known of it.
    pub outcome: Outcome,
}

/// What brought a shard into the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueCause {
    /// The sweep.
    New,
    /// A failed attempt and the sweep's `retries`.
    Retry,
    /// A lost attempt; counted apart from `retries`.
    Lost,
    /// It ran out of GPU memory by itself; counted apart from `retries`.
    GpuOom,
    /// Others took the GPU memory that it ran out of; it waits for it, and nothing is counted.
    ForeignOom,
    /// Its pack ran out of memory and was split.
    Split,
    /// It ran out of main memory beside others.
    HostOom,
    /// It was ended before it was done, got further than the attempt before it, and continues; nothing is counted.
    Resumed,
    /// Its GPU was lost; it gets another one, and nothing is counted.
    GpuLost,
    /// A step of the sweep's ladder: it is tried again, as a rule with other values; the step is counted.
    Step,
    /// The machine could not start it; nothing is counted.
    PutBack,
    /// A service that it used ended; nothing is counted.
    ServiceLost,
    /// It is a service that shards need again.
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
    /// It ran longer than `timeout`.
    Timeout,
    /// It was silent longer than `stall_after`, and `on_stall = "fail"`.
    Stalled,
    /// The whole run is being stopped.
    RunStopped,
    /// A service that it uses has ended.
    ServiceGone,
    /// It is a service that was not ready within `ready_timeout`.
    NotReady,
    /// It is a service that no shard needs any more.
    Unneeded,
    /// It is a service that a user wants started again.
    Restarted,
}

/// A phase without its data: for counts, filters and JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseKind {
    /// See [`Phase::Queued`].
    Queued,
    /// See [`Phase::Starting`].
    Starting,
    /// See [`Phase::Running`].
    Running,
    /// See [`Phase::Paused`].
    Paused,
    /// See [`Phase::Stopping`].
    Stopping,
    /// See [`Phase::Succeeded`].
    Succeeded,
    /// See [`Phase::Failed`].
    Failed,
    /// See [`Phase::Cancelled`].
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
        match self {
            Self::Queued => "queued",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Nothing happens any more unless somebody asks for it.
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
    pub fn stopping(&self) -> Option<(StopCause, Timestamp)> {
        match self {
            Self::Stopping { cause, since, .. } => Some((*cause, *since)),
            Self::Queued { .. }
            | Self::Starting { .. }
            | Self::Running(_)
            | Self::Paused { .. }
            | Self::Succeeded(_)
            | Self::Failed { .. }
            | Self::Cancelled { .. } => None,
        }
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed { failure, .. } => Some(failure),
            Self::Queued { .. }
            | Self::Starting { .. }
            | Self::Running(_)
            | Self::Paused { .. }
            | Self::Stopping { .. }
            | Self::Succeeded(_)
            | Self::Cancelled { .. } => None,
        }
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

    /// What a living attempt was promised of the machine.
    pub fn claim(&self) -> Option<&Claim> {
        match self {
            Self::Starting { claim, .. } => Some(claim),
            Self::Running(live) | Self::Paused { live, .. } | Self::Stopping { live, .. } => {
                Some(&live.claim)
            }
            Self::Queued { .. } | Self::Succeeded(_) | Self::Failed { .. } | Self::Cancelled { .. } => None,
        }
    }

    /// It was taken out, because the comparison that it was to add to is decided.
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
    pub fn unpaused(&self, now: Timestamp, paused_since: Option<Timestamp>) -> Duration {
        let until = paused_since.unwrap_or(now);
        between(self.started, until).saturating_sub(self.paused)
    }
}
