//! Messages that reach the dashboard, and the requests that it answers with.

use jiff::Timestamp;
use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use super::model::logs::log::LogChange;
use super::model::overlays::own_commands::OwnRun;
use super::model::overlays::theme_chooser::{ThemeChooser, ThemeRequest};
use super::model::screen::Supervision;
use super::model::search::LogSearch;
use super::model::shards::column::ColumnChoice;
use crate::model::command::{Command, ControlReply};
use crate::model::ids::{AttemptKey, ShardId};
use crate::model::logs::mark::Mark;
use crate::model::machine::gpu_health::GpuHealth;
use crate::model::machine::sample::{GpuInventory, GpuSample, HostSample, ShardSample};
use crate::model::shortage::ShortageReport;
use crate::model::state::fact::Fact;
use crate::model::state::write_trouble::WriteTrouble;
use crate::model::sweep::node_spec::NodeId;

/// A message to the dashboard: input, news of the run, or an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A key that the user pressed.
    Key(KeyEvent),
    /// A button or the wheel of the mouse.
    Mouse(MouseEvent),
    /// Text from the clipboard; it never acts.
    Pasted(String),
    /// The terminal has this many columns and rows.
    Resized(u16, u16),
    /// A second has passed.
    Tick {
        /// The time of this tick.
        now: Timestamp,
        /// Bytes sent to the terminal in the last second.
        bytes: u64,
    },
    /// Another moment is shown, without a second having passed here.
    Moment(Timestamp),
    /// New lines of the journal.
    Facts(Vec<Fact>),
    /// Everything known so far is void; these are all lines of the journal up to an earlier moment.
    Rewound(Vec<Fact>),
    /// New marks of an attempt.
    Marks {
        /// The attempt that the marks belong to.
        key: AttemptKey,
        /// The marks read before count no more.
        restarted: bool,
        /// In the order of the log.
        marks: Vec<Mark>,
    },
    /// News of a machine on which shards run.
    Machine {
        /// The node that it is; none for the machine of the run.
        node: Option<NodeId>,
        /// The news.
        news: MachineNews,
    },
    /// The resource that queued shards are short of.
    Waiting(ShortageReport),
    /// Files that the supervisor cannot write.
    Unwritten(Vec<WriteTrouble>),
    /// Something about the log of the selected shard.
    Log {
        /// The attempt whose log it is; late news of another log are dropped.
        key: AttemptKey,
        /// The change to the log.
        change: LogChange,
    },
    /// The result of a search in the file of a log.
    LogFound {
        /// The attempt whose log was searched.
        key: AttemptKey,
        /// The result of the search.
        found: LogFound,
    },
    /// Whether a supervisor lives.
    Supervisor(Supervision),
    /// A command was answered, or failed.
    Replied {
        /// The command that was sent.
        command: Command,
        /// The answer, or why there is none.
        reply: Result<ControlReply, String>,
    },
    /// A command of the user's own has ended.
    OwnEnded {
        /// The command that has ended.
        run: OwnRun,
        /// Why it failed, in one line, where it did.
        result: Result<(), String>,
    },
    /// When the log of an attempt was written last.
    LastOutput {
        /// The attempt that wrote the log.
        key: AttemptKey,
        /// By the clock of the run.
        at: Timestamp,
    },
    /// Path of the report of the run.
    Report(String),
    /// The files of the run do not read.
    Trouble(String),
    /// The themes there are.
    Themes(ThemeChooser),
    /// A notice for the status line.
    Told {
        /// The text, on one line.
        text: String,
        /// The notice is about a failure.
        bad: bool,
    },
}

/// News of a machine, from its telemetry.
#[derive(Debug, Clone, PartialEq)]
pub enum MachineNews {
    /// The GPUs of the machine.
    Inventory(GpuInventory),
    /// Faults of the GPUs that have any.
    Health(Vec<GpuHealth>),
    /// New readings of the GPUs.
    Gpus(Vec<GpuSample>),
    /// Readings of the host.
    Host(Vec<HostSample>),
    /// Readings from here and there in the past of the run, oldest first.
    Past {
        /// Readings of the GPUs.
        gpus: Vec<GpuSample>,
        /// Readings of the host.
        host: Vec<HostSample>,
    },
    /// New readings of shards.
    Shards(Vec<ShardSample>),
}

impl MachineNews {
    /// The message of this news about the machine of the run.
    pub fn of_own_machine(self) -> Message {
        Message::Machine { node: None, news: self }
    }
}

/// A request of the model for something outside it.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Send a command to the supervisor.
    Send(Command),
    /// Hand the terminal to a shard.
    Enter(ShardId),
    /// Run a command of the user's own.
    Own(OwnRun),
    /// Read another piece of the log.
    ReadLog(LogPiece),
    /// Look for a text in the file of the log.
    FindInLog {
        /// Offset at which the search begins.
        from: u64,
        /// The search goes towards the start of the file.
        up: bool,
        /// The text to look for.
        search: LogSearch,
    },
    /// Ask the terminal to put a text into the clipboard.
    Copy(String),
    /// Write a text to a new file.
    Save {
        /// Path of the file, as the user typed it.
        path: String,
        /// Text that the file will hold.
        text: String,
    },
    /// Show the file of the log in the user's pager.
    Page,
    /// Find, show or keep themes.
    Theme(ThemeRequest),
    /// Remember which columns are shown.
    KeepColumns(ColumnChoice),
    /// Use the mouse, or leave it to the terminal.
    Mouse,
    /// Draw the whole screen from scratch.
    Redraw,
    /// Stop this process as Ctrl-Z does.
    Suspend,
    /// Show the home screen; the run goes on.
    Home,
    /// Leave; the run goes on.
    Leave,
}

/// A piece of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogPiece {
    /// Before the line that begins here.
    Before(u64),
    /// From the line that begins here on.
    After(u64),
    /// The lines around this place.
    Around(u64),
    /// The end of the log.
    End,
}

/// The result of a search in the file of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFound {
    /// Offset of the first byte of the match.
    At(u64),
    /// No match so far; the search is not over.
    NotUpTo {
        /// The search goes on here.
        offset: u64,
        /// The search goes towards the start of the file.
        up: bool,
    },
    /// Nowhere in that direction.
    Nowhere,
}

/// An event that interrupts the wait of the main loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Pulse {
    /// The user did something.
    Heard(Message),
    /// A file of the run changed.
    FilesChanged,
    /// The terminal has another size.
    Resized,
    /// A signal asks this process to end.
    Terminate(i32),
    /// A signal asks this process to stop until it is continued.
    Suspend,
    /// The process goes on after a stop; the terminal may look like anything.
    Continued,
}
