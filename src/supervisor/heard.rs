//! Everything the supervisor can hear, from whichever thread or task.

use tokio::sync::oneshot;

use super::error::SupervisorError;
use super::logs::attempt_log::Life;
use super::measurements::machine::Look;
use crate::model::attempt::{ExitRecord, Started};
use crate::model::command::{Command, ControlReply};
use crate::model::fact::{Actor, Event};
use crate::model::ids::AttemptKey;
use crate::model::value_log::ValueShortfall;
use crate::model::watch_end::WatchEnd;
use crate::progress::files::reading::ResultReading;
use crate::progress::reading::Reading;
use crate::scheduler::input::Load;

/// Something that happened outside the loop.
pub(super) enum Heard {
    /// A client asks.
    Command {
        /// What.
        command: Command,
        /// Who.
        by: Actor,
        /// Where the answer goes, once the facts are in the journal.
        reply: oneshot::Sender<ControlReply>,
    },
    /// The engine has events.
    EngineReady,
    /// Recovery found the holder of an attempt alive.
    Alive {
        /// Which.
        key: AttemptKey,
        /// Its record.
        started: Box<Started>,
    },
    /// An attempt has its exit record.
    Exited {
        /// Which.
        key: AttemptKey,
        /// The record.
        exit: Box<ExitRecord>,
    },
    /// A log grew.
    Activity {
        /// Whose.
        key: AttemptKey,
        /// What it shows.
        life: Life,
    },
    /// Where the work of an attempt lies was measured, or has changed.
    Load {
        /// Whose.
        key: AttemptKey,
        /// Where.
        load: Load,
    },
    /// Shards may use a service.
    ServiceReady {
        /// Which attempt of it.
        key: AttemptKey,
        /// Where it listens, where it has a port.
        port: Option<u16>,
    },
    /// The main process of a service has ended.
    ServiceDied {
        /// Which attempt of it.
        key: AttemptKey,
    },
    /// A program has asked something and waits for an answer.
    Asking {
        /// Which.
        key: AttemptKey,
    },
    /// The log of an ended attempt was read to its end.
    Read {
        /// Whose.
        key: AttemptKey,
        /// What it said.
        reading: Box<Reading>,
        /// The record that made the log final.
        exit: Box<ExitRecord>,
    },
    /// The files of results of an ended attempt were read.
    ResultsRead {
        /// Whose.
        key: AttemptKey,
        /// What they say.
        files: Box<ResultReading>,
        /// Values of its pack that have no result.
        values: Option<ValueShortfall>,
        /// What its log said.
        reading: Box<Reading>,
        /// Its record.
        exit: Box<ExitRecord>,
    },
    /// Results are written and the reporter has ended.
    ResultsWritten {
        /// Which writing this was; only the newest is about the present state.
        writing: u32,
        /// Facts about that.
        events: Vec<Event>,
        /// Every shard was taken to its end.
        finished: bool,
    },
    /// The machine was looked at.
    Looked(Box<Look>),
    /// A call of the hook has ended, well or not.
    HookEnded,
    /// A call of the hook failed, or could not be made.
    HookFailed {
        /// One line.
        text: String,
    },
    /// Files of a watched axis are complete that the run has not taken up.
    FilesCame {
        /// The axis.
        axis: String,
        /// Its new values.
        files: Vec<String>,
    },
    /// The watch of an axis is over by its own rule.
    WatchOver {
        /// The axis.
        axis: String,
        /// Why.
        cause: WatchEnd,
    },
    /// A thread that nothing works without could not begin.
    Fatal(SupervisorError),
    /// A deed failed in a way that only people can mend.
    Trouble {
        /// About which attempt.
        about: Option<AttemptKey>,
        /// One line.
        text: String,
    },
}
