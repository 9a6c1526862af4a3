//! What the dashboard hears, and what it asks of its surroundings in answer.

use jiff::Timestamp;
use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use super::model::logs::log::LogChange;
use super::model::overlays::own_commands::OwnRun;
use super::model::overlays::theme_chooser::{ThemeChooser, ThemeRequest};
use super::model::screen::Supervision;
use super::model::search::Search;
use super::model::shards::column::ColumnChoice;
use crate::model::command::{Command, ControlReply};
use crate::model::fact::Fact;
use crate::model::gpu_health::GpuHealth;
use crate::model::ids::{AttemptKey, ShardId};
use crate::model::mark::Mark;
use crate::model::sample::{GpuInventory, GpuSample, HostSample, ShardSample};
use crate::model::shortage::Waiting;
use crate::model::write_trouble::WriteTrouble;

/// What the dashboard hears.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A key.
    Key(KeyEvent),
    /// A button or the wheel of the mouse.
    Mouse(MouseEvent),
    /// Text from the clipboard; it never acts.
    Pasted(String),
    /// The terminal has this many columns and rows.
    Resized(u16, u16),
    /// A second has passed.
    Tick {
        /// The moment.
        now: Timestamp,
        /// Bytes sent to the terminal in the last second.
        bytes: u64,
    },
    /// Another moment is shown, without a second having passed here.
    Moment(Timestamp),
    /// New lines of the journal.
    Facts(Vec<Fact>),
    /// Nothing that was told counts any more; these are all lines of the journal up to an earlier moment.
    Rewound(Vec<Fact>),
    /// New marks of an attempt.
    Marks {
        /// Whose.
        key: AttemptKey,
        /// Those read before count no more.
        restarted: bool,
        /// In the order of the log.
        marks: Vec<Mark>,
    },
    /// What the machine has.
    Inventory(GpuInventory),
    /// What is wrong with the GPUs.
    Health(Vec<GpuHealth>),
    /// What queued shards are short of.
    Waiting(Waiting),
    /// What the supervisor cannot write.
    Unwritten(Vec<WriteTrouble>),
    /// Readings of GPUs.
    Gpus(Vec<GpuSample>),
    /// Readings of the host.
    Host(Vec<HostSample>),
    /// Readings from here and there in the past of the run, oldest first.
    Past {
        /// Of the GPUs.
        gpus: Vec<GpuSample>,
        /// Of the host.
        host: Vec<HostSample>,
    },
    /// Readings of shards.
    Shards(Vec<ShardSample>),
    /// Something about the log of the selected shard.
    Log {
        /// Whose; late news of another log are dropped.
        key: AttemptKey,
        /// What.
        change: LogChange,
    },
    /// What came of a search in the file of a log.
    LogFound {
        /// Whose.
        key: AttemptKey,
        /// What.
        found: LogFound,
    },
    /// Whether a supervisor lives.
    Supervisor(Supervision),
    /// What became of a command.
    Replied {
        /// What was asked.
        command: Command,
        /// The answer, or why there is none.
        reply: Result<ControlReply, String>,
    },
    /// A command of the user's own has ended.
    OwnEnded {
        /// Which.
        run: OwnRun,
        /// Why it failed, in one line, where it did.
        result: Result<(), String>,
    },
    /// When the log of an attempt was written last.
    LastOutput {
        /// Whose.
        key: AttemptKey,
        /// By the clock of the run.
        at: Timestamp,
    },
    /// Where the report of the run is.
    Report(String),
    /// The files of the run do not read.
    Trouble(String),
    /// The themes there are.
    Themes(ThemeChooser),
    /// Something to tell in the status line.
    Told {
        /// One line.
        text: String,
        /// It is about a failure.
        bad: bool,
    },
}

/// What is asked of the surroundings.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask the supervisor.
    Send(Command),
    /// Hand the terminal to a shard.
    Enter(ShardId),
    /// Run a command of the user's own.
    Own(OwnRun),
    /// Read another piece of the log.
    ReadLog(Piece),
    /// Look for a text in the file of the log.
    FindInLog {
        /// From here.
        from: u64,
        /// Towards the begin.
        up: bool,
        /// For this.
        search: Search,
    },
    /// Ask the terminal to put a text into the clipboard.
    Copy(String),
    /// Write a text to a new file.
    Save {
        /// Where, as the user typed it.
        path: String,
        /// The text.
        text: String,
    },
    /// Show the file of the log in the user's pager.
    Page,
    /// Something about themes.
    Theme(ThemeRequest),
    /// Remember which columns are shown.
    KeepColumns(ColumnChoice),
    /// Use the mouse, or leave it to the terminal.
    Mouse,
    /// Draw everything anew.
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
pub enum Piece {
    /// Before the line that begins here.
    Before(u64),
    /// From the line that begins here on.
    After(u64),
    /// Around this place.
    Around(u64),
    /// The end.
    End,
}

/// What came of a search in the file of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFound {
    /// It stands here.
    At(u64),
    /// So far nothing.
    NotUpTo {
        /// The search goes on here.
        offset: u64,
        /// In this direction.
        up: bool,
    },
    /// Nowhere in that direction.
    Nowhere,
}

/// What interrupts the wait of the main loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Pulse {
    /// The user did something.
    Heard(Message),
    /// A file of the run changed.
    FilesChanged,
    /// The terminal has another size.
    Resized,
    /// This process should end, by this signal.
    Terminate(i32),
    /// This process should go to sleep.
    Suspend,
    /// This process goes on; the terminal may look like anything.
    Continued,
}
