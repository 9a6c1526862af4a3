//! The lines that match what is looked for in a log, among those that are held.

use std::collections::VecDeque;

use super::log_line::LogLine;
use crate::tui::model::search::LogSearch;

/// Places of the matches. Only lines that came since the last look are searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogHits {
    search: LogSearch,
    /// The bytes of the file whose lines were searched.
    searched: (u64, u64),
    /// Offsets at which matching lines begin, in the order of the file.
    offsets: VecDeque<u64>,
}

impl LogHits {
    /// Follows the lines and what is looked for in them.
    pub fn refresh(&mut self, lines: &VecDeque<LogLine>, search: &LogSearch) {
        let (Some(first), Some(last)) = (lines.front(), lines.back()) else {
            *self = Self::default();
            return;
        };
        let held = (first.offset, last.end);
        if search.is_empty() {
            *self = Self::default();
            return;
        }
        let (begin, end) = self.searched;
        // Lines that came before those searched, or replaced them, are rare.
        if self.search != *search || held.0 < begin || held.1 < end || held.0 > end {
            *self = Self { search: search.clone(), searched: (held.0, held.0), offsets: VecDeque::new() };
        }
        while self.offsets.front().is_some_and(|offset| *offset < held.0) {
            self.offsets.pop_front();
        }
        let new = lines.partition_point(|line| line.offset < self.searched.1);
        let matching = lines.range(new..).filter(|line| search.matches(&line.text));
        self.offsets.extend(matching.map(|line| line.offset));
        self.searched = held;
    }

    /// How many lines match.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// The number of the match on the line that begins there, from 1.
    pub fn match_number(&self, offset: u64) -> Option<usize> {
        self.offsets.binary_search(&offset).ok().map(|before| before + 1)
    }

    /// The first or the last match.
    pub fn edge_match(&self, is_last: bool) -> Option<u64> {
        if is_last { self.offsets.back() } else { self.offsets.front() }.copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: std::ops::Range<u64>) -> VecDeque<LogLine> {
        let line = |number: u64| LogLine {
            offset: number * 10,
            end: number * 10 + 10,
            text: if number.is_multiple_of(3) { "an error".to_owned() } else { "fine".to_owned() },
            ..LogLine::default()
        };
        range.map(line).collect()
    }

    fn fresh(range: std::ops::Range<u64>) -> LogHits {
        let mut hits = LogHits::default();
        hits.refresh(&lines(range), &LogSearch::new("error"));
        hits
    }

    #[test]
    fn matches_are_numbered_whatever_comes_and_goes() {
        let mut hits = fresh(0..10);
        assert_eq!((hits.count(), hits.match_number(30), hits.match_number(40)), (4, Some(2), None));
        let search = LogSearch::new("error");
        for range in [0..20, 5..20, 5..30, 2..30, 2..8, 40..50] {
            hits.refresh(&lines(range.clone()), &search);
            assert_eq!(hits, fresh(range.clone()), "{range:?}");
        }
        hits.refresh(&lines(0..10), &LogSearch::new("fine"));
        assert_eq!(hits.count(), 6);
    }
}
