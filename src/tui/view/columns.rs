//! Which columns the table has at a given width: the least important ones give way first.

use super::text::width;
use crate::tui::format;
use crate::tui::model::screen::Model;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// Glyph and word of the phase or of the condition on top of it.
    State,
    /// The id.
    Shard,
    /// Its value on an axis, by name.
    Axis(String),
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
    /// When the attempt started.
    Started,
    /// What is odd about it, or why the attempt before failed.
    Remark,
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
            Self::Axis(name) => name,
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
            Self::Started => "started",
            Self::Remark => "remark",
        }
    }

    /// Numbers stand on the right.
    pub fn is_number(&self) -> bool {
        match self {
            Self::State | Self::Shard | Self::Axis(_) | Self::Progress | Self::Remark => false,
            Self::Rate
            | Self::Elapsed
            | Self::Left
            | Self::Metric(_)
            | Self::Vram
            | Self::Ram
            | Self::Cpu
            | Self::Gpus
            | Self::Energy
            | Self::Attempt
            | Self::Started => true,
        }
    }

    /// Cells without which the column is not worth its place; ids are as long as `ids`.
    fn least(&self, ids: u16, model: &Model) -> u16 {
        match self {
            Self::Axis(name) => value_width(model, name),
            // As long as that of the first attempt: days have names in runs of several days only.
            Self::Started => width(&format::moment(model.info.created, model.now, &model.zone)).max(7),
            Self::Remark => 24,
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
    let axis = |number: usize| model.plan.axes.get(number).cloned().map(Column::Axis);
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
        // Ids mostly say the values; on wide screens they can be compared down a column.
        axis(0),
        axis(1),
        axis(2),
        Some(Column::Started),
        Some(Column::Remark),
        metric(6),
        metric(7),
        metric(8),
        metric(9),
    ];
    let gap = gap(width);
    let ids = id_width(model);
    let mut room = width + gap;
    let mut columns = Vec::new();
    for column in wanted.into_iter().flatten() {
        let width = column.least(ids, model);
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
        Column::Axis(_) => 2,
        Column::Progress => 3,
        Column::Rate => 4,
        Column::Elapsed => 5,
        Column::Left => 6,
        Column::Metric(_) => 7,
        Column::Vram => 8,
        Column::Ram => 9,
        Column::Cpu => 10,
        Column::Gpus => 11,
        Column::Energy => 12,
        Column::Attempt => 13,
        Column::Started => 14,
        Column::Remark => 15,
    }
}

/// The longest of an axis's values among the first shards, which have them all in most sweeps.
fn value_width(model: &Model, axis: &str) -> u16 {
    let values = model.plan.shards.iter().take(200).map(|spec| width(&spec.value_of(axis)));
    values.max().unwrap_or(0).max(width(axis)).clamp(4, 24)
}

/// The longest id on the screen, with the place of mark and series before it.
fn id_width(model: &Model) -> u16 {
    let shown = model.table.visible.iter().skip(model.table.offset).take(200);
    let shards = shown.filter_map(|position| model.state.shards.get(*position));
    let longest = shards.map(|shard| width(shard.id.as_str())).max().unwrap_or(0);
    longest.saturating_add(2).clamp(12, 42)
}

/// Gives what is left first to the ids, as far as they need it, then to the bars, then to the remarks.
fn widen(columns: &mut [Placed], mut room: u16, ids: u16) {
    for (wanted, most) in [(Column::Shard, ids), (Column::Progress, 30), (Column::Remark, 200)] {
        if let Some(placed) = columns.iter_mut().find(|placed| placed.column == wanted) {
            let more = most.saturating_sub(placed.width).min(room);
            placed.width += more;
            room -= more;
        }
    }
}
