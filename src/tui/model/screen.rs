//! The model of the screen: everything that is known and everything the user has set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::events::Events;
use super::hardware::machine::MachineHistory;
use super::logs::log::LogPane;
use super::overlays::overlay::{Notice, Overlay};
use super::overlays::own_commands::OwnCommands;
use super::playback::Playback;
use super::results::run_progress::RunProgress;
use super::shards::column::ColumnChoice;
use super::shards::shard_row::{Foresight, ShardRow};
use super::shards::table::ShardTable;
use super::shards::track::Track;
use super::shards::value_counts::ValueCounts;
use super::views::Views;
use crate::model::ids::{AttemptKey, ShardId};
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::state::service_state::{FIRST_SERVICE, ServiceState};
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::node_spec::{NodeId, NodeSpec};
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::model::units::duration_between;
use crate::results::time_left::estimate::Estimate;
use crate::results::time_left::eta::{self, Remaining};
use crate::results::time_left::fellows::{Fellows, Kinship};
use crate::results::time_left::forecast::Forecast;
use crate::tui::model::keys::chosen::Keymap;

/// Everything a view may look at.
#[derive(Debug, Clone)]
pub struct Model {
    /// The fixed facts of the run, from `run.json`.
    pub info: RunInfo,
    /// The sweep after expansion.
    pub plan: Plan,
    /// The fold of the journal.
    pub state: RunState,
    /// Log and processes of each shard, in the order of `state`.
    pub tracks: Vec<Track>,
    /// The same for each service.
    pub service_tracks: Vec<Track>,
    /// How many shards are in each phase, in the order of [`PhaseKind::ALL`].
    pub counts: [usize; PhaseKind::ALL.len()],
    /// Progress and success of the run as a whole.
    pub standing: RunProgress,
    /// How long the run still takes.
    pub left: Option<Estimate>,
    /// How long it takes in all, and how long at least; none before anything was read.
    pub forecast: Option<Forecast>,
    /// Durations that the shards have shown so far.
    pub fellows: Fellows,
    /// The groups of shards that are alike.
    pub kinship: Arc<Kinship>,
    /// Names of metrics, those of the sweep first.
    pub metric_names: Vec<String>,
    /// Whether a supervisor takes care of the run.
    pub supervision: Supervision,
    /// GPUs and host of the machine of the run as last read.
    pub machine: MachineHistory,
    /// The same of each node of the plan.
    pub node_machines: BTreeMap<NodeId, MachineHistory>,
    /// The list of events.
    pub events: Events,
    /// The log of the selected shard.
    pub log: LogPane,
    /// The table of shards.
    pub table: ShardTable,
    /// The shard that the mouse chose last, before any key: one more click opens it.
    pub clicked: Option<usize>,
    /// The columns of the table that the user wants to see.
    pub columns: ColumnChoice,
    /// How many values the axes have.
    pub values: ValueCounts,
    /// The pane that has the keys.
    pub focus: Pane,
    /// The view that is shown, and the choices in each.
    pub views: Views,
    /// The pane that has the keys takes all the room.
    pub zoomed: bool,
    /// Names of the users of this machine, by number.
    pub users: BTreeMap<u32, String>,
    /// The keys and the actions that they are bound to.
    pub keymap: Keymap,
    /// Commands of the user's own.
    pub own: OwnCommands,
    /// The overlay on the panes that has the keys.
    pub overlay: Overlay,
    /// A line about what was just done.
    pub notice: Option<Notice>,
    /// The parallel limit that was asked for and is not yet in the journal.
    pub asked_parallel: Option<u32>,
    /// Shards of the requeue that is being taken back which have started meanwhile and run on.
    pub undo_leaves: Vec<ShardId>,
    /// Something is wrong with the files of the run.
    pub trouble: Option<String>,
    /// Path of the report, as the user would write it; none before it was written.
    pub report: Option<String>,
    /// The actions that are allowed from here.
    pub access: ScreenAccess,
    /// The moment that a replay has reached; `None` if the run is shown as it is now.
    pub playback: Option<Playback>,
    /// Rate at which the screen sends bytes to the terminal, once known.
    pub bytes_per_second: Option<u64>,
    /// The same since the screen was opened.
    pub bytes_sent: u64,
    /// Size of the screen in columns and rows.
    pub size: (u16, u16),
    /// The moment that is shown.
    pub now: Timestamp,
    /// Time zone in which times are shown.
    pub zone: TimeZone,
}

/// The actions that are allowed from a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenAccess {
    /// Watch the run and act on it.
    Acting,
    /// Watch the run without acting on it.
    ReadOnly,
    /// Watch what is over, and move in its time.
    Replaying,
}

impl ScreenAccess {
    /// The same, for a moment in which no key may change the run.
    pub fn without_acting(self) -> Self {
        match self {
            Self::Acting | Self::ReadOnly => Self::ReadOnly,
            Self::Replaying => Self::Replaying,
        }
    }
}

/// Whether a supervisor takes care of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supervision {
    /// A supervisor of the run lives.
    Alive {
        /// Process id of the supervisor.
        pid: u32,
    },
    /// None lives; seen so often in a row.
    Missing {
        /// Number of looks in a row that found none.
        looks: u32,
    },
}

/// A part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The shard table, or what the view shows in its place.
    Shards,
    /// The log of the selected shard.
    Log,
    /// The progress of the run over time.
    Chart,
    /// The GPUs and the host.
    Machine,
    /// The list of events.
    Events,
    /// The sums of the results.
    Totals,
}

impl Pane {
    /// All panes, in the order of the Tab key.
    pub const ALL: [Self; 6] =
        [Self::Shards, Self::Log, Self::Chart, Self::Machine, Self::Events, Self::Totals];

    /// Returns the title in the frame of the pane.
    pub fn title(self) -> &'static str {
        match self {
            Self::Shards => "Shards",
            Self::Log => "Log",
            Self::Chart => "Progress",
            Self::Machine => "Machine",
            Self::Events => "Events",
            Self::Totals => "Totals by value",
        }
    }
}

/// The metrics of the sweep; one that is read from the log and from a file is one.
fn own_metrics(plan: &Plan) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for metric in &plan.metrics {
        if !names.contains(&metric.name.as_str()) {
            names.push(&metric.name);
        }
    }
    names
}

impl Model {
    /// A screen of a run of which nothing was read yet but its two fixed files.
    pub fn new(info: RunInfo, plan: Plan, access: ScreenAccess, now: Timestamp, zone: TimeZone) -> Self {
        let metric_names = own_metrics(&plan).into_iter().map(str::to_owned).collect();
        // Shards that were started elsewhere cannot be acted on from here.
        let access = if plan.only_watches() { access.without_acting() } else { access };
        let of_node = |node: &NodeSpec| (node.id.clone(), MachineHistory::default());
        let node_machines = plan.nodes.iter().map(of_node).collect();
        Self {
            info,
            plan,
            state: RunState::default(),
            tracks: Vec::new(),
            service_tracks: Vec::new(),
            counts: [0; PhaseKind::ALL.len()],
            standing: RunProgress::default(),
            left: None,
            forecast: None,
            fellows: Fellows::default(),
            kinship: Arc::default(),
            metric_names,
            supervision: Supervision::Missing { looks: 0 },
            machine: MachineHistory::default(),
            node_machines,
            events: Events::default(),
            log: LogPane::default(),
            table: ShardTable::default(),
            clicked: None,
            columns: ColumnChoice::default(),
            values: ValueCounts::default(),
            focus: Pane::Shards,
            views: Views::default(),
            zoomed: false,
            users: BTreeMap::new(),
            keymap: Keymap::default(),
            own: OwnCommands::default(),
            overlay: Overlay::None,
            notice: None,
            asked_parallel: None,
            undo_leaves: Vec::new(),
            trouble: None,
            report: None,
            access,
            playback: None,
            bytes_per_second: None,
            bytes_sent: 0,
            size: (0, 0),
            now,
            zone,
        }
    }

    /// The shard at a position, or the attempts of the service there.
    pub fn shard_at(&self, position: usize) -> Option<&ShardState> {
        match self.service_at(position) {
            Some(service) => Some(&service.life),
            None => self.state.shards.get(position),
        }
    }

    /// The service at a position; `None` if it is that of a shard.
    pub fn service_at(&self, position: usize) -> Option<&ServiceState> {
        self.state.services.get(position.checked_sub(FIRST_SERVICE)?)
    }

    /// Returns a shard or service in its present state.
    pub fn reading(&self, position: usize) -> Option<ShardRow<'_>> {
        let track = match position.checked_sub(FIRST_SERVICE) {
            Some(service) => self.service_tracks.get(service)?,
            None => self.tracks.get(position)?,
        };
        let state = self.shard_at(position)?;
        let foresight = Foresight { fellows: &self.fellows, plan: &self.plan, position };
        let is_repeated = self.state.warnings.is_repeated(&state.id);
        let (is_watched, cluster) = (!self.is_unsupervised(), self.values.cluster_of(position));
        Some(ShardRow { state, track, foresight, is_watched, is_repeated, now: self.now, cluster })
    }

    /// Returns all shards in their present state.
    pub fn readings(&self) -> impl Iterator<Item = ShardRow<'_>> + Clone {
        (0..self.state.shards.len()).filter_map(|position| self.reading(position))
    }

    /// The shard under the cursor.
    pub fn selected_shard(&self) -> Option<ShardRow<'_>> {
        self.reading(self.table.selected_position()?)
    }

    /// Returns the shard as the sweep describes it.
    pub fn spec(&self, position: usize) -> Option<&ShardSpec> {
        let id = &self.state.shards.get(position)?.id;
        self.plan.shards.get(position).filter(|spec| spec.id == *id)
    }

    /// The attempt whose log is shown: the newest of the selected shard.
    pub fn selected_attempt(&self) -> Option<AttemptKey> {
        let state = self.selected_shard()?.state;
        Some(AttemptKey { shard: state.id.clone(), attempt: state.attempt? })
    }

    /// How many shards are in a phase.
    pub fn count_in_phase(&self, kind: PhaseKind) -> usize {
        self.counts[kind as usize]
    }

    /// From the creation of the run to its end or now.
    pub fn elapsed(&self) -> Duration {
        let until = match self.state.stage {
            RunStage::Ended { at, .. } => at,
            RunStage::Active | RunStage::Draining | RunStage::Stopping => self.now,
        };
        duration_between(self.state.created.unwrap_or(self.info.created), until)
    }

    /// Reports whether no supervisor takes care of a run that is not over. One look may fall between two supervisors.
    pub fn is_unsupervised(&self) -> bool {
        let over = self.state.stage.is_over();
        let missing = matches!(self.supervision, Supervision::Missing { looks } if looks >= 2);
        missing && !over && !self.state.shards.is_empty()
    }

    /// Does over what follows from the state of all shards: after facts, and once a second.
    pub fn update_derived(&mut self) {
        self.counts = [0; PhaseKind::ALL.len()];
        for shard in &self.state.shards {
            self.counts[shard.phase.kind() as usize] += 1;
        }
        if !self.kinship.fits(&self.plan) {
            self.kinship = Arc::new(Kinship::of(&self.plan));
        }
        self.fellows = Fellows::of(&self.plan, &self.kinship, &self.state, (&[], self.now));
        let left: Vec<Remaining> = self.readings().map(|reading| reading.remaining_work()).collect();
        // Those that wait take what those show that are on their way.
        let known = Fellows::of(&self.plan, &self.kinship, &self.state, (&left, self.now));
        let run_left = eta::run(&self.plan, &self.state, &left, (&known, self.now));
        self.left = run_left.filter(|_| !self.state.all_final());
        let times = (self.elapsed(), self.now);
        self.forecast = Some(Forecast::of_run(&self.plan, &self.state, &left, &known, times));
        let before = std::mem::take(&mut self.standing.overall);
        self.standing = RunProgress::from_run((&self.plan, &self.state), self.readings(), before);
        self.name_metrics();
        self.refresh_table();
    }

    /// Finds the metrics that logs gave in addition to those of the sweep; rates of success come first.
    fn name_metrics(&mut self) {
        let names: BTreeSet<&str> = self
            .readings()
            .filter_map(|reading| reading.metrics())
            .flat_map(|all| all.keys())
            .map(String::as_str)
            .collect();
        let mut ordered = own_metrics(&self.plan);
        let first = ["success_rate", "success", "mean_reward"];
        let found = first.iter().copied().filter(|name| names.contains(name)).chain(names.iter().copied());
        for name in found {
            if !ordered.contains(&name) {
                ordered.push(name);
            }
        }
        self.metric_names = ordered.into_iter().map(str::to_owned).collect();
    }

    /// The unit the sweep gives to a metric.
    pub fn metric_unit(&self, metric: &str) -> Option<&str> {
        let named = self.plan.metrics.iter().filter(|spec| spec.name == metric);
        named.filter_map(|spec| spec.unit.as_deref()).next()
    }
}
