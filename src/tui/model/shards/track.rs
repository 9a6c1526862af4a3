//! What was read from the log of a shard's newest attempt, and the speed that follows from it.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::AttemptNumber;
use crate::model::logs::mark::{Alert, Mark, MarkKind};
use crate::model::logs::stage::Stage;
use crate::model::machine::sample::ShardSample;
use crate::model::outcome::{Metrics, Progress};
use crate::model::units::duration_between;
use crate::results::time_left::pace::Pace;
use crate::tui::model::time_series::TimeSeries;

/// More points than any chart has columns; older ones are thinned out.
const MOST_POINTS: usize = 512;

/// The courses of so many metrics are kept; a log that names thousands must not eat the memory.
const MOST_COURSES: usize = 32;

/// The speed is that of the last so many steps, so that it follows a change of pace.
const RECENT: usize = 24;

/// Log and processes of a shard, which the journal does not cover.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Track {
    /// The attempt all of this is about.
    pub attempt: Option<AttemptNumber>,
    /// Progress over time, oldest first.
    pub points: Vec<ProgressPoint>,
    /// How much of the next one is done that the newest point counts.
    pub part: Option<Progress>,
    /// The unit that its progress counts, in the plural, where that is not episodes.
    pub unit: Option<String>,
    /// The newest value of each metric.
    pub metrics: Metrics,
    /// Each metric over time.
    pub courses: BTreeMap<String, TimeSeries<f64>>,
    /// The stage that the program has reached.
    pub stage: Option<Stage>,
    /// Complaints that were found in the log.
    pub alerts: Vec<Alert>,
    /// The newest reading of its processes.
    pub sample: Option<ShardSample>,
    /// How often its log reports anything.
    pub pace: Pace,
    /// When its log was written last, where that was looked up.
    pub last_output: Option<Timestamp>,
}

/// Progress at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgressPoint {
    /// Moment at which that was counted.
    pub at: Timestamp,
    /// Offset in the log at which that was read.
    pub offset: u64,
    /// Number done of how many.
    pub progress: Progress,
}

impl Track {
    /// Forgets an older attempt.
    pub fn turn_to(&mut self, attempt: AttemptNumber) {
        if self.attempt != Some(attempt) {
            *self = Self { attempt: Some(attempt), ..Self::default() };
        }
    }

    /// Forgets the marks, because their file was written from scratch.
    pub fn restart(&mut self) {
        *self = Self {
            attempt: self.attempt,
            sample: self.sample.take(),
            pace: self.pace.again(),
            last_output: self.last_output,
            ..Self::default()
        };
    }

    /// Takes one more mark into account.
    pub fn apply_mark(&mut self, mark: &Mark) {
        self.pace.take(mark);
        match &mark.kind {
            MarkKind::Progress(progress) => {
                self.add_point(ProgressPoint { at: mark.at, offset: mark.offset, progress: *progress })
            }
            MarkKind::Part(part) => self.part = Some(*part),
            MarkKind::Metric { name, value } => match value {
                Some(value) => {
                    self.metrics.insert(name.to_string(), *value);
                    match self.courses.get_mut(&**name) {
                        Some(course) => course.push(mark.at, *value),
                        None => self.begin_course(name, mark.at, *value),
                    }
                }
                None => _ = self.metrics.remove(&**name),
            },
            MarkKind::Alert(alert) => match self.alerts.iter_mut().find(|known| known.kind == alert.kind) {
                Some(known) => known.clone_from(alert),
                None => self.alerts.push(Alert::clone(alert)),
            },
            MarkKind::Stage(stage) => self.stage = Some(stage.clone()),
            MarkKind::Unit { name } => self.unit = Some(name.clone()),
            MarkKind::Value { .. } | MarkKind::Finished | MarkKind::Preset { .. } => {}
        }
    }

    fn begin_course(&mut self, name: &str, at: Timestamp, value: f64) {
        if self.courses.len() < MOST_COURSES {
            self.courses.entry(name.to_owned()).or_default().push(at, value);
        }
    }

    fn add_point(&mut self, point: ProgressPoint) {
        self.part = None;
        self.points.push(point);
        if self.points.len() > MOST_POINTS {
            let keep_from = self.points.len() - RECENT;
            let mut number = 0;
            self.points.retain(|_| {
                number += 1;
                number > keep_from || number % 2 == 1
            });
        }
    }

    /// Returns the progress of the newest point.
    pub fn progress(&self) -> Option<Progress> {
        self.points.last().map(|point| point.progress)
    }

    /// Returns how long its log has reported no work, where that is longer than usual for it.
    ///
    /// The caller must know whether it can report anything, because it runs and its log is read.
    pub fn silence(&self, now: Timestamp) -> Option<Duration> {
        self.pace.silence(now)
    }

    /// Done per second over the last steps since the newest pause, and less the longer the next one is late; unknown
    /// before the second one.
    pub fn rate(&self, now: Timestamp) -> Option<f64> {
        let recent = &self.points[self.points.len().saturating_sub(RECENT)..];
        let first =
            recent.iter().find(|point| self.pace.resumed().is_none_or(|resumed| point.at >= resumed))?;
        let last = self.points.last()?;
        let done = last.progress.done.checked_sub(first.progress.done).filter(|done| *done > 0)?;
        let late = self.pace.delay(now).min(duration_between(last.at, now));
        let seconds = (duration_between(first.at, last.at) + late).as_secs_f64();
        (seconds > 0.0).then(|| done as f64 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn progress(second: i64, done: u64) -> Mark {
        Mark { at: at(second), offset: 0, kind: MarkKind::Progress(Progress { done, total: Some(100) }) }
    }

    #[test]
    fn a_pause_is_no_part_of_the_speed() {
        let mut track = Track::default();
        (1..=10).for_each(|second| track.apply_mark(&progress(second, second as u64)));
        track.pace.pause(at(10));
        track.pace.resume(at(100));
        assert_eq!(track.rate(at(100)), None, "nothing was done since");
        (101..=104).for_each(|second| track.apply_mark(&progress(second, second as u64 - 90)));
        assert_eq!(track.rate(at(104)), Some(1.0));
    }

    #[test]
    fn the_speed_is_that_of_the_last_steps() {
        let mut track = Track::default();
        track.apply_mark(&progress(0, 0));
        assert_eq!(track.rate(at(0)), None, "one point has no speed");
        track.apply_mark(&progress(10, 20));
        assert_eq!(track.rate(at(10)), Some(2.0));
    }

    #[test]
    fn the_speed_falls_while_nothing_comes() {
        let mut track = Track::default();
        (0..=24).for_each(|second| track.apply_mark(&progress(second, second as u64)));
        assert_eq!(track.rate(at(26)), Some(1.0), "two gaps are not late yet");
        let late = track.rate(at(24 + 480)).unwrap();
        assert!(late < 0.05, "{late}");
        assert_eq!(track.silence(at(24 + 29)), None);
        assert_eq!(track.silence(at(24 + 480)), Some(Duration::from_secs(480)));
    }

    #[test]
    fn points_stay_few_and_keep_both_ends() {
        let mut track = Track::default();
        for second in 0..20_000 {
            track.apply_mark(&progress(second, second as u64));
        }
        assert!(track.points.len() <= MOST_POINTS);
        assert_eq!(track.points[0].progress.done, 0);
        assert_eq!(track.progress().map(|progress| progress.done), Some(19_999));
        assert_eq!(track.rate(at(19_999)), Some(1.0));
    }
}
