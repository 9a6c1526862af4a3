//! All loops over parts of the work, the outermost first.

use super::announced::AnnouncedParts;
use super::heading::PartHeading;
use super::part_loop::PartLoop;
use crate::model::outcome::Progress;
use crate::progress::text::kept_line::KeptLine;
use crate::progress::text::line_shapes::ShapeNumber;

/// No program has more kinds of parts.
const MOST_KINDS: usize = 6;

/// Settings, and the headings of first parts, come before the work within so many lines.
pub const LINES_BEFORE_WORK: u64 = 3000;

/// The loops over parts of the work.
#[derive(Debug, Default)]
pub struct PartLoops {
    loops: Vec<(PartLoop, KeptLine)>,
    announced: AnnouncedParts,
    /// The newest count of the work.
    progress: Option<Progress>,
    /// Another run began, which has counted nothing yet.
    is_new_run: bool,
}

impl PartLoops {
    /// Takes a line from before the work, which may say how many parts there are, with its shape where it came before.
    pub fn announce(&mut self, line: &[u8], shape: Option<ShapeNumber>) {
        self.announced.take(line, shape);
    }

    /// A line with so much done of the work behind it heads no part, and need not be taken. Most logs have none, and cost
    /// nothing more.
    pub fn is_idle_at(&self, progress: Option<Progress>) -> bool {
        let has_counted = |progress: Option<Progress>| progress.is_some_and(|progress| progress.done > 0);
        self.loops.is_empty() && !self.is_new_run && has_counted(self.progress) && has_counted(progress)
    }

    /// Takes the next line with its number and its offset, and how much of the work is done with it.
    pub fn take(&mut self, line: &[u8], number: u64, offset: u64, progress: Option<Progress>) {
        // What is first headed behind counted work is a remark on it, or lies within it.
        let is_before =
            self.progress.is_none_or(|progress| progress.done == 0) && number <= LINES_BEFORE_WORK;
        let may_begin = is_before || self.is_new_run;
        let counts = progress.is_some() && progress != self.progress;
        if let Some(now) = progress.filter(|_| counts) {
            self.loops.iter_mut().for_each(|(parts, _)| parts.count(now));
            // What is no loop of parts stays none.
            self.loops.retain(|(parts, _)| parts.may_hold());
            (self.progress, self.is_new_run) = (progress, false);
        }
        if self.loops.is_empty() && !may_begin {
            return;
        }
        let Some(heading) = PartHeading::on(line).or_else(|| self.announced.heading_on(line)) else { return };
        let is_same =
            |parts: &PartLoop| (&parts.newest.noun, parts.newest.total) == (&heading.noun, heading.total);
        match self.loops.iter().position(|(parts, _)| is_same(parts)) {
            Some(place) => {
                self.loops[place].1.keep(number, offset, line);
                if self.loops[place].0.take(heading, progress, counts) {
                    self.loops[place + 1..].iter_mut().for_each(|(inner, _)| inner.end());
                }
            }
            None if may_begin && !heading.is_preparation && self.loops.len() < MOST_KINDS => {
                let mut kept = KeptLine::default();
                kept.keep(number, offset, line);
                self.loops.push((PartLoop::begin(heading), kept));
            }
            None => {}
        }
    }

    /// Another run begins, with so much done of it. Its heading may have come before the line that shows that.
    pub fn begin_run(&mut self, progress: Option<Progress>) {
        let counted = self.loops.iter_mut().filter(|(parts, _)| parts.is_counted());
        counted.for_each(|(parts, _)| parts.end());
        (self.progress, self.is_new_run) = (progress, true);
    }

    /// The outermost part behind which others are to come, other than the count of the work itself in this unit: its
    /// heading, and whether another came before it.
    pub fn open_beside(&self, unit: &str) -> Option<(&KeptLine, bool)> {
        let total = self.progress.and_then(|progress| progress.total);
        let is_work = |heading: &PartHeading| total == Some(heading.total) && heading.unit() == Some(unit);
        let is_open = |parts: &PartLoop| parts.is_open() && !is_work(&parts.newest);
        let (parts, heading) = self.loops.iter().find(|(parts, _)| is_open(parts))?;
        Some((heading, parts.moves > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes headings, and `3` for a count of the work up to 3 of 3.
    fn read(lines: &[&str]) -> PartLoops {
        let mut parts = PartLoops::default();
        let mut progress = None;
        for (line, number) in lines.iter().zip(1..) {
            let counted: Option<u64> = line.parse().ok();
            progress = counted.map(|done| Progress { done, total: Some(3) }).or(progress);
            parts.announce(line.as_bytes(), None);
            parts.take(line.as_bytes(), number, 0, progress);
        }
        parts
    }

    fn open(lines: &[&str]) -> Option<(u64, bool)> {
        read(lines).open_beside("episodes").map(|(heading, has_moved)| (heading.number(), has_moved))
    }

    #[test]
    fn parts_are_open_until_the_last_begins() {
        assert_eq!(open(&["Fold 1/3", "1", "3"]), Some((1, false)));
        assert_eq!(open(&["Fold 1/3", "1", "3", "Fold 2/3", "1", "3"]), Some((4, true)));
        assert_eq!(open(&["Fold 1/2", "1", "3", "Fold 2/2", "1", "3"]), None);
        assert_eq!(open(&["Fold 0/2", "1", "3", "Fold 1/2", "1", "3"]), None, "numbered from 0");
        assert_eq!(
            open(&["Fold 1/3", "1", "2", "Fold 2/3", "1", "3"]),
            Some((4, true)),
            "a part that stops early"
        );
        assert_eq!(open(&["2 folds", "Fold 1", "3", "Fold 2", "3"]), None);
        assert_eq!(
            open(&["[1/3] a", "[2/3] b", "[3/3] c", "[1/3] a", "3"]),
            Some((4, false)),
            "behind their list"
        );
        assert_eq!(
            open(&["Fold 1/5", "Fold 2/5", "Fold 3/5", "3"]),
            Some((3, false)),
            "two were done before"
        );
        assert_eq!(
            open(&["[1/2] lift", "3", "[2/2] build a tower", "1", "3"]),
            None,
            "its name is no preparation"
        );
    }

    #[test]
    fn inner_parts_begin_again_in_each_outer_one() {
        let first = ["Seed 1/2", "Fold 1/2", "3", "Fold 2/2", "3"];
        assert_eq!(open(&first), Some((1, false)));
        assert_eq!(open(&[&first[..], &["Seed 2/2", "Fold 1/2", "3"]].concat()), Some((7, true)));
        assert_eq!(open(&[&first[..], &["Seed 2/2", "Fold 1/2", "3", "Fold 2/2", "3"]].concat()), None);
    }

    #[test]
    fn what_lies_within_the_work_or_beside_it_is_no_part() {
        assert_eq!(open(&["Level 1/9", "1", "Level 2/9", "2", "3"]), None, "a curriculum");
        assert_eq!(open(&["Trial 1/9", "1", "Trial 1/9", "2", "3"]), None, "trials of each episode");
        assert_eq!(
            open(&["Stage 1/3", "1", "Stage 2/3", "2", "Stage 1/3", "3"]),
            None,
            "stages of each episode"
        );
        assert_eq!(open(&["1", "3", "Task 1/9"]), None, "a remark behind the work");
        assert_eq!(open(&["Config 7/9", "3"]), None, "others run the rest");
        assert_eq!(open(&["Iteration 0/99", "Iteration 50/99", "3"]), None, "a loop before the work");
        assert_eq!(open(&["Route 1/4", "3"]), None, "another name, once");
        assert_eq!(open(&["Route 1/4", "3", "Route 2/4", "1", "3"]), Some((3, true)));
        assert_eq!(open(&["3 seeds", "Seed 0", "3", "Seed 42", "3"]), None, "names, and no numbers");
    }

    #[test]
    fn a_line_may_name_its_part_and_count_the_work() {
        let read = |lines: &[(&str, u64, u64)]| {
            let mut parts = PartLoops::default();
            for ((line, done, total), number) in lines.iter().zip(1..) {
                parts.take(line.as_bytes(), number, 0, Some(Progress { done: *done, total: Some(*total) }));
            }
            parts.open_beside("episodes").is_some()
        };
        let fold = [("[Fold 1/5] Epoch 1/2", 1, 2), ("[Fold 1/5] Epoch 2/2", 2, 2)];
        assert!(read(&fold));
        assert!(read(
            &[&fold[..], &[("[Fold 2/5] Epoch 1/2", 1, 2), ("[Fold 2/5] Epoch 2/2", 2, 2)]].concat()
        ));
        assert!(!read(&[("Round 1/5", 0, 5), ("Round 2/5", 1, 5), ("Round 3/5", 2, 5)]), "the work itself");
    }

    #[test]
    fn the_count_of_the_work_itself_is_never_open() {
        let parts = read(&["Learning iteration 0/3", "1"]);
        assert!(parts.open_beside("iterations").is_none() && parts.open_beside("episodes").is_some());
    }

    #[test]
    fn a_run_that_begins_again_has_its_own_parts() {
        let mut parts = read(&["Fold 1/3", "1", "3"]);
        parts.begin_run(None);
        assert!(parts.open_beside("episodes").is_none());
        let mut parts = read(&["Seed 0/2", "3", "Seed 1/2"]);
        parts.begin_run(None);
        assert!(parts.open_beside("episodes").is_none(), "its heading came before its start");
        let mut parts = read(&["Seed 1/3", "3", "Seed 2/3"]);
        parts.begin_run(None);
        assert!(parts.open_beside("episodes").is_some());
        parts.take(b"Seed 1/3", 9, 0, parts.progress);
        assert!(parts.open_beside("episodes").is_some());
    }
}
