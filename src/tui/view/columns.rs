//! Which columns the table has at a given width: the least important ones give way first.

use crate::tui::model::screen::Model;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// Glyph and word of the phase or of the condition on top of it.
    State,
    /// The id.
    Shard,
    /// A bar and `63/100`.
    Progress,
    /// Done per second.
    Rate,
    /// How long it ran.
    Elapsed,
    /// How long the rest takes.
    Left,
    /// A metric, by name.
    Metric(String),
    /// VRAM now, or the most of an ended attempt.
    Vram,
    /// Resident memory.
    Ram,
    /// CPU in percent of a core.
    Cpu,
    /// The number of the attempt.
    Attempt,
}

/// A column and the cells it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Which.
    pub column: Column,
    /// Cells, without the blank before the next.
    pub width: u16,
}

impl Column {
    /// The heading.
    pub fn title(&self) -> &str {
        match self {
            Self::State => "state",
            Self::Shard => "shard",
            Self::Progress => "progress",
            Self::Rate => "rate",
            Self::Elapsed => "time",
            Self::Left => "left",
            Self::Metric(name) => name,
            Self::Vram => "VRAM",
            Self::Ram => "RAM",
            Self::Cpu => "CPU",
            Self::Attempt => "try",
        }
    }

    /// Numbers stand on the right.
    pub fn is_number(&self) -> bool {
        match self {
            Self::State | Self::Shard | Self::Progress => false,
            Self::Rate
            | Self::Elapsed
            | Self::Left
            | Self::Metric(_)
            | Self::Vram
            | Self::Ram
            | Self::Cpu
            | Self::Attempt => true,
        }
    }

    fn least(&self) -> u16 {
        match self {
            Self::State => 13,
            Self::Shard => 12,
            Self::Progress => 14,
            Self::Rate => 9,
            Self::Elapsed | Self::Left => 7,
            Self::Metric(name) => u16::try_from(name.chars().count()).unwrap_or(u16::MAX).clamp(7, 14),
            Self::Vram | Self::Ram => 6,
            Self::Cpu => 5,
            Self::Attempt => 3,
        }
    }
}

/// The columns for a width, in their order.
pub fn place(model: &Model, width: u16) -> Vec<Placed> {
    let metric = |number: usize| model.metric_names.get(number).cloned().map(Column::Metric);
    // By importance; the order on the screen follows below.
    let wanted = [
        Some(Column::State),
        Some(Column::Shard),
        Some(Column::Progress),
        Some(Column::Left),
        metric(0),
        Some(Column::Vram),
        Some(Column::Rate),
        Some(Column::Cpu),
        Some(Column::Elapsed),
        Some(Column::Attempt),
        Some(Column::Ram),
        metric(1),
    ];
    let mut room = width;
    let mut columns = Vec::new();
    for column in wanted.into_iter().flatten() {
        let least = column.least() + 1;
        if least <= room {
            room -= least;
            columns.push(Placed { width: column.least(), column });
        }
    }
    columns.sort_by_key(|placed| rank(&placed.column));
    widen(&mut columns, room, model);
    columns
}

fn rank(column: &Column) -> u8 {
    match column {
        Column::State => 0,
        Column::Shard => 1,
        Column::Progress => 2,
        Column::Rate => 3,
        Column::Elapsed => 4,
        Column::Left => 5,
        Column::Metric(_) => 6,
        Column::Vram => 7,
        Column::Ram => 8,
        Column::Cpu => 9,
        Column::Attempt => 10,
    }
}

/// Gives what is left first to the ids, as far as they need it, then to the bars.
fn widen(columns: &mut [Placed], room: u16, model: &Model) {
    let shown = model.table.visible.iter().skip(model.table.offset).take(200);
    let longest = shown.filter_map(|position| model.state.shards.get(*position));
    let longest = longest.map(|shard| shard.id.as_str().chars().count()).max().unwrap_or(0);
    // The sign of the series and a mark stand before the id.
    let wanted = u16::try_from(longest).unwrap_or(u16::MAX).saturating_add(2).clamp(12, 42);
    let mut room = room;
    for (wanted_column, most) in [(Column::Shard, wanted), (Column::Progress, 30)] {
        if let Some(placed) = columns.iter_mut().find(|placed| placed.column == wanted_column) {
            let more = most.saturating_sub(placed.width).min(room);
            placed.width += more;
            room -= more;
        }
    }
}
