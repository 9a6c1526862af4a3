//! Readings over the whole of a run: dense where it is short, thinner the longer it gets.

use jiff::Timestamp;

use crate::model::units::duration_between;

/// About how many readings are kept for each doubling of a run's time, however long it is; no chart has more columns.
const FINENESS: f64 = 256.0;

/// Readings over the whole run, oldest first, further apart the later they are.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeSeries<T> {
    readings: Vec<(Timestamp, T)>,
}

impl<T> Default for TimeSeries<T> {
    fn default() -> Self {
        Self { readings: Vec::new() }
    }
}

impl<T> TimeSeries<T> {
    /// Takes a reading, unless it is older than the last one or so close to it that no chart could show both.
    pub fn push(&mut self, at: Timestamp, reading: T) {
        if let (Some((first, _)), Some((last, _))) = (self.readings.first(), self.readings.last()) {
            let distance = duration_between(*last, at).as_secs_f64();
            if at <= *last || distance < duration_between(*first, at).as_secs_f64() / FINENESS {
                return;
            }
        }
        self.readings.push((at, reading));
    }

    /// All that were kept.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &(Timestamp, T)> {
        self.readings.iter()
    }

    /// How many were kept.
    pub fn len(&self) -> usize {
        self.readings.len()
    }

    /// Reports whether there is no reading yet.
    pub fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_week_at_one_reading_a_second_stays_small_and_keeps_its_ends() {
        let mut course = TimeSeries::default();
        for at in 0..7 * 86_400 {
            course.push(second(at), at);
        }
        assert!(course.len() < 3000, "{}", course.len());
        assert_eq!(course.iter().next(), Some(&(second(0), 0)));
        let last = course.iter().next_back().unwrap().1;
        assert!(last > 7 * 86_400 - 86_400 / 16, "{last}");
    }

    #[test]
    fn readings_out_of_order_are_left_out() {
        let mut course = TimeSeries::default();
        for at in [5, 7, 6, 7, 8] {
            course.push(second(at), at);
        }
        assert_eq!(course.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [5, 7, 8]);
    }
}
