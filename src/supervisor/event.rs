//! Events of the supervisor, from whichever thread or task.

use tokio::sync::oneshot;

use super::error::SupervisorError;
use super::logs::attempt_log::Life;
use super::measurements::machine::MachineSurvey;
use crate::model::attempt::{ExitRecord, StartRecord};
use crate::model::command::{Command, ControlReply};
use crate::model::ids::AttemptKey;
use crate::model::logs::value_log::ValueShortfall;
use crate::model::shortage::WaitingGroup;
use crate::model::state::fact::{Actor, Event, Fact};
use crate::model::state::watch_end::WatchEnd;
use crate::model::sweep::node_spec::NodeId;
use crate::progress::files::reading::ResultReading;
use crate::progress::reading::LogSummary;
use crate::scheduler::input::SchedulerInput;

/// Something that happened outside the loop.
pub(super) enum SupervisorEvent {
    /// A client sends a command.
    Command {
        /// Command that was sent.
        command: Command,
        /// Client that asks for it.
        by: Actor,
        /// Channel for the answer, once the facts are in the journal.
        reply: oneshot::Sender<ControlReply>,
    },
    /// The engine has events.
    EngineReady,
    /// Recovery found the holder of an attempt alive.
    Alive {
        /// Attempt of the living holder.
        key: AttemptKey,
        /// Record of the attempt's start.
        started: Box<StartRecord>,
    },
    /// An attempt has its exit record.
    Exited {
        /// Attempt that has ended.
        key: AttemptKey,
        /// Exit record of the attempt.
        exit: Box<ExitRecord>,
    },
    /// The log of an attempt grew.
    Activity {
        /// Attempt whose log it is.
        key: AttemptKey,
        /// Signs of life in the log.
        life: Life,
    },
    /// Something was found that the scheduler decides on as it is.
    Input(SchedulerInput),
    /// The log of an ended attempt was read to its end.
    Read {
        /// Attempt whose log it is.
        key: AttemptKey,
        /// Findings from its log.
        reading: Box<LogSummary>,
        /// The record that made the log final.
        exit: Box<ExitRecord>,
    },
    /// The files of results of an ended attempt were read.
    ResultsRead {
        /// Attempt whose files they are.
        key: AttemptKey,
        /// Findings from the result files.
        files: Box<ResultReading>,
        /// Values of its pack that have no result.
        values: Option<ValueShortfall>,
        /// Findings from its log.
        reading: Box<LogSummary>,
        /// Exit record of the attempt.
        exit: Box<ExitRecord>,
    },
    /// Results are written and the reporter has ended.
    ResultsWritten {
        /// Number of the writing; only the newest is about the present state.
        writing: u32,
        /// Facts about the results and the report.
        events: Vec<Event>,
        /// Every shard was taken to its end.
        finished: bool,
    },
    /// The machine was looked at.
    Looked(Box<MachineSurvey>),
    /// A call of the hook has ended, well or not.
    HookEnded,
    /// A call of the hook failed, or could not be made.
    HookFailed {
        /// Description of the failure, on one line.
        text: String,
    },
    /// Files of a watched axis are complete that the run has not taken up.
    FilesCame {
        /// Name of the watched axis.
        axis: String,
        /// Names of the new files, as values.
        files: Vec<String>,
    },
    /// The watch of an axis is over by its own rule.
    WatchOver {
        /// Name of the watched axis.
        axis: String,
        /// Cause of the end.
        cause: WatchEnd,
    },
    /// The journal of a node has more lines.
    NodeFacts {
        /// Node whose journal it is.
        node: NodeId,
        /// Numbers and facts of the lines.
        facts: Vec<(u64, Fact)>,
    },
    /// What shards that wait at a node are short of has changed.
    NodeShortages {
        /// Node at which they wait.
        node: NodeId,
        /// Groups of its shards, by their positions in its plan.
        shortages: Vec<WaitingGroup>,
    },
    /// A thread that nothing works without could not begin.
    Fatal(SupervisorError),
    /// A deed failed in a way that only people can mend.
    Trouble {
        /// Attempt that the trouble is about, if any.
        about: Option<AttemptKey>,
        /// Description of the trouble, on one line.
        text: String,
    },
}
