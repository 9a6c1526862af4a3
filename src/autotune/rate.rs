//! How fast one shard goes, from the moments at which its log counted.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::units::duration_between;

/// A rate is looked at for so long at least.
const SPAN: Duration = Duration::from_secs(4);

/// And for so many counts.
const COUNTS: usize = 5;

/// The two halves of a steady rate differ by so much at most.
const LIKE: f64 = 0.2;

/// Speed of a program as its log has reported it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rate {
    /// Amounts done, each with the moment it was reached.
    points: Vec<(Timestamp, f64)>,
    /// Whole units done so far, without parts.
    done: f64,
    /// Steps in a second by the program's own account.
    steps: Vec<(Timestamp, f64)>,
}

impl Rate {
    /// So much is done.
    pub fn record_progress(&mut self, at: Timestamp, done: f64) {
        if done < self.done {
            // The count starts again: another phase, for which the old counts mean nothing.
            self.points.clear();
        }
        self.done = done;
        self.push_point(at, done);
    }

    /// Takes in that this part of the next unit is done.
    pub fn record_part(&mut self, at: Timestamp, part: f64) {
        self.push_point(at, self.done + part);
    }

    /// Steps in a second that the program itself prints.
    pub fn record_steps(&mut self, at: Timestamp, steps: f64) {
        self.steps.push((at, steps));
    }

    fn push_point(&mut self, at: Timestamp, value: f64) {
        if self.points.last().is_none_or(|(_, last)| value > *last) {
            self.points.push((at, value));
        }
    }

    /// Moment of the first count above 0, else of the first rate of steps.
    pub fn first_progress(&self) -> Option<Timestamp> {
        // A count of 0 is an announcement: loading comes after it.
        let counted = self.points.iter().find(|(_, done)| *done > 0.0).map(|(at, _)| *at);
        counted.or(self.steps.first().map(|(at, _)| *at))
    }

    /// Returns the units done in a second since `begin`; for a short program that was over by then, since its first
    /// count.
    pub fn done_per_s(&self, begin: Timestamp) -> Option<f64> {
        per_s(self.points_since(begin)).or_else(|| per_s(self.points_since(self.first_progress()?)))
    }

    /// Steps in a second since `begin`, by the program's own account.
    pub fn steps_per_s(&self, begin: Timestamp) -> Option<f64> {
        let told: Vec<f64> =
            self.steps.iter().filter(|(at, _)| *at >= begin).map(|(_, steps)| *steps).collect();
        (!told.is_empty()).then(|| told.iter().sum::<f64>() / told.len() as f64)
    }

    /// Reports whether it has gone on since `begin` at one speed for long enough.
    pub fn is_steady(&self, begin: Timestamp) -> bool {
        let points = self.points_since(begin);
        if points.is_empty() {
            return self.told_steadily(begin);
        }
        let Some(((first, _), (last, _))) = points.first().zip(points.last()) else { return false };
        if points.len() < COUNTS || duration_between(*first, *last) < SPAN {
            return false;
        }
        let middle = points.len() / 2;
        per_s(&points[..=middle])
            .zip(per_s(&points[middle..]))
            .is_some_and(|(early, late)| are_close(early, late))
    }

    fn told_steadily(&self, begin: Timestamp) -> bool {
        let told: Vec<f64> =
            self.steps.iter().filter(|(at, _)| *at >= begin).map(|(_, steps)| *steps).collect();
        let [.., early, _, late] = told[..] else { return false };
        are_close(early, late)
    }

    fn points_since(&self, begin: Timestamp) -> &[(Timestamp, f64)] {
        let start = self.points.partition_point(|(at, _)| *at < begin);
        &self.points[start..]
    }
}

/// From the first count to the last one.
fn per_s(points: &[(Timestamp, f64)]) -> Option<f64> {
    let ((first, from), (last, to)) = points.first().zip(points.last())?;
    let seconds = duration_between(*first, *last).as_secs_f64();
    (seconds > 0.0).then(|| (to - from) / seconds)
}

fn are_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= LIKE * a.max(b)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: f64) -> Timestamp {
        Timestamp::from_millisecond((seconds * 1000.0) as i64).unwrap()
    }

    fn counted(moments: impl IntoIterator<Item = f64>) -> Rate {
        let mut rate = Rate::default();
        for (done, moment) in moments.into_iter().enumerate() {
            rate.record_progress(at(moment), done as f64);
        }
        rate
    }

    proptest! {
        #[test]
        fn an_even_course_is_steady_at_its_own_speed(period in 0.1_f64..30.0, loading in 0.0_f64..100.0) {
            let rate = counted(std::iter::once(0.0).chain((0..60).map(|n| loading + period * f64::from(n))));
            let begin = rate.first_progress().unwrap();
            let told = rate.done_per_s(begin).unwrap();
            prop_assert!((told * period - 1.0).abs() < 0.05, "{told} for one in {period} s");
            prop_assert!(rate.is_steady(begin));
        }

        #[test]
        fn loading_counts_for_nothing(loading in 1.0_f64..1000.0) {
            let rate = counted([0.0, loading, loading + 1.0, loading + 2.0]);
            prop_assert!((rate.done_per_s(rate.first_progress().unwrap()).unwrap() - 1.0).abs() < 0.01);
        }
    }

    #[test]
    fn a_course_that_slows_down_is_not_steady() {
        let rate = counted([0.0, 1.0, 2.0, 3.0, 4.0, 8.0, 12.0, 16.0]);
        assert!(!rate.is_steady(rate.first_progress().unwrap()));
        let short = counted([0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
        assert!(!short.is_steady(short.first_progress().unwrap()), "half a second proves nothing");
    }

    #[test]
    fn parts_of_a_long_one_count() {
        let mut rate = Rate::default();
        rate.record_progress(at(0.0), 0.0);
        for second in 1..=10 {
            rate.record_part(at(f64::from(second)), f64::from(second) / 100.0);
        }
        let begin = rate.first_progress().unwrap();
        assert!((rate.done_per_s(begin).unwrap() - 0.01).abs() < 1e-9);
        assert!(rate.is_steady(begin));
    }

    #[test]
    fn the_programs_own_speed_is_taken_where_nothing_is_counted() {
        let mut rate = Rate::default();
        for second in 0..4 {
            rate.record_steps(at(f64::from(second)), 500.0 + f64::from(second));
        }
        let begin = rate.first_progress().unwrap();
        assert_eq!(rate.done_per_s(begin), None);
        assert_eq!(rate.steps_per_s(begin), Some(501.5));
        assert!(rate.is_steady(begin));
    }
}
