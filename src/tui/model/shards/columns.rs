//! The columns that the table has at a given width: the least important give way first, those that the user chose last.

use super::column::ShardColumn;
use crate::model::logs::printable;
use crate::tui::format;
use crate::tui::model::screen::Model;

/// A column and the cells it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The column that is placed.
    pub column: ShardColumn,
    /// Cells, without the blanks before the next.
    pub width: u16,
}

/// Least width in cells; `ids` is that of the longest id.
fn min_width(column: &ShardColumn, ids: u16, model: &Model) -> u16 {
    let least = column.least_width();
    match column {
        ShardColumn::Axis(name) => value_width(model, name),
        ShardColumn::Node => node_width(model).max(least),
        // As long as that of the first attempt: days have names in runs of several days only.
        ShardColumn::Started => {
            text_width(&format::moment_text(model.info.created, model.now, &model.zone)).max(least)
        }
        ShardColumn::Shard => ids.min(least),
        ShardColumn::Metric(_) => text_width(column.title()).clamp(least, 14),
        _fixed => least,
    }
}

/// All columns that this run may have, by importance.
fn by_importance(model: &Model) -> impl Iterator<Item = ShardColumn> {
    let metric = |number: usize| model.metric_names.get(number).cloned().map(ShardColumn::Metric);
    let axis = |number: usize| model.plan.axes.get(number).cloned().map(ShardColumn::Axis);
    // Where there is no GPU the column would hold nothing but dashes.
    let mut known =
        model.machines().into_iter().filter_map(|(_, machine)| machine.inventory.as_ref()).peekable();
    let has_gpu = known.peek().is_none() || known.any(|inventory| !inventory.cards().is_empty());
    // Of one node the name would be the same in every row.
    let has_nodes = model.plan.nodes.len() > 1;
    let wanted = [
        Some(ShardColumn::State),
        Some(ShardColumn::Shard),
        Some(ShardColumn::Progress),
        Some(ShardColumn::Left),
        metric(0),
        has_gpu.then_some(ShardColumn::Vram),
        Some(ShardColumn::Rate),
        Some(ShardColumn::Cpu),
        Some(ShardColumn::Elapsed),
        has_nodes.then_some(ShardColumn::Node),
        Some(ShardColumn::Attempt),
        Some(ShardColumn::Ram),
        metric(1),
        has_gpu.then_some(ShardColumn::Gpus),
        has_gpu.then_some(ShardColumn::Energy),
        metric(2),
        metric(3),
        metric(4),
        metric(5),
        // Ids mostly contain the values; on wide screens they can be compared down a column.
        axis(0),
        axis(1),
        axis(2),
        Some(ShardColumn::Started),
        Some(ShardColumn::Remark),
        metric(6),
        metric(7),
        metric(8),
        metric(9),
    ];
    wanted.into_iter().flatten()
}

/// All columns that this run may have, in the order of the screen.
pub fn all_columns(model: &Model) -> Vec<ShardColumn> {
    let mut columns: Vec<ShardColumn> = by_importance(model).collect();
    columns.sort_by_key(ShardColumn::rank);
    columns
}

/// The columns for a width, in their order.
pub fn place_columns(model: &Model, width: u16) -> Vec<Placed> {
    let choice = &model.columns;
    let mut wanted: Vec<ShardColumn> =
        by_importance(model).filter(|column| !choice.hidden.contains(&column.name())).collect();
    // The two that identify the row come first all the same.
    wanted.sort_by_key(|column| match column {
        ShardColumn::State | ShardColumn::Shard => 0,
        asked_for if choice.wanted.contains(&asked_for.name()) => 1,
        _other => 2,
    });
    let gap = column_gap(width);
    let ids = id_width(model);
    let mut room = width + gap;
    let mut columns = Vec::new();
    for column in wanted {
        let width = min_width(&column, ids, model);
        if width + gap <= room {
            room -= width + gap;
            columns.push(Placed { width, column });
        }
    }
    columns.sort_by_key(|placed| placed.column.rank());
    widen_columns(&mut columns, room, ids);
    columns
}

/// The column at a place of the row of headings, counted from its left end.
pub fn column_at(model: &Model, width: u16, x: u16) -> Option<ShardColumn> {
    let gap = column_gap(width);
    let mut end = 0;
    place_columns(model, width).into_iter().find_map(|placed| {
        end += placed.width + gap;
        (x < end).then_some(placed.column)
    })
}

fn text_width(text: &str) -> u16 {
    u16::try_from(printable::cell_width(text)).unwrap_or(u16::MAX)
}

/// Returns the number of blanks between two columns.
pub fn column_gap(width: u16) -> u16 {
    if width >= 100 { 2 } else { 1 }
}

/// The longest of an axis's values among the first shards, which have them all in most sweeps.
fn value_width(model: &Model, axis: &str) -> u16 {
    let values = model.plan.shards.iter().take(200).map(|spec| text_width(&spec.value_of(axis)));
    values.max().unwrap_or(0).max(text_width(axis)).clamp(4, 24)
}

/// The longest name of a node, as far as it is shown.
fn node_width(model: &Model) -> u16 {
    model.node_machines.keys().map(|node| text_width(node.as_str())).max().unwrap_or(0).min(16)
}

/// The longest id on the screen, with the place of mark and series before it.
fn id_width(model: &Model) -> u16 {
    let shown = model.table.rows.iter().skip(model.table.offset).take(200);
    let shards = shown.filter_map(|position| model.shard_at(*position));
    let longest = shards.map(|shard| text_width(shard.id.as_str())).max().unwrap_or(0);
    longest.saturating_add(2).clamp(12, 42)
}

/// Gives what is left first to the ids, as far as they need it, then to the bars, then to the remarks.
fn widen_columns(columns: &mut [Placed], mut room: u16, ids: u16) {
    for (wanted, most) in [(ShardColumn::Shard, ids), (ShardColumn::Progress, 30), (ShardColumn::Remark, 200)]
    {
        if let Some(placed) = columns.iter_mut().find(|placed| placed.column == wanted) {
            let more = most.saturating_sub(placed.width).min(room);
            placed.width += more;
            room -= more;
        }
    }
}
