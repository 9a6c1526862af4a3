//! What a colour is for; views name roles, themes give them styles.

use crate::model::logs::stage::Stage;
use crate::model::state::phase::PhaseKind;

macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $role:ident = $name:literal),+ $(,)?) => {
        /// The purpose of a style.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Role {
            $($(#[doc = $doc])+ $role),+
        }

        impl Role {
            /// All roles, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$role),+];

            /// The key in theme files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$role => $name),+
                }
            }
        }
    };
}

roles! {
    /// Everything that has no other role.
    Text = "text",
    /// Text that may be overlooked: labels, tracks, old things.
    Dim = "dim",
    /// Text that must not be overlooked.
    Strong = "strong",
    /// Titles of panes without the keys.
    Title = "title",
    /// The title of the pane that has the keys.
    TitleFocused = "title-focused",
    /// Frames of panes without the keys.
    Border = "border",
    /// The frame of the pane that has the keys.
    BorderFocused = "border-focused",
    /// The row the keys are about.
    Cursor = "cursor",
    /// Rows marked with the space bar.
    Marked = "marked",
    /// Keys in the footer and the help.
    Key = "key",
    /// The name of the run.
    Name = "name",
    /// A badge that only informs, e.g. read-only.
    Badge = "badge",
    /// A badge that calls for help.
    Alarm = "alarm",
    /// Shards that wait in the queue.
    Queued = "queued",
    /// Shards about to run.
    Starting = "starting",
    /// Shards that are running now.
    Running = "running",
    /// Shards that are paused.
    Paused = "paused",
    /// Shards that are being ended.
    Stopping = "stopping",
    /// Shards that are done.
    Succeeded = "succeeded",
    /// Shards that ended with a failure.
    Failed = "failed",
    /// Shards that were taken out.
    Cancelled = "cancelled",
    /// Conditions and remarks: stalled, needs input, stale.
    Warning = "warning",
    /// The empty part of a bar.
    Track = "track",
    /// The line of the selected shard in the chart.
    ChartSelected = "chart-selected",
    /// Lines of ended shards in the chart.
    ChartEnded = "chart-ended",
    /// Memory of processes that are no shards.
    MemoryOther = "memory-other",
    /// The ground of what is done.
    Filled = "filled",
    /// A gauge in its usual range.
    Gauge = "gauge",
    /// A gauge near its limit.
    GaugeHigh = "gauge-high",
}

impl Role {
    /// The role of what a program is at.
    pub fn of_stage(stage: &Stage) -> Self {
        match stage {
            Stage::Starting(_) | Stage::Loading(_) | Stage::CreatingScene(_) | Stage::Compiling(_) => {
                Self::Starting
            }
            Stage::Running => Self::Running,
            Stage::Closing(_) => Self::Stopping,
        }
    }

    /// The role of shards in a phase.
    pub fn of_phase(kind: PhaseKind) -> Self {
        match kind {
            PhaseKind::Queued => Self::Queued,
            PhaseKind::Starting => Self::Starting,
            PhaseKind::Running => Self::Running,
            PhaseKind::Paused => Self::Paused,
            PhaseKind::Stopping => Self::Stopping,
            PhaseKind::Succeeded => Self::Succeeded,
            PhaseKind::Failed => Self::Failed,
            PhaseKind::Cancelled => Self::Cancelled,
        }
    }
}
