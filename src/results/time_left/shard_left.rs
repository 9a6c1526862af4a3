//! How much longer one shard takes: what it loads, its steps at their pace, and what it does after the last.
//!
//! What is known before, from an earlier run or from other shards, is a prior for the time of a step; each step that
//! was counted weighs against it by how evenly steps come.

use std::time::Duration;

use jiff::Timestamp;

use super::estimate::Estimate;
use super::pace::Pace;
use super::remaining;
use crate::model::logs::steps::{StepTime, Steps};
use crate::model::outcome::Progress;
use crate::model::state::shard_state::ShardState;

/// How long a shard should take in all, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Time that it takes in all.
    pub took: Duration,
    /// Part of that before its first step, where that is known.
    pub loading: Option<Duration>,
    /// Part of that after its last step, where that is known.
    pub closing: Option<Duration>,
    /// How far off it usually is, as a part of it.
    pub error: f64,
}

impl Expected {
    /// The same work took that long before, on this machine.
    pub const LEARNED: f64 = 0.05;
    /// Other episodes of the same combo took that long in this run.
    pub const SAME_COMBO: f64 = 0.2;
    /// A person said so, or other combos did.
    pub const GUESSED: f64 = 0.5;

    /// Expects that length by a guess, with nothing known of its parts.
    pub fn guessed(took: Duration) -> Self {
        Self { took, loading: None, closing: None, error: Self::GUESSED }
    }

    /// How far off what is left of it may be, as a part of that.
    fn error_of_rest(&self, left: Duration) -> f64 {
        self.error * (self.took.as_secs_f64() / left.as_secs_f64().max(f64::EPSILON)).max(1.0)
    }

    /// All of it longer or shorter by that factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        /// Less is the rounding of sums.
        const NOTHING: f64 = 1e-9;
        if (factor - 1.0).abs() < NOTHING {
            return self;
        }
        Self {
            took: scaled(self.took, factor),
            loading: self.loading.map(|loading| scaled(loading, factor)),
            closing: self.closing.map(|closing| scaled(closing, factor)),
            ..self
        }
    }
}

/// Facts that are known of a shard at work.
#[derive(Debug, Clone, Copy)]
pub struct AtWork<'a> {
    /// Done of how many.
    pub progress: Option<Progress>,
    /// How much of the next one is done.
    pub part: Option<Progress>,
    /// The moments of its steps.
    pub steps: &'a Steps,
    /// How long it has worked in all, without pauses and without a silence that is no work.
    pub worked: Duration,
    /// Part of that since its newest count; unknown where nothing was counted in this attempt.
    pub since_count: Option<Duration>,
    /// Part of `worked` before its first count.
    pub until_first: Option<Duration>,
    /// How long it should take.
    pub expected: Option<Expected>,
}

impl<'a> AtWork<'a> {
    /// A shard whose attempt is alive. `lost` is a silence that is no work.
    pub fn of(
        shard: &ShardState,
        pace: &'a Pace,
        (progress, part): (Option<Progress>, Option<Progress>),
        expected: Option<Expected>,
        (lost, now): (Duration, Timestamp),
    ) -> Option<Self> {
        let steps = pace.steps();
        let since = |at: Timestamp| pace.awake(at, now).saturating_sub(lost);
        let before = shard.attempt.map(|attempt| shard.worked_before(attempt)).unwrap_or_default();
        let started = shard.phase.live().map(|live| live.started);
        Some(Self {
            progress,
            part,
            steps,
            worked: remaining::worked(shard, now)?.saturating_sub(lost),
            since_count: steps.newest_at().map(since),
            until_first: steps
                .first_at()
                .zip(started)
                .map(|(first, started)| before + pace.awake(started, first)),
            expected,
        })
    }
}

impl AtWork<'_> {
    /// Time left; unknown where it has outrun what was expected, and nothing says how far it is.
    pub fn left(&self) -> Option<Estimate> {
        let Some((done, total)) = self.counted() else { return self.left_before_steps() };
        let closing = self.expected.and_then(|expected| expected.closing).unwrap_or_default();
        let Some(step) = self.step_time(total) else { return self.left_by_share(done / total) };
        let since = self.since_count.unwrap_or_default().as_secs_f64();
        let missing = total - done;
        if missing <= 0.0 {
            let left = closing.saturating_sub(self.since_count.unwrap_or_default());
            return Some(Estimate { time: left, error: Expected::GUESSED });
        }
        // What is late by more than a step is late by an unknown time: the others still come.
        let begun = if self.part.is_some() { 0.0 } else { since.min(step.mean) };
        let left = step.mean * missing - begun + closing.as_secs_f64();
        Some(Estimate { time: seconds(left)?, error: step.error })
    }

    /// Steps done, with a part of the next, and steps in all; only where some are done.
    fn counted(&self) -> Option<(f64, f64)> {
        let progress = self.progress?;
        let total = progress.total.filter(|total| *total > 0)? as f64;
        let done = progress.fraction_with(self.part)? * total;
        (done > 0.0).then_some((done, total))
    }

    /// The time of a step: those that were seen, weighed against what was expected.
    fn step_time(&self, total: f64) -> Option<StepTime> {
        match (self.steps.step_time(), self.expected_step(total)) {
            (Some(seen), Some(expected)) => Some(weigh(seen, expected)),
            (seen, expected) => seen.or(expected),
        }
    }

    /// Computes what is expected of a step: all of the time but what comes before the first and after the last.
    fn expected_step(&self, total: f64) -> Option<StepTime> {
        let expected = self.expected?;
        let loading = expected.loading.or_else(|| self.steps.loading_time(self.until_first?))?;
        let around = loading + expected.closing.unwrap_or_default();
        let steps = expected.took.checked_sub(around).filter(|steps| !steps.is_zero())?;
        Some(StepTime { mean: steps.as_secs_f64() / total, error: expected.error })
    }

    /// Nothing is done yet: all steps are still to come, however long it loads.
    fn left_before_steps(&self) -> Option<Estimate> {
        let expected = self.expected?;
        let behind_loading = expected.loading.filter(|_| self.knows_count());
        let behind_loading = behind_loading.map(|loading| expected.took.saturating_sub(loading));
        // One that takes longer than expected may end at any time, or never.
        let left = expected.took.checked_sub(self.worked).max(behind_loading)?;
        Some(Estimate { time: left, error: expected.error_of_rest(left) })
    }

    /// Its log counts, so that nothing counted is nothing done.
    fn knows_count(&self) -> bool {
        self.progress.is_some_and(|progress| progress.total.is_some())
    }

    /// From the share that is done alone: what was loaded is in it, so that at first what was expected counts more.
    fn left_by_share(&self, share: f64) -> Option<Estimate> {
        /// When so much is done, the share says all and what was expected nothing.
        const TRUSTED: f64 = 0.2;
        let by_share = self.worked.as_secs_f64() * (1.0 - share) / share;
        let foreseen = self.expected.and_then(|expected| expected.took.checked_sub(self.worked));
        let trust = (share / TRUSTED).min(1.0);
        let left =
            foreseen.map_or(by_share, |foreseen| foreseen.as_secs_f64() * (1.0 - trust) + by_share * trust);
        Some(Estimate { time: seconds(left)?, error: Expected::GUESSED * (1.0 - share) })
    }
}

/// The mean of both, each by how sure it is.
fn weigh(seen: StepTime, expected: StepTime) -> StepTime {
    let (seen_weight, expected_weight) = (seen.error.powi(-2), expected.error.powi(-2));
    let weight = seen_weight + expected_weight;
    let mean = (seen.mean * seen_weight + expected.mean * expected_weight) / weight;
    StepTime { mean, error: weight.powf(-0.5) }
}

fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

fn scaled(duration: Duration, factor: f64) -> Duration {
    seconds(duration.as_secs_f64() * factor).unwrap_or(duration)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A shard of 10 steps that loads for so long, then takes 10 s a step; looked at right after that many.
    fn at_work(steps: &mut Steps, loading: u64, done: u64, expected: Option<Expected>) -> AtWork<'_> {
        for step in 1..=done {
            let at = Timestamp::from_second((loading + 10 * step) as i64).unwrap();
            steps.add_count(at, Progress { done: step, total: Some(10) }, SECOND * 10);
        }
        AtWork {
            progress: (done > 0).then_some(Progress { done, total: Some(10) }),
            part: None,
            steps,
            worked: SECOND * (loading + 10 * done) as u32,
            since_count: (done > 0).then_some(Duration::ZERO),
            until_first: (done > 0).then_some(SECOND * (loading + 10) as u32),
            expected,
        }
    }

    fn learned(took: u32, loading: u32) -> Option<Expected> {
        let loading = Some(SECOND * loading);
        Some(Expected { loading, error: Expected::LEARNED, ..Expected::guessed(SECOND * took) })
    }

    #[test]
    fn a_learned_duration_is_not_forgotten_with_the_first_step() {
        let left =
            |done| at_work(&mut Steps::default(), 60, done, learned(160, 60)).left().unwrap().time.as_secs();
        assert_eq!((left(0), left(1), left(2), left(5)), (100, 90, 80, 50));
    }

    #[test]
    fn loading_is_no_part_of_the_pace() {
        let left = |done| at_work(&mut Steps::default(), 60, done, None).left().unwrap().time.as_secs();
        assert_eq!((left(2), left(5)), (80, 50));
    }

    #[test]
    fn steps_that_come_at_another_pace_outweigh_what_was_expected() {
        let left =
            |done| at_work(&mut Steps::default(), 60, done, learned(260, 60)).left().unwrap().time.as_secs();
        assert!(left(1) > 150 && left(9) < 19, "{} {}", left(1), left(9));
    }

    #[test]
    fn what_comes_after_the_last_step_is_counted_too() {
        let expected = learned(190, 60).map(|expected| Expected { closing: Some(SECOND * 30), ..expected });
        let left = |done| at_work(&mut Steps::default(), 60, done, expected).left().unwrap().time.as_secs();
        assert_eq!((left(5), left(10)), (80, 30));
    }

    #[test]
    fn what_outruns_its_expectation_without_a_step_is_unknown() {
        let left = |work: &AtWork<'_>| work.left().map(|left| left.time);
        let mut steps = Steps::default();
        let mut work = at_work(&mut steps, 200, 0, Some(Expected::guessed(SECOND * 160)));
        assert_eq!(left(&work), None);
        work.expected = learned(160, 60);
        work.progress = Some(Progress { done: 0, total: Some(10) });
        assert_eq!(
            left(&work),
            Some(SECOND * 100),
            "it loads longer than before, and its steps all come yet"
        );
        work.expected = None;
        assert_eq!(left(&work), None);
    }
}
