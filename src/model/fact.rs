//! One line of the journal: something that happened, and when.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use super::actor::Actor;
use super::cancel_cause::CancelCause;
use super::claim::Claim;
use super::closing::Closing;
pub use super::condition::{Condition, Shown};
use super::decided::DecidedComparison;
use super::demand::Demand;
use super::edit::Edit;
use super::growth::Growth;
use super::ids::{AttemptKey, AttemptNumber, GpuIndex, RunId, ShardId};
use super::ladder::StepTaken;
use super::outcome::Outcome;
use super::phase::{QueueCause, StopCause};
use super::priority::Priority;
use super::run_clock::RunClock;
use super::service::ServiceInstance;
use super::shortage::StartShortage;
use super::split::PackSplit;
use super::units::{Bytes, optional_seconds};
use super::warning_topic::WarningTopic;
use super::watch_end::WatchEnd;

/// The version of the journal's format; a reader refuses newer ones.
pub const JOURNAL_VERSION: u32 = 1;

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// When, by the clock of the run ([`RunClock`]).
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "kebab-case")]
pub enum Event {
    /// The first line of every journal.
    RunCreated {
        /// The journal's format.
        version: u32,
        /// The run.
        run: RunId,
        /// Every shard, in the order of the sweep.
        shards: Vec<ShardId>,
        /// The parallel limit to begin with.
        parallel: u32,
    },
    /// A supervisor took the run over.
    SupervisorStarted {
        /// Its pid.
        pid: u32,
        /// The program's version.
        version: String,
        /// The clock by which it takes the moments of facts; journals of earlier versions do not say it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<RunClock>,
    },
    /// Written before the holder is started.
    AttemptStarting {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// The GPUs it is given.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gpus: Vec<GpuIndex>,
        /// What it is promised of them and of the rest of the machine.
        #[serde(default, skip_serializing_if = "Claim::is_empty")]
        claim: Claim,
        /// The attempt whose work it continues; none where it starts from the beginning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        previous: Option<AttemptNumber>,
    },
    /// Its process runs.
    AttemptStarted {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// The main process.
        pid: u32,
        /// When it was started, by the holder's clock.
        started: Timestamp,
    },
    /// A new supervisor found its holder alive.
    AttemptAdopted {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
    },
    /// Written before its processes are stopped with SIGSTOP.
    AttemptPaused {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// Who asked; nobody where the window of the sweep has closed.
        by: Option<Actor>,
    },
    /// Written before its processes are continued.
    AttemptResumed {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// Who asked; nobody where a window has opened.
        by: Option<Actor>,
    },
    /// Written before the stop sequence begins.
    AttemptStopping {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// Why.
        cause: StopCause,
        /// Who asked, where somebody did.
        by: Option<Actor>,
    },
    /// The attempt is over and judged.
    AttemptEnded {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// All that is known of it.
        outcome: Box<Outcome>,
    },
    /// The machine could not start the attempt: its shard waits again, and nothing is counted.
    AttemptPutBack {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// What the machine lacked.
        lack: StartShortage,
    },
    /// The shard waits for another try.
    ShardQueued {
        /// The shard.
        shard: ShardId,
        /// Why.
        cause: QueueCause,
        /// Who asked, where somebody did.
        by: Option<Actor>,
        /// It is not started before this moment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_before: Option<Timestamp>,
        /// What its last end taught of its needs.
        #[serde(default, skip_serializing_if = "Demand::is_empty")]
        demand: Demand,
        /// What the user who asked for it, or a step of the ladder, changed of the shard; boxed, because few facts have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edit: Option<Box<Edit>>,
        /// The step of the sweep's ladder that brought it here; its edit is in `edit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<Box<StepTaken>>,
    },
    /// A user took back that the shard was put into the queue: it is again what it was.
    RequeueUndone {
        /// The shard.
        shard: ShardId,
        /// Who asked.
        by: Option<Actor>,
    },
    /// A queued shard starts before or behind others now.
    PriorityChanged {
        /// The shard.
        shard: ShardId,
        /// Its new priority.
        priority: Priority,
        /// Who asked.
        by: Option<Actor>,
    },
    /// A pack that ran out of memory becomes two.
    PackSplit(PackSplit),
    /// An axis got more values.
    ValuesAdded(Box<Growth>),
    /// New files become no values of this axis any more.
    WatchEnded {
        /// The axis.
        axis: String,
        /// Why.
        cause: WatchEnd,
        /// The user who asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Actor>,
    },
    /// Shards need an instance of a service that was not there before; its attempts are told like those of shards.
    ServiceAdded {
        /// Its name.
        shard: ShardId,
        /// Which instance it is.
        #[serde(flatten)]
        instance: ServiceInstance,
    },
    /// Shards may use an instance of a service from now on.
    ServiceReady {
        /// Its name.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// Where it listens, where it has a port.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        port: Option<u16>,
    },
    /// A queued shard was taken out.
    ShardCancelled {
        /// The shard.
        shard: ShardId,
        /// Who asked.
        by: Option<Actor>,
        /// Why.
        #[serde(default, skip_serializing_if = "CancelCause::is_asked")]
        cause: CancelCause,
    },
    /// A comparison needs no more episodes; its queued shards are taken out after this. Boxed, because few runs have it.
    ComparisonDecided(Box<DecidedComparison>),
    /// A condition on top of the phase came or went.
    ConditionChanged {
        /// The shard.
        shard: ShardId,
        /// Which try.
        attempt: AttemptNumber,
        /// The condition, or none any more.
        condition: Option<Condition>,
        /// The last sign of life before it; journals of earlier versions do not say it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Timestamp>,
    },
    /// The parallel limit was changed.
    ParallelChanged {
        /// The new limit.
        parallel: u32,
        /// Who asked.
        by: Option<Actor>,
    },
    /// How much VRAM is left free on every GPU was changed.
    ReserveChanged {
        /// So much.
        vram: Bytes,
        /// Who asked.
        by: Option<Actor>,
    },
    /// Other GPUs were chosen for the run, of those that its start permits.
    GpusChosen {
        /// Their names; all that are permitted where none is named.
        devices: Vec<String>,
        /// Who asked.
        by: Option<Actor>,
    },
    /// An attempt failed on a GPU that is of no use any more: it gets no shards until the run is continued after a stop.
    GpuAvoided {
        /// Which.
        gpu: GpuIndex,
        /// One line for people.
        reason: String,
    },
    /// The same failure came again and again: these shards are not started before somebody says so.
    ShardsHeld {
        /// Which.
        shards: Vec<ShardId>,
        /// One line for people.
        reason: String,
    },
    /// The same, for all shards but a few.
    RunHeld {
        /// One line for people.
        reason: String,
        /// Shards that start all the same: their work has succeeded before, and what failed never did.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        spares: Vec<ShardId>,
        /// An attempt that runs for longer than this got past the point; journals of earlier versions do not say it.
        #[serde(
            with = "optional_seconds",
            rename = "past_s",
            default,
            skip_serializing_if = "Option::is_none"
        )]
        past: Option<Duration>,
    },
    /// Whatever was held may be started again.
    HoldsReleased {
        /// Who asked; none where a shard got past the point at which the others had failed.
        by: Option<Actor>,
    },
    /// Nothing is started before a moment of the wall clock.
    StartsClosed {
        /// That moment.
        opens: Timestamp,
        /// Why.
        because: Closing,
        /// Who asked; nobody where a window of the sweep has closed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Actor>,
    },
    /// Shards may start.
    StartsOpened {
        /// When the window closes; of a run that a user opened before its time, when that would have been.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
        /// Who asked; nobody where the time has come.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Actor>,
    },
    /// Nothing new is started; with `now` the running ones are stopped too.
    StopRequested {
        /// Stop the running ones.
        now: bool,
        /// Who asked.
        by: Option<Actor>,
    },
    /// The run goes on after a stop or a reboot.
    RunContinued {
        /// Who asked.
        by: Option<Actor>,
    },
    /// The reporter command ended.
    ReporterEnded {
        /// Its exit code, where it exited.
        code: Option<i32>,
        /// The end of what it printed, or why it could not be started.
        message: String,
        /// The command as it ran; journals of earlier versions do not say it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
        /// The folder in which it ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<PathBuf>,
        /// The 1-based setup step that failed, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        setup_step: Option<u32>,
        /// How long it took.
        #[serde(with = "optional_seconds", default)]
        elapsed: Option<Duration>,
    },
    /// Something is wrong with the run, and no shard's end says so.
    RunWarned {
        /// What it is about.
        topic: WarningTopic,
        /// One line for people.
        text: String,
    },
    /// What was looked at before the run began spoke against its results, or its machine.
    PreflightWarned {
        /// One line for people each.
        warnings: Vec<String>,
    },
    /// Results of shards that should differ are the same, episode by episode.
    EpisodesRepeated {
        /// All of them.
        shards: Vec<ShardId>,
        /// One line for people.
        text: String,
    },
    /// Something worth knowing that changes nothing.
    Remarked {
        /// The attempt it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<AttemptKey>,
        /// One line for people.
        text: String,
    },
    /// The results are written and nothing more is to do.
    RunEnded {
        /// Every shard was taken to its end; otherwise the run was stopped before.
        finished: bool,
    },
}
