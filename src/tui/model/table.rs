//! Which shards the table shows, the one the keys are about, and the marked ones.

use std::collections::BTreeSet;

use super::filter::Filter;

/// The state of the shard table; shards are named by their position in the sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The shards that pass the filter, in the order of the sweep.
    pub visible: Vec<usize>,
    /// The row of `visible` the keys are about.
    pub cursor: usize,
    /// Rows hidden on top.
    pub offset: usize,
    /// Marked shards.
    pub marked: BTreeSet<usize>,
    /// The shard that was marked last, where a range begins.
    pub anchor: Option<usize>,
    /// What was typed.
    pub filter: Filter,
    /// Only failed shards are shown.
    pub failed_only: bool,
}

impl Table {
    /// The shard under the cursor.
    pub fn selected(&self) -> Option<usize> {
        self.visible.get(self.cursor).copied()
    }

    /// The shards the acting keys are about: the marked ones, else the one under the cursor.
    pub fn targets(&self) -> Vec<usize> {
        if self.marked.is_empty() {
            self.selected().into_iter().collect()
        } else {
            self.marked.iter().copied().collect()
        }
    }

    /// Shows other rows; the cursor stays on its shard, or on the place where it was.
    pub fn show(&mut self, visible: Vec<usize>) {
        let selected = self.selected();
        self.visible = visible;
        self.cursor = match selected.map(|selected| self.visible.binary_search(&selected)) {
            Some(Ok(row) | Err(row)) => row,
            None => self.cursor,
        };
        self.cursor = self.cursor.min(self.visible.len().saturating_sub(1));
    }

    /// Puts the cursor on a shard, where it is shown.
    pub fn select(&mut self, position: usize) {
        if let Ok(row) = self.visible.binary_search(&position) {
            self.cursor = row;
        }
    }

    /// Moves the cursor by rows.
    pub fn step(&mut self, rows: isize) {
        self.cursor = self.cursor.saturating_add_signed(rows).min(self.visible.len().saturating_sub(1));
    }

    /// Scrolls so that the cursor is in a window of `page` rows.
    pub fn scroll_to_cursor(&mut self, page: usize) {
        let page = page.max(1);
        self.offset = self.offset.min(self.visible.len().saturating_sub(page));
        if self.cursor < self.offset {
            self.offset = self.cursor;
        } else if self.cursor >= self.offset + page {
            self.offset = self.cursor + 1 - page;
        }
    }

    /// Marks the shard under the cursor or unmarks it, and goes on to the next.
    pub fn toggle_mark(&mut self) {
        if let Some(selected) = self.selected() {
            self.anchor = None;
            if !self.marked.remove(&selected) {
                self.marked.insert(selected);
                self.anchor = Some(selected);
            }
            self.step(1);
        }
    }

    /// Marks all that is shown from the shard that was marked last to the cursor; without such a shard, the one here.
    pub fn mark_range(&mut self) {
        let Some(here) = self.selected() else { return };
        let begin = self.anchor.unwrap_or(here);
        let range = begin.min(here)..=begin.max(here);
        self.marked.extend(self.visible.iter().filter(|shard| range.contains(shard)));
        self.anchor = Some(here);
    }

    /// Marks all that is shown, beside what is marked already.
    pub fn mark_shown(&mut self) {
        self.marked.extend(&self.visible);
        self.anchor = self.selected();
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

    #[test]
    fn the_cursor_stays_on_its_shard_when_the_filter_changes() {
        let mut table = Table { visible: vec![0, 1, 2, 3, 4], cursor: 3, ..Table::default() };
        table.show(vec![1, 3]);
        assert_eq!(table.selected(), Some(3));
        table.show(vec![0, 1, 2]);
        assert_eq!(table.selected(), Some(2), "the nearest one, where its own is hidden");
        table.show(vec![]);
        assert_eq!(table.selected(), None);
        table.step(1);
        assert_eq!(table.cursor, 0);
    }

    #[test]
    fn a_range_goes_from_the_last_mark_to_the_cursor_and_leaves_out_what_is_hidden() {
        let mut table = Table { visible: vec![0, 1, 3, 4, 6], cursor: 1, ..Table::default() };
        table.toggle_mark();
        table.cursor = 3;
        table.mark_range();
        assert_eq!(table.targets(), [1, 3, 4]);
        table.cursor = 0;
        table.mark_range();
        assert_eq!(table.targets(), [0, 1, 3, 4], "upwards, from where the last range ended");
        table.clear_marks();
        table.cursor = 2;
        table.mark_range();
        assert_eq!(table.targets(), [3], "without a mark there is no begin");
        table.show(vec![4, 6]);
        table.mark_shown();
        assert_eq!(table.targets(), [3, 4, 6]);
    }

    #[test]
    fn the_window_follows_the_cursor() {
        let mut table = Table { visible: (0..100).collect(), cursor: 50, ..Table::default() };
        table.scroll_to_cursor(10);
        assert_eq!(table.offset, 41);
        table.cursor = 5;
        table.scroll_to_cursor(10);
        assert_eq!(table.offset, 5);
        table.show((0..3).collect());
        table.scroll_to_cursor(10);
        assert_eq!(table.offset, 0);
    }
}
