//! What the home screen knows: runs, sweeps, and the plan of a sweep that may be started.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::overlay::Notice;
use super::screen::Access;
use crate::model::ids::{RunId, ShardId};
use crate::results::status::{Counts, RunWord};
use crate::tui::keymap::chosen::Keymap;

/// The whole screen.
#[derive(Debug, Clone)]
pub struct Home {
    /// Where times are shown.
    pub zone: TimeZone,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Whether anything may be started from here.
    pub access: Access,
    /// Runs of this user, those that go on first, then the newest first.
    pub runs: Vec<RunLine>,
    /// Sweep files here and in `configs/`.
    pub sweeps: Vec<SweepLine>,
    /// The chosen line, counted through runs and then sweeps.
    pub cursor: usize,
    /// Which keys do what.
    pub keymap: Keymap,
    /// What lies over the lists.
    pub page: Page,
    /// What was just done or went wrong.
    pub notice: Option<Notice>,
}

/// A run at a glance.
#[derive(Debug, Clone, PartialEq)]
pub struct RunLine {
    /// Its name on this machine.
    pub id: RunId,
    /// Its folder.
    pub dir: PathBuf,
    /// When it was created.
    pub created: Timestamp,
    /// What it is doing; none where its journal does not read.
    pub state: Option<RunWord>,
    /// Shards by phase; none where its journal does not read.
    pub counts: Option<Counts>,
}

/// A sweep file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepLine {
    /// Its path, as found.
    pub path: PathBuf,
    /// How many shards it has; none where it has mistakes.
    pub shards: Option<usize>,
}

/// What has the keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Page {
    /// The lists.
    #[default]
    Lists,
    /// The plan of a sweep.
    Plan(SweepPlan),
    /// Why a sweep has no plan, or was not started.
    Problems {
        /// What it is about.
        title: String,
        /// Lines for people.
        lines: Vec<String>,
    },
}

/// The plan of a sweep, as far as it can be changed before the start.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPlan {
    /// Its file.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// The combos in the order of the sweep.
    pub combos: Vec<ComboLine>,
    /// How many shards run side by side, at least 1.
    pub parallel: u32,
    /// Why the machine chose `parallel`, where the sweep left it to the machine and the user has not changed it.
    pub because: Option<String>,
    /// What the preflight found for the whole sweep, the gravest first.
    pub preflight: Vec<Remark>,
    /// The chosen combo.
    pub cursor: usize,
}

/// A combo of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct ComboLine {
    /// Its values, or its id where it has none.
    pub name: String,
    /// Its shards: one, or its slices.
    pub shards: Vec<ShardId>,
    /// How long all of them should take one after another, where that is known of each.
    pub foreseen: Option<Duration>,
    /// It will be run.
    pub ticked: bool,
}

/// How grave a remark of the preflight is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gravity {
    /// The sweep would not be started.
    Refusal,
    /// The run may fail.
    Warning,
    /// Worth knowing.
    Note,
}

/// What the preflight found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// How grave it is.
    pub gravity: Gravity,
    /// One line.
    pub text: String,
}

/// What is to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The sweep file.
    pub sweep: PathBuf,
    /// These shards of it.
    pub shards: Vec<ShardId>,
    /// So many side by side.
    pub parallel: u32,
}

impl Home {
    /// An empty screen.
    pub fn new(access: Access, zone: TimeZone) -> Self {
        Self {
            zone,
            size: (80, 24),
            access,
            runs: Vec::new(),
            sweeps: Vec::new(),
            cursor: 0,
            keymap: Keymap::default(),
            page: Page::Lists,
            notice: None,
        }
    }

    /// Takes a new look at the runs; the cursor stays with its line.
    pub fn take_runs(&mut self, mut runs: Vec<RunLine>) {
        runs.sort_by_key(|run| !run.goes_on());
        let chosen = self.runs.get(self.cursor).map(|run| run.dir.clone());
        let moved = chosen.and_then(|dir| runs.iter().position(|run| run.dir == dir));
        // Before the sweeps are read the cursor is on none of them, also where there is no run yet.
        let sweep = self.cursor.checked_sub(self.runs.len()).filter(|number| *number < self.sweeps.len());
        self.cursor = moved.or(sweep.map(|number| runs.len() + number)).unwrap_or(self.cursor);
        self.runs = runs;
        self.cursor = self.cursor.min(self.lines().saturating_sub(1));
    }

    /// How many lines there are to choose from.
    pub fn lines(&self) -> usize {
        self.runs.len() + self.sweeps.len()
    }
}

impl RunLine {
    /// It is not over, whether a supervisor is at work or has to be started.
    pub fn goes_on(&self) -> bool {
        self.state.is_some_and(|state| match state {
            RunWord::Running | RunWord::Unsupervised => true,
            RunWord::Finished | RunWord::Stopped => false,
        })
    }
}

impl SweepPlan {
    /// The shards that will be run.
    pub fn ticked(&self) -> Vec<ShardId> {
        self.combos.iter().filter(|combo| combo.ticked).flat_map(|combo| combo.shards.clone()).collect()
    }

    /// What is started with the present choice.
    pub fn start(&self) -> Start {
        Start { sweep: self.path.clone(), shards: self.ticked(), parallel: self.parallel }
    }
}
