//! The views of a run, of which the screen shows one, and what the user has chosen in each.

/// A way to look at the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// The table, with progress, log, machine and events around it.
    #[default]
    Shards,
    /// Two axes of the sweep against each other.
    Matrix,
    /// Everything that has a course over time, on one time axis.
    Charts,
    /// Every GPU in full, and the host.
    Gpus,
    /// The events of the run, with the user behind each action.
    Events,
    /// The table of results so far.
    Results,
    /// The machines that take the shards, in runs that have any.
    Nodes,
}

impl View {
    /// All of them, in the order of the number keys.
    pub const ALL: [Self; 7] =
        [Self::Shards, Self::Matrix, Self::Charts, Self::Gpus, Self::Events, Self::Results, Self::Nodes];

    /// Those that a run has, with nodes or without.
    pub fn of_run(has_nodes: bool) -> &'static [Self] {
        if has_nodes { &Self::ALL } else { &Self::ALL[..Self::ALL.len() - 1] }
    }

    /// The name on the line of views.
    pub fn title(self) -> &'static str {
        match self {
            Self::Shards => "Shards",
            Self::Matrix => "Matrix",
            Self::Charts => "Charts",
            Self::Gpus => "GPUs",
            Self::Events => "Events",
            Self::Results => "Results",
            Self::Nodes => "Nodes",
        }
    }

    /// Whether it shows which shard is selected; where it does not, no key may act on that one.
    pub fn shows_cursor(self) -> bool {
        match self {
            Self::Shards | Self::Matrix | Self::Charts | Self::Results => true,
            Self::Gpus | Self::Events | Self::Nodes => false,
        }
    }

    /// Moves that many of these views further; after the last comes the first.
    #[must_use]
    pub fn cycle_by(self, steps: isize, views: &[Self]) -> Self {
        let count = (views.len() as isize).max(1);
        views.get((self as isize + steps).rem_euclid(count) as usize).copied().unwrap_or_default()
    }
}

/// The measure that the ground of a cell of the matrix shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shade {
    /// The rate of success.
    #[default]
    Success,
    /// How much is done.
    Progress,
}

impl Shade {
    /// Returns the other of the two shades.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Success => Self::Progress,
            Self::Progress => Self::Success,
        }
    }

    /// The word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Progress => "progress",
        }
    }
}

/// The view that is shown, and what was chosen in each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Views {
    /// The one on the screen.
    pub shown: View,
    /// How often another axis was asked for as the rows of the matrix.
    pub rows: usize,
    /// How often another axis was asked for as its columns.
    pub columns: usize,
    /// The measure that the cells of the matrix are shaded by.
    pub shade: Shade,
    /// The filter that is replaced by one for a single cell of the matrix; Esc leads back to it and to the matrix.
    pub before_cell: Option<String>,
    /// How often another metric was asked for in the charts.
    pub metric: usize,
    /// How often another axis was asked for on top of the totals.
    pub totals: usize,
    /// Totals hidden on top.
    pub totals_hidden: usize,
    /// GPUs hidden on top.
    pub cards: usize,
    /// Nodes hidden on top.
    pub nodes: usize,
}
