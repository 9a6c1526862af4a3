//! How long the steps of an attempt take, from the moments at which its log counted them.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::outcome::Progress;

/// Steps assumed in addition to those seen, each [`USUAL_SPREAD`] apart, because the spread of a few steps is
/// a poor estimate.
const ASSUMED_STEPS: f64 = 2.0;

/// The standard deviation of a step, as a part of its mean, before anything was seen.
const USUAL_SPREAD: f64 = 0.5;

/// The steps of an attempt so far. Times are without pauses.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Steps {
    first: Option<StepSample>,
    last: Option<StepSample>,
    /// Seconds between the first count and the last.
    seconds: f64,
    /// Number of steps between the first count and the last.
    steps: f64,
    /// Counts that were more than the one before.
    counts: f64,
    /// Sum over these counts of the square of their seconds, divided by their steps.
    squares: f64,
}

/// A count and its moment.
#[derive(Debug, Clone, Copy, PartialEq)]
struct StepSample {
    at: Timestamp,
    done: u64,
}

/// How long a step takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTime {
    /// The mean, in seconds.
    pub mean: f64,
    /// The standard error of that mean, as a part of it.
    pub error: f64,
}

impl Steps {
    /// Takes a count into account; `since_last` is the time since the one before, without pauses.
    pub fn add_count(&mut self, at: Timestamp, progress: Progress, since_last: Duration) {
        let step = StepSample { at, done: progress.done };
        let Some(last) = self.last else {
            (self.first, self.last) = (Some(step), Some(step));
            return;
        };
        if progress.done < last.done {
            // Another count begins: what was counted before does not apply to it.
            *self = Self { first: Some(step), last: Some(step), ..Self::default() };
            return;
        }
        let (steps, seconds) = ((progress.done - last.done) as f64, since_last.as_secs_f64());
        if steps > 0.0 {
            self.seconds += seconds;
            self.steps += steps;
            self.counts += 1.0;
            self.squares += seconds * seconds / steps;
            self.last = Some(step);
        }
    }

    /// The moment of the newest step, or of the first count.
    pub fn newest_at(&self) -> Option<Timestamp> {
        self.last.map(|last| last.at)
    }

    /// How long a step takes; unknown before two different counts.
    pub fn step_time(&self) -> Option<StepTime> {
        let mean = self.seconds / self.steps;
        if self.steps <= 0.0 || mean <= 0.0 {
            return None;
        }
        let spread = (self.squares - mean * mean * self.steps) / (mean * mean);
        let variance = (spread.max(0.0) + ASSUMED_STEPS * USUAL_SPREAD * USUAL_SPREAD)
            / (self.counts - 1.0 + ASSUMED_STEPS);
        Some(StepTime { mean, error: (variance / self.steps).sqrt() })
    }

    /// How long it took before its first step, given the time that had passed at the first count.
    pub fn loading_time(&self, until_first: Duration) -> Option<Duration> {
        let first = self.first?;
        if first.done == 0 {
            return Some(until_first);
        }
        let counted = Duration::try_from_secs_f64(self.step_time()?.mean * first.done as f64).ok()?;
        // What was counted before by another attempt was not loaded by this one.
        (counted <= until_first * 2).then(|| until_first.saturating_sub(counted))
    }

    /// The same steps, where the time between the first count and the last holds so much of pauses.
    #[must_use]
    pub fn without_pause(self, paused: Duration) -> Self {
        Self { seconds: (self.seconds - paused.as_secs_f64()).max(0.0), ..self }
    }

    /// The moment of the first count.
    pub fn first_at(&self) -> Option<Timestamp> {
        self.first.map(|first| first.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(counts: &[(i64, u64)]) -> Steps {
        let mut steps = Steps::default();
        let mut last = None;
        for (second, done) in counts {
            let at = Timestamp::from_second(*second).unwrap();
            let since = last.map_or(0, |last| second - last) as u64;
            steps.add_count(at, Progress { done: *done, total: Some(100) }, Duration::from_secs(since));
            last = Some(*second);
        }
        steps
    }

    #[test]
    fn loading_is_no_part_of_a_step() {
        let steps = steps(&[(70, 1), (80, 2), (90, 3), (110, 5)]);
        assert_eq!(steps.step_time().unwrap().mean, 10.0);
        assert_eq!(steps.loading_time(Duration::from_secs(70)), Some(Duration::from_secs(60)));
    }

    #[test]
    fn one_count_says_nothing_of_a_step() {
        assert_eq!(steps(&[(70, 1)]).step_time(), None);
        assert_eq!(steps(&[(70, 1)]).loading_time(Duration::from_secs(70)), None);
        assert_eq!(steps(&[(70, 0)]).loading_time(Duration::from_secs(70)), Some(Duration::from_secs(70)));
        assert_eq!(steps(&[]).loading_time(Duration::from_secs(70)), None);
    }

    #[test]
    fn another_count_begins_again() {
        let steps = steps(&[(10, 1), (20, 2), (30, 1), (35, 2)]);
        assert_eq!(steps.step_time().unwrap().mean, 5.0);
    }

    #[test]
    fn even_steps_are_surer_than_uneven_ones() {
        let even = steps(&[(0, 0), (10, 1), (20, 2), (30, 3), (40, 4)]).step_time().unwrap();
        let uneven = steps(&[(0, 0), (1, 1), (20, 2), (21, 3), (40, 4)]).step_time().unwrap();
        assert_eq!(even.mean, uneven.mean);
        assert!(even.error < uneven.error, "{even:?} {uneven:?}");
    }
}
