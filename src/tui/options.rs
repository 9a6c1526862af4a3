//! What `cli` gives to the dashboard and what it gets back.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use super::model::home_screen::home::SweepLine;
use super::model::home_screen::run_line::RunLine;
use super::model::monitor::MachineLook;
use super::model::overlays::sweep_plan::{Start, SweepPlan, SweepRequest};
use super::model::shards::column::ColumnChoice;
use crate::model::command::{Command, ControlReply};
use crate::model::ids::{RunId, ShardId};
use crate::model::notify::Notify;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::keyed::KeyedCommand;
use crate::tui::model::screen::ScreenAccess;

/// How and on which run the dashboard is opened.
pub struct Options {
    /// Folder of the run that is shown.
    pub run: RunDir,
    /// The actions that are allowed: but for [`ScreenAccess::Acting`], keys that act do not exist and no socket is
    /// opened.
    pub access: ScreenAccess,
    /// How it looks and which keys it has.
    pub preferences: Preferences,
    /// How the user's wishes are carried out; called when they may act only.
    pub actions: Box<dyn Actions>,
}

/// Keeps the theme of this name for later screens; returns the message in one line, or why it cannot.
pub type KeepTheme = fn(&str) -> Result<String, String>;

/// Keeps the choice of columns for later screens; the error is one line for people.
pub type KeepColumns = fn(&ColumnChoice) -> Result<(), String>;

/// The user's preferences for every screen, from the command line or the settings.
#[derive(Debug, Clone, Default)]
pub struct Preferences {
    /// Only ASCII characters are drawn.
    pub ascii: bool,
    /// At most one frame a second, for slow lines.
    pub slow: bool,
    /// A theme's name; the default where none is given.
    pub theme: Option<String>,
    /// The keys and the actions that they are bound to.
    pub keymap: Keymap,
    /// Commands of the user's own for the rows of the dashboard.
    pub commands: Vec<KeyedCommand>,
    /// How a theme is kept for later screens.
    pub keep_theme: Option<KeepTheme>,
    /// The columns of the shard table that are shown.
    pub columns: ColumnChoice,
    /// How that is kept for later screens.
    pub keep_columns: Option<KeepColumns>,
    /// The mouse acts on screens; else it is the terminal's, to select text.
    pub mouse: bool,
    /// Uses of the terminal besides drawing on it.
    pub notify: Notify,
    /// A mistake in the settings, in one line.
    pub warning: Option<String>,
}

/// The actions that the dashboard cannot do by itself.
pub trait Actions {
    /// Asks the supervisor; the error is one line for people.
    fn send_command(&mut self, command: Command) -> Result<ControlReply, String>;

    /// Hands the terminal to a shard until the user detaches; the screen is put away meanwhile.
    fn enter_shard(&mut self, shard: &ShardId) -> Result<(), String>;
}

/// How the home screen is opened.
pub struct HomeOptions {
    /// Nothing can be started from it.
    pub read_only: bool,
    /// How it looks and which keys it has.
    pub preferences: Preferences,
    /// Why what was chosen before could not be done.
    pub notice: Option<String>,
    /// Source of its runs, sweeps and plans.
    pub launcher: Box<dyn HomeBackend>,
}

/// The questions that the home screen cannot answer by itself, asked on a thread of its own.
pub trait HomeBackend: Send {
    /// All runs of this user, the newest first; the error is one line for people. Journals are read for so long; what
    /// was not read then is [`RunLineState::Unread`](super::model::home_screen::run_line::RunLineState::Unread) until
    /// it is asked again.
    fn list_runs(&mut self, patience: Duration) -> Result<Vec<RunLine>, String>;

    /// The sweeps that can be found from here.
    fn list_sweeps(&mut self) -> Vec<SweepLine>;

    /// Makes the plan of a wish and looks at the machine for it; the error is lines for people.
    fn make_plan(&mut self, wish: &SweepRequest) -> Result<SweepPlan, Vec<String>>;

    /// Takes a run whose folder is gone from the list; the error is one line for people.
    fn forget_run(&mut self, run: &RunId) -> Result<(), String>;
}

/// How the monitor is opened.
pub struct MonitorOptions {
    /// The name of the machine.
    pub host: String,
    /// How it looks and which keys it has.
    pub preferences: Preferences,
    /// Source of the machine's state.
    pub readings: Box<dyn MachineSource>,
}

/// The readings that the monitor cannot take by itself, asked for on a thread of its own.
pub trait MachineSource: Send {
    /// The machine at this moment. It is asked once a second, and waits for no GPU.
    fn read_machine(&mut self, now: Timestamp) -> MachineLook;
}

/// How the home screen was left.
#[derive(Debug, Clone, PartialEq)]
pub enum Chosen {
    /// For the run in this folder.
    Attach(PathBuf),
    /// To start the demo.
    Demo,
    /// To start a sweep.
    Start(Box<Start>),
    /// To end the program.
    Leave,
    /// A signal of this number ended it.
    Signalled(i32),
}

/// How the dashboard was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DashboardExit {
    /// By the user; the run goes on by itself.
    Detached,
    /// For the home screen.
    Home,
    /// A signal of this number ended it.
    Signalled(i32),
}

/// Why the dashboard cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// There is no terminal to draw on.
    #[error("the dashboard needs a terminal on stdin and stdout; use --plain or --once instead")]
    NoTerminal,
    /// The terminal refused to be set up or drawn on.
    #[error("cannot use the terminal: {0}")]
    Terminal(#[from] io::Error),
    /// The run does not read.
    #[error(transparent)]
    Run(#[from] RunDirError),
}
