//! Which columns the table has at a given width: the least important ones give way first.

use super::text::width;
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
    /// The GPUs it is on or was on.
    Gpus,
    /// What its GPUs drew for it.
    Energy,
    /// The number of the attempt.
    Attempt,
}

/// A column and the cells it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Which.
    pub column: Column,
    /// Cells, without the blanks before the next.
    pub width: u16,
}

impl Column {
    /// The heading.
    pub fn title(&self) -> &str {
        // A share is shown as a percentage, which says by itself that it is a rate.
        match self {
            Self::State => "state",
            Self::Shard => "shard",
            Self::Progress => "progress",
            Self::Rate => "rate",
            Self::Elapsed => "time",
            Self::Left => "left",
            Self::Metric(name) => name.strip_suffix("_rate").unwrap_or(name),
            Self::Vram => "VRAM",
            Self::Ram => "RAM",
            Self::Cpu => "CPU",
            Self::Gpus => "GPU",
            Self::Energy => "energy",
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
            | Self::Gpus
            | Self::Energy
            | Self::Attempt => true,
        }
    }

    /// Cells without which the column is not worth its place; ids are as long as `ids`.
    fn least(&self, ids: u16) -> u16 {
        match self {
            Self::State => 13,
            Self::Shard => ids.min(24),
            Self::Progress => 14,
            Self::Rate => 9,
            Self::Elapsed | Self::Left => 7,
            Self::Metric(_) => width(self.title()).clamp(7, 14),
            Self::Vram | Self::Ram => 6,
            Self::Cpu => 5,
            Self::Gpus => 4,
            Self::Energy => 8,
            Self::Attempt => 3,
        }
    }
}

/// The columns for a width, in their order.
pub fn place(model: &Model, width: u16) -> Vec<Placed> {
    let metric = |number: usize| model.metric_names.get(number).cloned().map(Column::Metric);
    // Where there is no GPU the column would hold nothing but dashes.
    let has_gpu = model.machine.inventory.as_ref().is_none_or(|inventory| !inventory.cards().is_empty());
    // By importance; the order on the screen follows below.
    let wanted = [
        Some(Column::State),
        Some(Column::Shard),
        Some(Column::Progress),
        Some(Column::Left),
        metric(0),
        has_gpu.then_some(Column::Vram),
        Some(Column::Rate),
        Some(Column::Cpu),
        Some(Column::Elapsed),
        Some(Column::Attempt),
        Some(Column::Ram),
        metric(1),
        has_gpu.then_some(Column::Gpus),
        has_gpu.then_some(Column::Energy),
        metric(2),
        metric(3),
        metric(4),
        metric(5),
    ];
    let gap = gap(width);
    let ids = id_width(model);
    let mut room = width + gap;
    let mut columns = Vec::new();
    for column in wanted.into_iter().flatten() {
        let width = column.least(ids);
        if width + gap <= room {
            room -= width + gap;
            columns.push(Placed { width, column });
        }
    }
    columns.sort_by_key(|placed| rank(&placed.column));
    widen(&mut columns, room, ids);
    columns
}

/// Blanks between columns.
pub fn gap(width: u16) -> u16 {
    if width >= 100 { 2 } else { 1 }
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
        Column::Gpus => 10,
        Column::Energy => 11,
        Column::Attempt => 12,
    }
}

/// The longest id on the screen, with the place of mark and series before it.
fn id_width(model: &Model) -> u16 {
    let shown = model.table.visible.iter().skip(model.table.offset).take(200);
    let shards = shown.filter_map(|position| model.state.shards.get(*position));
    let longest = shards.map(|shard| width(shard.id.as_str())).max().unwrap_or(0);
    longest.saturating_add(2).clamp(12, 42)
}

/// Gives what is left first to the ids, as far as they need it, then to the bars.
fn widen(columns: &mut [Placed], mut room: u16, ids: u16) {
    for (wanted, most) in [(Column::Shard, ids), (Column::Progress, 30)] {
        if let Some(placed) = columns.iter_mut().find(|placed| placed.column == wanted) {
            let more = most.saturating_sub(placed.width).min(room);
            placed.width += more;
            room -= more;
        }
    }
}
