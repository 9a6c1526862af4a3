//! The marks of a log that still say something: few, however many were made.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::logs::mark::{Mark, MarkKind};

/// The speed is that of the newest steps, so these are not thinned out.
const RECENT: usize = 24;

/// Folds marks; who reads the digest knows as much as who read all of them, apart from steps of progress in between.
#[derive(Debug, Default)]
pub struct MarkDigest {
    most_points: usize,
    taken: u64,
    progress: Vec<Numbered>,
    part: Option<Numbered>,
    metrics: BTreeMap<String, Numbered>,
    values: BTreeMap<String, Numbered>,
    alerts: BTreeMap<String, Numbered>,
    stage: Option<Numbered>,
    unit: Option<Numbered>,
    preset: Option<Numbered>,
    finished: Option<Numbered>,
}

/// A mark with its place among all that were taken.
type Numbered = (u64, Mark);

impl MarkDigest {
    /// A digest of no marks yet, which keeps so many steps of progress, the newest always.
    pub fn new(most_points: usize) -> Self {
        Self { most_points, ..Self::default() }
    }

    /// Takes what was read at this moment, each with its place in the log, in the order of the log.
    pub fn take(&mut self, at: Timestamp, read: impl IntoIterator<Item = (u64, MarkKind)>) {
        for (offset, kind) in read {
            self.take_mark(Mark { at, offset, kind });
        }
    }

    /// Takes one more mark.
    pub fn take_mark(&mut self, mark: Mark) {
        self.taken += 1;
        let number = self.taken;
        match &mark.kind {
            MarkKind::Progress(_) => {
                self.part = None;
                self.progress.push((number, mark));
                self.thin();
            }
            MarkKind::Part(_) => self.part = Some((number, mark)),
            MarkKind::Metric { name, .. } => _ = self.metrics.insert(name.to_string(), (number, mark)),
            MarkKind::Value { value, .. } => _ = self.values.insert(value.clone(), (number, mark)),
            MarkKind::Alert(alert) => _ = self.alerts.insert(alert.kind.clone(), (number, mark)),
            MarkKind::Stage(_) => self.stage = Some((number, mark)),
            MarkKind::Unit { .. } => self.unit = Some((number, mark)),
            MarkKind::Preset { .. } => self.preset = Some((number, mark)),
            MarkKind::Finished => self.finished = Some((number, mark)),
        }
    }

    /// There is progress among the marks.
    pub fn has_progress(&self) -> bool {
        !self.progress.is_empty() || self.part.is_some()
    }

    /// The marks, in the order they were taken.
    pub fn marks(&self) -> Vec<Mark> {
        let mut marks: Vec<&Numbered> = self.progress.iter().collect();
        marks.extend(&self.part);
        marks.extend(self.metrics.values());
        marks.extend(self.values.values());
        marks.extend(self.alerts.values());
        marks.extend(&self.stage);
        marks.extend(&self.unit);
        marks.extend(&self.preset);
        marks.extend(&self.finished);
        marks.sort_by_key(|(number, _)| *number);
        marks.into_iter().map(|(_, mark)| mark.clone()).collect()
    }

    /// Drops every other step when there are too many, but none of the newest.
    fn thin(&mut self) {
        if self.progress.len() <= self.most_points {
            return;
        }
        let recent = RECENT.min(self.most_points / 2);
        let mut behind = self.progress.len();
        self.progress.retain(|_| {
            behind -= 1;
            behind < recent || behind.is_multiple_of(2)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::logs::mark::Alert;
    use crate::model::logs::stage::Stage;
    use crate::model::outcome::Progress;

    fn progress(done: u64) -> MarkKind {
        MarkKind::Progress(Progress { done, total: None })
    }

    fn metric(name: &str, value: f64) -> MarkKind {
        MarkKind::Metric { name: name.to_owned().into(), value: Some(value) }
    }

    fn alert(count: u64) -> MarkKind {
        let (kind, text) = ("nan".to_owned(), String::new());
        let parts = BTreeMap::new();
        MarkKind::Alert(Box::new(Alert { kind, count, first_line: 1, last_line: count, text, parts }))
    }

    fn kinds(digest: &MarkDigest) -> Vec<MarkKind> {
        digest.marks().into_iter().map(|mark| mark.kind).collect()
    }

    #[test]
    fn only_the_newest_of_each_is_kept_in_the_order_of_the_log() {
        let mut digest = MarkDigest::new(1);
        let part = MarkKind::Part(Progress { done: 1, total: Some(2) });
        let read = [progress(1), metric("a", 1.0), part, alert(1), progress(2), alert(2), metric("a", 2.0)];
        digest.take(Timestamp::UNIX_EPOCH, read.into_iter().map(|kind| (0, kind)));
        assert_eq!(kinds(&digest), [progress(2), alert(2), metric("a", 2.0)]);
        digest.take(Timestamp::UNIX_EPOCH, [(0, MarkKind::Stage(Stage::Running)), (0, MarkKind::Finished)]);
        assert_eq!(kinds(&digest)[3..], [MarkKind::Stage(Stage::Running), MarkKind::Finished]);
    }

    #[test]
    fn a_million_steps_leave_few_and_the_newest_ones_whole() {
        let mut digest = MarkDigest::new(100);
        digest.take(Timestamp::UNIX_EPOCH, (1..=1_000_000).map(|done| (done, progress(done))));
        let kept = kinds(&digest);
        assert!((50..=100).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept[kept.len() - RECENT..], (999_977..=1_000_000).map(progress).collect::<Vec<_>>());
        assert!(matches!(kept[0], MarkKind::Progress(first) if first.done < 100_000));
    }
}
