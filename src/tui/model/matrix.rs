//! Two axes of the sweep against each other: which shards share a cell, and what they come to together.

use std::collections::{BTreeMap, HashMap};

use super::results::success::Success;
use super::screen::Model;
use super::shards::filter::filter_for_value;
use super::shards::shard_row::ShardRow;
use crate::model::outcome::{FailureReason, Progress};
use crate::model::state::fact::Condition;
use crate::model::state::phase::PhaseKind;
use crate::results::axes;

/// Phases in the order in which they decide what a cell is about: those that need the user come first.
const TELLING: [PhaseKind; 8] = [
    PhaseKind::Failed,
    PhaseKind::Stopping,
    PhaseKind::Running,
    PhaseKind::Paused,
    PhaseKind::Starting,
    PhaseKind::Queued,
    PhaseKind::Cancelled,
    PhaseKind::Succeeded,
];

/// The shards that pass the filter, by the values of two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixView<'a> {
    /// The axis whose values are the rows; `None` if the sweep has no axes.
    pub row_axis: Option<&'a str>,
    /// The axis whose values are the columns; `None` if the sweep has only one.
    pub column_axis: Option<&'a str>,
    /// The other axes; their shards share a cell.
    pub pooled: Vec<&'a str>,
    /// Values of the rows, in the order of the sweep.
    pub rows: Vec<String>,
    /// Values of the columns.
    pub columns: Vec<String>,
    cells: BTreeMap<(usize, usize), Vec<usize>>,
}

/// Values in the order in which they first come.
#[derive(Debug, Default)]
struct OrderedValues {
    known: HashMap<String, usize>,
    ordered: Vec<String>,
}

impl OrderedValues {
    fn number_of(&mut self, value: String) -> usize {
        let next = self.ordered.len();
        *self.known.entry(value).or_insert_with_key(|value| {
            self.ordered.push(value.clone());
            next
        })
    }
}

impl<'a> MatrixView<'a> {
    /// The matrix of the axes that were chosen.
    pub fn from_model(model: &'a Model) -> Self {
        let (row_axis, column_axis) = choose_axes(model);
        let chosen = [row_axis, column_axis];
        let names = model.plan.axes.iter().map(String::as_str);
        let pooled = names.filter(|axis| !chosen.contains(&Some(axis))).collect();
        let (mut rows, mut columns) = (OrderedValues::default(), OrderedValues::default());
        let mut cells: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        // The table may show the shards in any order; rows and columns keep that of the sweep.
        let mut visible = model.table.visible.clone();
        visible.sort_unstable();
        for position in visible {
            let Some(spec) = model.spec(position) else { continue };
            let value = |axis: Option<&str>| axis.map(|axis| spec.value_of(axis)).unwrap_or_default();
            let place = (rows.number_of(value(row_axis)), columns.number_of(value(column_axis)));
            cells.entry(place).or_default().push(position);
        }
        Self { row_axis, column_axis, pooled, rows: rows.ordered, columns: columns.ordered, cells }
    }

    /// The shards of a cell, as positions in the sweep.
    pub fn cell(&self, row: usize, column: usize) -> &[usize] {
        self.cells.get(&(row, column)).map_or(&[], Vec::as_slice)
    }

    /// All cells with shards, by row and column.
    pub fn cells(&self) -> impl Iterator<Item = ((usize, usize), &[usize])> {
        self.cells.iter().map(|(place, shards)| (*place, shards.as_slice()))
    }

    /// The words of a filter that admits the shards of a cell and no others.
    pub fn cell_filter(&self, (row, column): (usize, usize)) -> String {
        let word = |axis: Option<&str>, value: Option<&String>| {
            axis.zip(value).map(|(axis, value)| filter_for_value(axis, value))
        };
        let words =
            [word(self.row_axis, self.rows.get(row)), word(self.column_axis, self.columns.get(column))];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// All shards of a row.
    pub fn row_shards(&self, row: usize) -> impl Iterator<Item = usize> + Clone {
        self.cells.iter().filter(move |((at, _), _)| *at == row).flat_map(|(_, cell)| cell.iter().copied())
    }

    /// All shards of a column.
    pub fn column_shards(&self, column: usize) -> impl Iterator<Item = usize> + Clone {
        self.cells.iter().filter(move |((_, at), _)| *at == column).flat_map(|(_, cell)| cell.iter().copied())
    }

    /// Returns the positions of all shards of the matrix.
    pub fn shards(&self) -> impl Iterator<Item = usize> + Clone {
        self.cells.values().flatten().copied()
    }

    /// A column is added with the sums of the rows, and a row with those of the columns; a sum over one cell
    /// would add nothing.
    pub fn has_margins(&self) -> (bool, bool) {
        (self.columns.len() > 1, self.rows.len() > 1)
    }

    /// Row and column of a shard.
    pub fn locate_shard(&self, position: usize) -> Option<(usize, usize)> {
        self.cells.iter().find(|(_, cell)| cell.contains(&position)).map(|(place, _)| *place)
    }

    /// The first shard of the nearest cell with shards in that direction.
    pub fn nearest_shard(&self, from: (usize, usize), down: isize, right: isize) -> Option<usize> {
        let (mut row, mut column) = from;
        // Without a direction there is nothing nearest.
        if down == 0 && right == 0 {
            return None;
        }
        loop {
            row = row.checked_add_signed(down).filter(|row| *row < self.rows.len())?;
            column = column.checked_add_signed(right).filter(|column| *column < self.columns.len())?;
            if let Some(position) = self.cell(row, column).first() {
                return Some(*position);
            }
        }
    }
}

/// How many rows and columns the matrix of the chosen axes has with those of the sums.
pub fn size_with_margins(model: &Model) -> (usize, usize) {
    let (row_axis, column_axis) = choose_axes(model);
    let count = |axis: Option<&str>| {
        let axis = axis.and_then(|axis| model.plan.axes.iter().position(|name| name == axis));
        axis.map_or(usize::from(!model.table.visible.is_empty()), |axis| model.values.count_shown(axis))
    };
    let with_sum = |count: usize| count + usize::from(count > 1);
    (with_sum(count(row_axis)), with_sum(count(column_axis)))
}

/// Rows and columns. Seeds repeat the other axes and an axis of one value has no information, so they come
/// last; of the first two axes the longer one gives the rows, because there is more room downwards.
fn choose_axes(model: &Model) -> (Option<&str>, Option<&str>) {
    let names = model.plan.axes.iter().map(String::as_str).enumerate();
    let mut axes: Vec<(&str, usize)> =
        names.map(|(axis, name)| (name, model.values.of_sweep(axis))).collect();
    let of_interest = axes::axes_of_interest(&model.plan);
    axes.sort_by_key(|(axis, count)| !of_interest.contains(axis) || *count < 2);
    if let [(_, first), (_, second), ..] = axes[..]
        && second > first
    {
        axes.swap(0, 1);
    }
    if axes.is_empty() {
        return (None, None);
    }
    let row = model.views.rows % axes.len();
    // One after another from the row's on, without the row's.
    let others: Vec<usize> = (1..axes.len()).map(|further| (row + further) % axes.len()).collect();
    let column = (!others.is_empty()).then(|| others[model.views.columns % others.len()]);
    (Some(axes[row].0), column.map(|column| axes[column].0))
}

/// The sums over the shards of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatrixCell {
    /// Number of shards in the cell.
    pub shards: usize,
    /// The most telling phase among them.
    pub kind: PhaseKind,
    /// On top of the phase of a single shard.
    pub condition: Option<Condition>,
    /// How many are in each phase.
    pub counts: [usize; PhaseKind::ALL.len()],
    /// Done of how many, where all of them report it.
    pub progress: Option<Progress>,
    /// The part that is done, 0 to 1, each shard counting the same.
    pub done: f64,
    /// Why the first failed one failed.
    pub failure: Option<FailureReason>,
    /// The rate of success so far, where episodes are known.
    pub success: Option<Success>,
}

impl MatrixCell {
    /// The sum over all that is shown; where that is the whole run, with the success that every face shows.
    pub fn of_all(model: &Model, matrix: &MatrixView<'_>) -> Option<Self> {
        let all = Self::from_readings(matrix.shards().filter_map(|position| model.reading(position)))?;
        let is_whole = all.shards == model.state.shards.len();
        let headline = model.standing.overall.headline().filter(|_| is_whole);
        Some(Self { success: headline.as_ref().map(Success::of_headline).or(all.success), ..all })
    }

    /// The sum over some shards; none without shards.
    pub fn from_readings<'a>(readings: impl Iterator<Item = ShardRow<'a>> + Clone) -> Option<Self> {
        let mut counts = [0; PhaseKind::ALL.len()];
        readings.clone().for_each(|reading| counts[reading.state.phase.kind() as usize] += 1);
        let shards: usize = counts.iter().sum();
        let kind = TELLING.into_iter().find(|kind| counts[*kind as usize] > 0)?;
        let failures = || readings.clone().filter_map(|reading| reading.state.phase.failure());
        let done: f64 = readings.clone().map(done_fraction).sum();
        let mut single = readings.clone().filter(|_| shards == 1);
        Some(Self {
            shards,
            kind,
            condition: single.next().and_then(|reading| {
                reading.state.condition().or(reading.stuck_for().map(|_| Condition::Stalled))
            }),
            counts,
            progress: readings.clone().map(|reading| reading.progress()).reduce(sum_progress).flatten(),
            done: done / shards as f64,
            failure: failures().next().map(|failure| failure.reason),
            success: Success::from_readings(readings),
        })
    }
}

fn done_fraction(reading: ShardRow<'_>) -> f64 {
    let is_done = reading.state.phase.kind() == PhaseKind::Succeeded;
    reading.done_fraction().unwrap_or(if is_done { 1.0 } else { 0.0 })
}

fn sum_progress(one: Option<Progress>, other: Option<Progress>) -> Option<Progress> {
    let (one, other) = one.zip(other)?;
    let total = one.total.zip(other.total).map(|(one, other)| one + other);
    Some(Progress { done: one.done + other.done, total })
}
