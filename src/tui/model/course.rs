//! Readings over the whole of a run: dense where it is short, thinner the longer it gets.

use jiff::Timestamp;

use crate::model::units::between;

/// Of a run of any length about so many readings are kept for each doubling of its time; no chart has more columns.
const FINENESS: f64 = 256.0;

/// Readings, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Course<T> {
    readings: Vec<(Timestamp, T)>,
}

impl<T> Default for Course<T> {
    fn default() -> Self {
        Self { readings: Vec::new() }
    }
}

impl<T> Course<T> {
    /// Takes a reading, unless it is so near to the last one that no chart could tell them apart, or older.
    pub fn push(&mut self, at: Timestamp, reading: T) {
        if let (Some((first, _)), Some((last, _))) = (self.readings.first(), self.readings.last()) {
            let distance = between(*last, at).as_secs_f64();
            if at <= *last || distance < between(*first, at).as_secs_f64() / FINENESS {
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

    /// None was.
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
        let mut course = Course::default();
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
        let mut course = Course::default();
        for at in [5, 7, 6, 7, 8] {
            course.push(second(at), at);
        }
        assert_eq!(course.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [5, 7, 8]);
    }
}
