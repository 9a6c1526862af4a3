//! When the disk of a run will be full, by how its room shrank in the last minutes.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::units::{Bytes, duration_between, format_duration};

/// The rate is that of so many last minutes.
const WINDOW: Duration = Duration::from_mins(5);

/// A shorter course says nothing: a program may write one large file.
const SHORTEST: Duration = Duration::from_secs(60);

/// How often a moment is kept.
const EVERY: Duration = Duration::from_secs(10);

/// A disk that is full no later is warned of.
const SOON: Duration = Duration::from_mins(30);

/// Room of a file system; `None` where it has no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) bytes: Option<u64>,
    pub(super) inodes: Option<u64>,
}

/// Room at moments of the last minutes, oldest first.
#[derive(Debug, Default)]
pub(super) struct DiskForecast {
    moments: VecDeque<(Timestamp, Room)>,
}

impl DiskForecast {
    /// Takes the room at a moment of the run's clock; returns a warning where it ends soon.
    pub(super) fn add_moment(&mut self, now: Timestamp, room: Room) -> Option<String> {
        if self.moments.back().is_none_or(|(last, _)| duration_between(*last, now) >= EVERY) {
            self.moments.push_back((now, room));
        }
        while self.moments.front().is_some_and(|(first, _)| duration_between(*first, now) > WINDOW) {
            self.moments.pop_front();
        }
        let (first, before) = self.moments.front().copied()?;
        let course = Some(duration_between(first, now)).filter(|course| *course >= SHORTEST)?;
        let bytes = time_left(before.bytes, room.bytes, course);
        let inodes = time_left(before.inodes, room.inodes, course);
        let left = bytes.into_iter().chain(inodes).min().filter(|left| *left <= SOON)?;
        let rest = match (room.bytes, room.inodes) {
            (Some(left), _) if bytes <= inodes && bytes.is_some() || inodes.is_none() => {
                format!("{} left", Bytes(left))
            }
            (_, Some(left)) => format!("{left} files left"),
            (_, None) => return None,
        };
        // Whole minutes: the text changes seldom, and it is no promise.
        let left = Duration::from_secs(left.as_secs().div_ceil(60).max(1) * 60);
        Some(format!("disk full in about {}: {rest}", format_duration(left)))
    }
}

/// How long what is left lasts at the rate of the course; `None` where it did not shrink.
fn time_left(before: Option<u64>, now: Option<u64>, course: Duration) -> Option<Duration> {
    let (before, now) = before.zip(now)?;
    let used = before.checked_sub(now).filter(|used| *used > 0)?;
    Some(course.mul_f64((now as f64 / used as f64).min(1e6)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn a_disk_that_fills_is_warned_of_before_it_is_full() {
        let mut forecast = DiskForecast::default();
        let room = |bytes| Room { bytes: Some(bytes), inodes: Some(1_000_000) };
        // A gibibyte in ten seconds: twenty last three minutes.
        let texts: Vec<Option<String>> =
            (0..8).map(|turn| forecast.add_moment(at(turn * 10), room((27 - turn) * GIB))).collect();
        assert!(texts[..6].iter().all(Option::is_none), "{texts:?}");
        let text = texts[7].as_deref().unwrap();
        assert!(text.starts_with("disk full in about ") && text.ends_with(": 20.0 GiB left"), "{text}");
        // It stays as it is: after the window nothing shrinks any more.
        let later: Vec<Option<String>> =
            (8..50).map(|turn| forecast.add_moment(at(turn * 10), room(20 * GIB))).collect();
        assert_eq!(later.last(), Some(&None));
    }

    #[test]
    fn inodes_end_too_and_an_endless_disk_never_does() {
        let mut forecast = DiskForecast::default();
        let room = |inodes| Room { bytes: None, inodes: Some(inodes) };
        let text =
            (0..10).filter_map(|turn| forecast.add_moment(at(turn * 10), room(1000 - turn * 50))).last();
        assert!(text.as_deref().is_some_and(|text| text.ends_with("550 files left")), "{text:?}");
        let mut forecast = DiskForecast::default();
        let endless = Room { bytes: None, inodes: None };
        assert!((0..10).all(|turn| forecast.add_moment(at(turn * 10), endless).is_none()));
    }
}
