//! Which shards the table shows, the one the keys are about, and the marked ones.

use std::collections::BTreeSet;

use super::column::ShardColumn;
use super::filter::Filter;
use crate::model::state::service_state::FIRST_SERVICE;

/// Additional limits on the shards that are shown, on top of the filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Only {
    /// All shards are shown.
    #[default]
    Everything,
    /// Only shards that failed.
    Failed,
    /// Only shards that have not succeeded.
    Unfinished,
}

/// The row or shard that the cursor stays with when rows change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CursorHold {
    /// The first row, whichever shard that is: nothing has begun yet.
    #[default]
    FirstRow,
    /// The shard that it began on, for as long as that one matters.
    FirstShard,
    /// The shard that the user looks at.
    Chosen,
}

/// A column whose values decide on the order of the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// The column whose values are compared.
    pub column: ShardColumn,
    /// The other way round: the smallest number first, the last word first.
    pub reversed: bool,
}

/// The state of the shard table; shards are named by their position in the sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShardTable {
    /// The shards that pass the filter, in the order of the sweep.
    pub visible: Vec<usize>,
    /// The same shards in the order of the rows, and after them the services.
    pub rows: Vec<usize>,
    /// The row the keys are about.
    pub cursor: usize,
    /// The row or shard that the cursor stays with when rows change.
    pub hold: CursorHold,
    /// The shard that the cursor was on when the last row left; it comes back to it.
    pub left: Option<usize>,
    /// Rows hidden on top.
    pub offset: usize,
    /// Positions of the marked shards.
    pub marked: BTreeSet<usize>,
    /// The shard that was marked last, where a range begins.
    pub anchor: Option<usize>,
    /// The filter that the user typed.
    pub filter: Filter,
    /// The shards that are shown, whatever the filter is.
    pub only: Only,
    /// The column that rows are sorted by; none for what needs the user first.
    pub sort: Option<Sort>,
}

impl ShardTable {
    /// The shard under the cursor.
    pub fn selected_position(&self) -> Option<usize> {
        self.rows.get(self.cursor).copied()
    }

    /// The row of a shard, where it is shown.
    pub fn row_of(&self, position: usize) -> Option<usize> {
        self.rows.iter().position(|shown| *shown == position)
    }

    /// The shards the acting keys are about: the marked ones, else the one under the cursor.
    pub fn target_shards(&self) -> Vec<usize> {
        if self.marked.is_empty() {
            self.selected_position().into_iter().collect()
        } else {
            self.marked.iter().copied().collect()
        }
    }

    /// Shows other rows; the cursor stays on its shard, or on the row where it was.
    pub fn show_rows(&mut self, rows: Vec<usize>) {
        let selected = self.selected_position().or(self.left);
        self.visible = rows.iter().copied().filter(|position| *position < FIRST_SERVICE).collect();
        self.visible.sort_unstable();
        self.rows = rows;
        self.left = selected.filter(|_| self.rows.is_empty());
        let row = selected.and_then(|selected| self.row_of(selected)).unwrap_or(self.cursor);
        self.cursor = match self.hold {
            CursorHold::FirstRow => 0,
            CursorHold::FirstShard | CursorHold::Chosen => row.min(self.rows.len().saturating_sub(1)),
        };
    }

    /// Puts the cursor on a shard, where it is shown.
    pub fn select_shard(&mut self, position: usize) {
        if let Some(row) = self.row_of(position) {
            self.cursor = row;
        }
    }

    /// Shows only these, or all again.
    pub fn toggle_only(&mut self, only: Only) {
        self.only = if self.only == only { Only::Everything } else { only };
    }

    /// Sorts by a column; by the same one once more, the other way round.
    pub fn sort_by(&mut self, column: ShardColumn) {
        let reversed = self.sort.as_ref().is_some_and(|sort| sort.column == column && !sort.reversed);
        self.sort = Some(Sort { column, reversed });
    }

    /// Moves the cursor by rows.
    pub fn move_cursor(&mut self, rows: isize) {
        self.cursor = self.cursor.saturating_add_signed(rows).min(self.rows.len().saturating_sub(1));
    }

    /// Scrolls so that the cursor is in a window of `page` rows.
    pub fn scroll_to_cursor(&mut self, page: usize) {
        let page = page.max(1);
        self.offset = self.offset.min(self.rows.len().saturating_sub(page));
        if self.cursor < self.offset {
            self.offset = self.cursor;
        } else if self.cursor >= self.offset + page {
            self.offset = self.cursor + 1 - page;
        }
    }

    /// Marks the shard under the cursor or unmarks it, and goes on to the next.
    pub fn toggle_mark(&mut self) {
        if let Some(selected) = self.selected_position() {
            self.anchor = None;
            if !self.marked.remove(&selected) {
                self.marked.insert(selected);
                self.anchor = Some(selected);
            }
            self.move_cursor(1);
        }
    }

    /// Marks all rows from the shard that was marked last to the cursor; without such a shard, the one here.
    pub fn mark_range(&mut self) {
        let Some(here) = self.selected_position() else { return };
        let begin = self.anchor.and_then(|anchor| self.row_of(anchor)).unwrap_or(self.cursor);
        let range = begin.min(self.cursor)..=begin.max(self.cursor);
        self.marked.extend(&self.rows[range]);
        self.anchor = Some(here);
    }

    /// Marks all that is shown, in addition to what is marked already.
    pub fn mark_shown(&mut self) {
        self.marked.extend(&self.visible);
        self.anchor = self.selected_position();
    }

    /// Marks none, also of those that the filter hides.
    pub fn clear_marks(&mut self) {
        self.marked.clear();
        self.anchor = None;
    }

    /// Marks what is shown and not marked, and the other way round.
    pub fn invert_marks(&mut self) {
        for shard in self.visible.clone() {
            if !self.marked.remove(&shard) {
                self.marked.insert(shard);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[usize], cursor: usize) -> ShardTable {
        let mut table = ShardTable { hold: CursorHold::Chosen, ..ShardTable::default() };
        table.show_rows(rows.to_vec());
        table.cursor = cursor;
        table
    }

    #[test]
    fn the_cursor_stays_on_the_first_row_until_it_has_found_its_shard() {
        let mut table = ShardTable::default();
        table.show_rows(vec![0, 1, 2]);
        table.show_rows(vec![2, 0, 1]);
        assert_eq!(table.selected_position(), Some(2));
        table.hold = CursorHold::FirstShard;
        table.show_rows(vec![0, 1, 2]);
        assert_eq!(table.selected_position(), Some(2));
    }

    #[test]
    fn the_same_column_once_more_sorts_the_other_way_round() {
        let mut table = ShardTable::default();
        table.sort_by(ShardColumn::Left);
        table.sort_by(ShardColumn::Left);
        assert_eq!(table.sort, Some(Sort { column: ShardColumn::Left, reversed: true }));
        table.sort_by(ShardColumn::Vram);
        assert_eq!(table.sort, Some(Sort { column: ShardColumn::Vram, reversed: false }));
    }

    #[test]
    fn the_cursor_stays_on_its_shard_when_the_filter_changes() {
        let mut table = table(&[0, 1, 2, 3, 4], 3);
        table.show_rows(vec![3, 1]);
        assert_eq!((table.selected_position(), table.visible.as_slice()), (Some(3), &[1, 3][..]));
        table.show_rows(vec![2, 1, 0]);
        assert_eq!(table.selected_position(), Some(2), "the row where it was, where its own is hidden");
        table.show_rows(vec![]);
        assert_eq!(table.selected_position(), None);
        table.move_cursor(1);
        assert_eq!(table.cursor, 0);
        table.show_rows(vec![0, 1, 2, 3]);
        assert_eq!(table.selected_position(), Some(2), "where it was before the last row left");
    }

    #[test]
    fn a_range_goes_from_the_last_mark_to_the_cursor_and_leaves_out_what_is_hidden() {
        let mut table = table(&[0, 1, 3, 4, 6], 1);
        table.toggle_mark();
        table.cursor = 3;
        table.mark_range();
        assert_eq!(table.target_shards(), [1, 3, 4]);
        table.cursor = 0;
        table.mark_range();
        assert_eq!(table.target_shards(), [0, 1, 3, 4], "upwards, from where the last range ended");
        table.clear_marks();
        table.cursor = 2;
        table.mark_range();
        assert_eq!(table.target_shards(), [3], "without a mark there is no begin");
        table.show_rows(vec![4, 6]);
        table.mark_shown();
        assert_eq!(table.target_shards(), [3, 4, 6]);
    }

    #[test]
    fn the_window_follows_the_cursor() {
        let mut table = table(&(0..100).collect::<Vec<_>>(), 50);
        table.scroll_to_cursor(10);
        assert_eq!(table.offset, 41);
        table.cursor = 5;
        table.scroll_to_cursor(10);
        assert_eq!(table.offset, 5);
        table.show_rows((0..3).collect());
        table.scroll_to_cursor(10);
        assert_eq!(table.offset, 0);
    }
}
