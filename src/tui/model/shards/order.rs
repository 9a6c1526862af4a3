//! The order of the rows: what needs the user first, or the values of a column; and which rows there are.

use std::cmp::{Ordering, Reverse};
use std::time::Duration;

use super::column::ShardColumn;
use super::shard_row::{MemoryUse, ShardRow};
use super::table::{CursorHold, Only, Sort};
use super::value_counts::ValueCounts;
use crate::model::state::fact::Condition;
use crate::model::state::phase::PhaseKind;
use crate::model::state::service_state::{FIRST_SERVICE, ServicePhase, ServiceState};
use crate::tui::model::screen::Model;

/// How soon a shard needs its user; the first variant first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attention {
    /// The shard waits for an answer.
    NeedsInput,
    /// The shard failed and was not queued again.
    Failed,
    /// The shard runs and reports nothing any more.
    Stuck,
    /// The shard runs, or is about to.
    Running,
    /// The shard waits for its start.
    Queued,
    /// The shard is done and succeeded.
    Succeeded,
    /// The shard was taken out of the run.
    Cancelled,
}

impl Attention {
    /// Ranks a shard by its present reading.
    pub fn from_reading(reading: &ShardRow<'_>) -> Self {
        match reading.state.phase.kind() {
            PhaseKind::Failed => Self::Failed,
            PhaseKind::Queued => Self::Queued,
            PhaseKind::Succeeded => Self::Succeeded,
            PhaseKind::Cancelled => Self::Cancelled,
            PhaseKind::Starting | PhaseKind::Running | PhaseKind::Paused | PhaseKind::Stopping => {
                match reading.state.condition() {
                    Some(Condition::NeedsInput) => Self::NeedsInput,
                    Some(Condition::Stalled | Condition::Compiling) | None => match reading.stuck_for() {
                        Some(_) => Self::Stuck,
                        None => Self::Running,
                    },
                }
            }
        }
    }
}

/// The value that rows are sorted by. Unknown values come last, whichever way round.
#[derive(Debug, Clone, PartialEq)]
enum SortKey {
    Number(f64),
    Text(String),
}

impl Model {
    /// Applies what narrows and sorts the table.
    pub fn refresh_table(&mut self) {
        let admitted = |position: &usize| {
            let shard = &self.state.shards[*position];
            let fits = match self.table.only {
                Only::Everything => true,
                Only::Failed => shard.phase.kind() == PhaseKind::Failed,
                Only::Unfinished => shard.phase.kind() != PhaseKind::Succeeded,
            };
            fits && self.table.filter.admits(shard, self.spec(*position))
        };
        let visible: Vec<usize> = (0..self.state.shards.len()).filter(admitted).collect();
        if visible != self.table.visible || !self.values.fits_plan(&self.plan) {
            let shown = visible.iter().filter_map(|position| self.spec(*position));
            self.values = ValueCounts::from_plan(&self.plan, shown);
        }
        let mut rows = self.order_rows(visible);
        rows.extend(self.shown_services());
        self.table.show_rows(rows);
    }

    /// Returns the positions of the services that pass what narrows the table; they come after the shards.
    fn shown_services(&self) -> Vec<usize> {
        let fits = |service: &ServiceState| {
            let fits = match self.table.only {
                Only::Everything => true,
                Only::Failed => service.phase() == ServicePhase::Failed,
                Only::Unfinished => service.phase() != ServicePhase::Ended,
            };
            fits && self.table.filter.admits_text(&format!("{} {}", service.id(), service.phase().as_str()))
        };
        let services = self.state.services.iter().enumerate().filter(|(_, service)| fits(service));
        services.map(|(at, _)| FIRST_SERVICE + at).collect()
    }

    /// Lets a cursor that was never moved keep its shard while that one matters, and go back to the first row then.
    pub fn settle_cursor(&mut self) {
        let phase = |model: &Self| model.selected_shard().map(|reading| reading.state.phase.kind());
        let matters = |kind| !matches!(kind, PhaseKind::Queued | PhaseKind::Succeeded | PhaseKind::Cancelled);
        self.table.hold = match self.table.hold {
            CursorHold::FirstRow if phase(self).is_some_and(matters) => CursorHold::FirstShard,
            CursorHold::FirstShard if !phase(self).is_some_and(matters) => CursorHold::FirstRow,
            unchanged => unchanged,
        };
    }

    fn order_rows(&self, visible: Vec<usize>) -> Vec<usize> {
        match &self.table.sort {
            Some(sort) => self.by_column(sort, visible),
            None => self.by_attention(visible),
        }
    }

    fn by_column(&self, sort: &Sort, visible: Vec<usize>) -> Vec<usize> {
        let mut keyed: Vec<(Option<SortKey>, usize)> =
            visible.into_iter().map(|position| (self.sort_key(&sort.column, position), position)).collect();
        keyed.sort_by(|(one, _), (other, _)| compare_keys(one.as_ref(), other.as_ref(), sort.reversed));
        keyed.into_iter().map(|(_, position)| position).collect()
    }

    fn by_attention(&self, visible: Vec<usize>) -> Vec<usize> {
        // Rows that the user has not looked at yet may change places.
        let is_first = self.table.hold == CursorHold::FirstRow;
        let mut places = vec![usize::MAX; self.state.shards.len()];
        for (row, position) in self.table.rows.iter().enumerate() {
            if let Some(place) = places.get_mut(*position) {
                *place = row;
            }
        }
        let mut rows: Vec<(Attention, Option<Duration>, usize)> = visible
            .into_iter()
            .filter_map(|position| {
                let reading = self.reading(position)?;
                let attention = Attention::from_reading(&reading);
                let left = if attention == Attention::Running { reading.time_left() } else { None };
                Some((attention, left, position))
            })
            .collect();
        rows.sort_by_key(|(attention, left, position)| {
            // Only those that run change places among themselves; the others keep the order of the sweep.
            let place = if *attention == Attention::Running { places[*position] } else { 0 };
            let unsettled = is_first.then(|| Reverse(left.unwrap_or(Duration::MAX)));
            (*attention, unsettled, place, *position)
        });
        let begin = rows.partition_point(|(attention, ..)| *attention < Attention::Running);
        let end = rows.partition_point(|(attention, ..)| *attention <= Attention::Running);
        settle_order(&mut rows[begin..end]);
        rows.into_iter().map(|(.., position)| position).collect()
    }

    fn sort_key(&self, column: &ShardColumn, position: usize) -> Option<SortKey> {
        let reading = self.reading(position)?;
        let seconds = |length: Duration| length.as_secs_f64();
        let number = match column {
            // Sorting states by their words would help no user.
            ShardColumn::State => {
                return Some(SortKey::Number(-f64::from(Attention::from_reading(&reading) as u8)));
            }
            ShardColumn::Shard => return Some(SortKey::Text(reading.state.id.to_string())),
            ShardColumn::Node => {
                return reading.state.node.as_ref().map(|node| SortKey::Text(node.to_string()));
            }
            ShardColumn::Axis(axis) => return axis_key(&self.spec(position)?.value_of(axis)),
            ShardColumn::Remark => return reading.remark_text().map(SortKey::Text),
            ShardColumn::Progress => reading.done_fraction(),
            ShardColumn::Rate => reading.rate(),
            ShardColumn::Elapsed => reading.elapsed().map(seconds),
            ShardColumn::Left => reading.time_left().map(seconds),
            ShardColumn::Metric(name) => reading.metric(name),
            ShardColumn::Vram => reading.vram().map(memory_bytes),
            ShardColumn::Ram => reading.rss().map(memory_bytes),
            ShardColumn::Cpu => reading.cpu(),
            ShardColumn::Gpus => reading.state.phase.gpus().first().map(|gpu| -f64::from(gpu.0)),
            ShardColumn::Energy => reading.energy().map(|energy| energy.joules),
            ShardColumn::Attempt => reading.state.attempt.map(|attempt| f64::from(attempt.0)),
            ShardColumn::Started => reading.started_at().map(|at| at.as_second() as f64),
        };
        number.map(SortKey::Number)
    }
}

fn memory_bytes(memory: MemoryUse) -> f64 {
    match memory {
        MemoryUse::Now(bytes) | MemoryUse::Peak(bytes) => bytes.0 as f64,
    }
}

/// Values that are numbers are sorted as numbers, the smallest first, as a sweep lists them.
fn axis_key(value: &str) -> Option<SortKey> {
    let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
    Some(number.map_or_else(|| SortKey::Text(value.to_owned()), |number| SortKey::Number(-number)))
}

/// The largest number first, words by the alphabet.
fn compare_keys(one: Option<&SortKey>, other: Option<&SortKey>, reversed: bool) -> Ordering {
    let usual = match (one, other) {
        (None, None) => return Ordering::Equal,
        (None, Some(_)) => return Ordering::Greater,
        (Some(_), None) => return Ordering::Less,
        (Some(SortKey::Number(one)), Some(SortKey::Number(other))) => other.total_cmp(one),
        (Some(SortKey::Text(one)), Some(SortKey::Text(other))) => one.cmp(other),
        (Some(SortKey::Number(_)), Some(SortKey::Text(_))) => Ordering::Less,
        (Some(SortKey::Text(_)), Some(SortKey::Number(_))) => Ordering::Greater,
    };
    if reversed { usual.reverse() } else { usual }
}

/// The most time left first. Estimates waver, so a row passes another only where it clearly has more left: rows that
/// change places every second could not be read.
fn settle_order(rows: &mut [(Attention, Option<Duration>, usize)]) {
    for next in 1..rows.len() {
        let mut at = next;
        while at > 0 && has_clearly_more(rows[at].1, rows[at - 1].1) {
            rows.swap(at, at - 1);
            at -= 1;
        }
    }
}

fn has_clearly_more(one: Option<Duration>, other: Option<Duration>) -> bool {
    match (one, other) {
        (None, Some(_)) => true,
        (None | Some(_), None) => false,
        (Some(one), Some(other)) => one > other + other / 4 + Duration::from_secs(10),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(left: &[Option<u64>]) -> Vec<(Attention, Option<Duration>, usize)> {
        let row = |(position, left): (usize, &Option<u64>)| {
            (Attention::Running, left.map(Duration::from_secs), position)
        };
        left.iter().enumerate().map(row).collect()
    }

    fn order(rows: &[(Attention, Option<Duration>, usize)]) -> Vec<usize> {
        rows.iter().map(|(.., position)| *position).collect()
    }

    #[test]
    fn a_row_passes_another_only_where_it_clearly_has_more_left() {
        let mut close = rows(&[Some(100), Some(120), Some(90)]);
        settle_order(&mut close);
        assert_eq!(order(&close), [0, 1, 2]);
        let mut far = rows(&[Some(100), Some(300), None]);
        settle_order(&mut far);
        assert_eq!(order(&far), [2, 1, 0], "what is unknown may take the longest");
    }

    #[test]
    fn what_is_unknown_comes_last_whichever_way_round() {
        let known = SortKey::Number(1.0);
        for reversed in [false, true] {
            assert_eq!(compare_keys(None, Some(&known), reversed), Ordering::Greater);
        }
        assert_eq!(compare_keys(Some(&SortKey::Number(2.0)), Some(&known), false), Ordering::Less);
        assert_eq!(compare_keys(Some(&SortKey::Number(2.0)), Some(&known), true), Ordering::Greater);
    }

    proptest! {
        #[test]
        fn settling_loses_no_row_and_comes_to_rest(left in prop::collection::vec(prop::option::of(0_u64..4000), 0..40)) {
            let mut settled = rows(&left);
            settle_order(&mut settled);
            let mut all = order(&settled);
            all.sort_unstable();
            prop_assert_eq!(all, (0..left.len()).collect::<Vec<_>>());
            let before = order(&settled);
            settle_order(&mut settled);
            prop_assert_eq!(before, order(&settled));
        }
    }
}
