//! One line of the journal: something that happened, and when.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::closing::Closing;
pub use super::condition::{Condition, ShownCondition};
use super::phase::{QueueCause, StopCause};
use super::warning_topic::WarningTopic;
use super::watch_end::WatchEnd;
pub use crate::model::actor::Actor;
use crate::model::cancel_cause::CancelCause;
use crate::model::claims::claim::Claim;
use crate::model::decided::DecidedComparison;
use crate::model::ids::{AttemptKey, AttemptNumber, GpuIndex, RunId, ShardId};
use crate::model::machine::allocation::Allocation;
use crate::model::needs::demand::Demand;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_phase::FactOrigin;
use crate::model::outcome::Outcome;
use crate::model::priority::Priority;
use crate::model::run_clock::RunClock;
use crate::model::shortage::StartShortage;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::ladder::StepTaken;
use crate::model::sweep::service::ServiceInstance;
use crate::model::sweep::split::PackSplit;
use crate::model::units::{Bytes, maybe_seconds};

/// The version of the journal's format; a reader refuses newer ones.
pub const JOURNAL_VERSION: u32 = 1;

/// An event with its moment: a line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// When, by the clock of the run ([`RunClock`]).
    pub at: Timestamp,
    /// The event that happened then.
    #[serde(flatten)]
    pub event: Event,
    /// The journal that had it first; absent where it happened to the run itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<FactOrigin>,
}

impl Fact {
    /// A fact of the run itself.
    pub fn new(at: Timestamp, event: Event) -> Self {
        Self { at, event, origin: None }
    }
}

/// Something that happened to a run, a shard, a service or an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "kebab-case")]
pub enum Event {
    /// The first line of every journal.
    RunCreated {
        /// Version of the journal's format.
        version: u32,
        /// The run that was created.
        run: RunId,
        /// Every shard, in the order of the sweep.
        shards: Vec<ShardId>,
        /// The parallel limit to begin with.
        parallel: u32,
    },
    /// A supervisor took the run over.
    SupervisorStarted {
        /// Process ID of the supervisor.
        pid: u32,
        /// Version of the program that it runs.
        version: String,
        /// The clock by which it takes the moments of facts; absent in journals of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<RunClock>,
    },
    /// The supervisor lives in a Slurm job, in another one than before, or in none any more; or its end is known now.
    AllocationChanged {
        /// The job, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allocation: Option<Allocation>,
    },
    /// Written before the holder is started.
    AttemptStarting {
        /// The shard or service to be started.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// The GPUs it is given.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gpus: Vec<GpuIndex>,
        /// Amounts of them and of the rest of the machine that it is promised.
        #[serde(default, skip_serializing_if = "Claim::is_empty")]
        claim: Claim,
        /// The attempt whose work it continues; `None` if it starts from the beginning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        previous: Option<AttemptNumber>,
    },
    /// The main process of the attempt runs.
    AttemptStarted {
        /// The shard or service that runs.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// Process ID of the main process.
        pid: u32,
        /// When it was started, by the holder's clock.
        started: Timestamp,
    },
    /// A new supervisor found its holder alive.
    AttemptAdopted {
        /// The shard or service whose attempt goes on.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
    },
    /// Written before its processes are stopped with SIGSTOP.
    AttemptPaused {
        /// The shard that is paused.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// The user who asked; `None` if the window of the sweep has closed.
        by: Option<Actor>,
    },
    /// Written before its processes are continued.
    AttemptResumed {
        /// The shard that goes on.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// The user who asked; `None` if a window has opened.
        by: Option<Actor>,
    },
    /// Written before the stop sequence begins.
    AttemptStopping {
        /// The shard or service that is stopped.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// Reason for which it is stopped.
        cause: StopCause,
        /// The user who asked, where one did.
        by: Option<Actor>,
    },
    /// The attempt is over and judged.
    AttemptEnded {
        /// The shard or service whose attempt ended.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// All that is known of it.
        outcome: Box<Outcome>,
    },
    /// The machine could not start the attempt: its shard waits again, and nothing is counted.
    AttemptPutBack {
        /// The shard or service that waits again.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// The resource that the machine lacked.
        lack: StartShortage,
    },
    /// The shard waits for another try.
    ShardQueued {
        /// The shard or service that is queued.
        shard: ShardId,
        /// Reason for which it is queued.
        cause: QueueCause,
        /// The user who asked, where one did.
        by: Option<Actor>,
        /// Moment before which it is not started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_before: Option<Timestamp>,
        /// Needs that its last end has shown.
        #[serde(default, skip_serializing_if = "Demand::is_empty")]
        demand: Demand,
        /// Changes to the shard by that user, or by a step of the ladder; boxed, because few facts have any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edit: Option<Box<Edit>>,
        /// The step of the sweep's ladder that brought it here; its edit is in `edit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<Box<StepTaken>>,
    },
    /// A user took back that the shard was put into the queue: it is again what it was.
    RequeueUndone {
        /// The shard that left the queue again.
        shard: ShardId,
        /// The user who took it back.
        by: Option<Actor>,
    },
    /// A queued shard starts before or after others now.
    PriorityChanged {
        /// The shard whose place changes.
        shard: ShardId,
        /// The new priority of the shard.
        priority: Priority,
        /// The user who asked for it.
        by: Option<Actor>,
    },
    /// A pack that ran out of memory becomes two.
    PackSplit(PackSplit),
    /// An axis got more values.
    ValuesAdded(Box<Growth>),
    /// New files become no values of this axis any more.
    WatchEnded {
        /// Name of the axis that was watched.
        axis: String,
        /// Reason for which the watch ended.
        cause: WatchEnd,
        /// The user who asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Actor>,
    },
    /// Shards need an instance of a service that was not there before; its attempts are recorded like those of shards.
    ServiceAdded {
        /// Name of the instance, in place of a shard's.
        shard: ShardId,
        /// Service, GPU and values that identify the instance.
        #[serde(flatten)]
        instance: ServiceInstance,
    },
    /// Shards may use an instance of a service from now on.
    ServiceReady {
        /// Name of the instance, in place of a shard's.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// Port on which it listens, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        port: Option<u16>,
    },
    /// Something happened between the run and its nodes; boxed, because few runs have nodes.
    Node(Box<NodeEvent>),
    /// A queued shard was taken out.
    ShardCancelled {
        /// The shard that was taken out.
        shard: ShardId,
        /// The user who asked, where one did.
        by: Option<Actor>,
        /// Reason for which it was taken out.
        #[serde(default, skip_serializing_if = "CancelCause::is_asked")]
        cause: CancelCause,
    },
    /// A comparison needs no more episodes: its queued shards are taken out next. Boxed, because few runs have it.
    ComparisonDecided(Box<DecidedComparison>),
    /// A condition on top of the phase came or went.
    ConditionChanged {
        /// The shard whose condition changed.
        shard: ShardId,
        /// Number of the attempt, from 1.
        attempt: AttemptNumber,
        /// The condition, or none any more.
        condition: Option<Condition>,
        /// The last sign of life before it; absent in journals of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Timestamp>,
    },
    /// The parallel limit was changed.
    ParallelChanged {
        /// The new limit of shards side by side.
        parallel: u32,
        /// The user who asked for it.
        by: Option<Actor>,
    },
    /// How much VRAM is left free on every GPU was changed.
    ReserveChanged {
        /// VRAM to leave free on each GPU.
        vram: Bytes,
        /// The user who asked for it.
        by: Option<Actor>,
    },
    /// Other GPUs were chosen for the run, of those that its start permits.
    GpusChosen {
        /// Their names; all that are permitted where none is named.
        devices: Vec<String>,
        /// The user who asked for it.
        by: Option<Actor>,
    },
    /// An attempt failed on a GPU that is of no use any more: no shards there until the run is continued after a stop.
    GpuAvoided {
        /// Index of the GPU to avoid.
        gpu: GpuIndex,
        /// Reason in one line for people.
        reason: String,
    },
    /// The same failure came again and again: these shards are not started before the hold is released.
    ShardsHeld {
        /// The shards that are held back.
        shards: Vec<ShardId>,
        /// Reason in one line for people.
        reason: String,
    },
    /// The same, for all shards but a few.
    RunHeld {
        /// Reason in one line for people.
        reason: String,
        /// Shards that start all the same: their work has succeeded before, and what failed never did.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        spares: Vec<ShardId>,
        /// An attempt that runs longer got past the point; absent in journals of earlier versions.
        #[serde(with = "maybe_seconds", rename = "past_s", default, skip_serializing_if = "Option::is_none")]
        past: Option<Duration>,
    },
    /// Whatever was held may be started again.
    HoldsReleased {
        /// The user who asked; `None` if a shard got past the point at which the others had failed.
        by: Option<Actor>,
    },
    /// Nothing is started before a moment of the wall clock.
    StartsClosed {
        /// Moment from which shards may start.
        opens: Timestamp,
        /// Reason for which nothing starts before.
        because: Closing,
        /// The user who asked; `None` if a window of the sweep has closed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Actor>,
    },
    /// Shards may start from now on.
    StartsOpened {
        /// When the window closes; of a run that a user opened before its time, when that would have been.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
        /// The user who asked; `None` if the time has come.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Actor>,
    },
    /// Nothing new is started; with `now` the running ones are stopped too.
    StopRequested {
        /// Stop the running ones.
        now: bool,
        /// The user who asked for the stop, where one did.
        by: Option<Actor>,
        /// The Slurm job that ends too soon for every shard that waits, where that is the reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        job: Option<String>,
    },
    /// The run goes on after a stop or a reboot.
    RunContinued {
        /// The user who asked, where one did.
        by: Option<Actor>,
    },
    /// The reporter command ended.
    ReporterEnded {
        /// Its exit code, where it exited.
        code: Option<i32>,
        /// The end of what it printed, or why it could not be started.
        message: String,
        /// The command as it ran; absent in journals of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
        /// The folder in which it ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<PathBuf>,
        /// The 1-based setup step that failed, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        setup_step: Option<u32>,
        /// How long it took.
        #[serde(with = "maybe_seconds", default)]
        elapsed: Option<Duration>,
    },
    /// Something is wrong with the run, and no shard's end shows it.
    RunWarned {
        /// Topic that the warning is about.
        topic: WarningTopic,
        /// The warning in one line for people.
        text: String,
    },
    /// A check before the run began spoke against its results, or its machine.
    PreflightWarned {
        /// The warnings, each one line for people.
        warnings: Vec<String>,
    },
    /// Results of shards that should differ are the same, episode by episode.
    EpisodesRepeated {
        /// All shards with the same results.
        shards: Vec<ShardId>,
        /// The warning in one line for people.
        text: String,
    },
    /// Something worth knowing that changes nothing.
    Remarked {
        /// The attempt it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<AttemptKey>,
        /// The remark in one line for people.
        text: String,
    },
    /// The results are written and nothing more is to do.
    RunEnded {
        /// Every shard was taken to its end; otherwise the run was stopped before.
        finished: bool,
    },
}
