//! The time by which a run decides: wall time when a boot of its machine was first met, carried on by the boot clock.
//!
//! The wall clock may be set at any moment, by a user or a time server, and nothing of a run may start, wait or end for
//! that. So all moments of a run are times since boot, shown as wall time by one figure that never changes in a boot.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The clock of a run in one boot of its machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunClock {
    /// Id of the boot, from `/proc/sys/kernel/random/boot_id`.
    pub boot_id: String,
    /// Wall time at which the boot clock was 0, as the wall clock had it when the run first met this boot.
    pub booted: Timestamp,
}

impl RunClock {
    /// The clock that shows `now` when the machine has been up for `up`.
    pub fn that_shows(now: Timestamp, boot_id: &str, up: Duration) -> Self {
        let booted = now.checked_sub(up).unwrap_or(Timestamp::UNIX_EPOCH);
        Self { boot_id: boot_id.to_owned(), booted }
    }

    /// The moment at which the machine has been up for `up`.
    pub fn time_at(&self, up: Duration) -> Timestamp {
        self.booted.checked_add(up).unwrap_or(Timestamp::MAX)
    }

    /// The clock that a supervisor continues with: the known one in the boot that it belongs to. In another boot, or
    /// where no clock is known, wall time, but never a moment before the newest fact.
    pub fn resume(
        known: Option<&Self>,
        newest: Option<Timestamp>,
        (boot_id, up): (&str, Duration),
        wall: Timestamp,
    ) -> Self {
        let is_usable = |clock: &&Self| {
            clock.boot_id == boot_id
                && !boot_id.is_empty()
                && newest.is_none_or(|newest| newest <= clock.time_at(up))
        };
        match known.filter(is_usable) {
            Some(clock) => clock.clone(),
            None => Self::that_shows(newest.map_or(wall, |newest| newest.max(wall)), boot_id, up),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    const fn up(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn steps_of_the_wall_clock_move_no_moment_of_a_boot() {
        let clock = RunClock::resume(None, Some(at(1000)), ("boot", up(50)), at(1001));
        assert_eq!(clock.time_at(up(60)), at(1011));
        for wall in [at(0), at(8211), at(1012)] {
            let next = RunClock::resume(Some(&clock), Some(at(1011)), ("boot", up(61)), wall);
            assert_eq!(next, clock, "a later supervisor, whatever the wall clock says");
        }
    }

    #[test]
    fn another_boot_continues_with_wall_time_and_never_goes_back() {
        let clock = RunClock::that_shows(at(1000), "boot", up(500));
        let next = RunClock::resume(Some(&clock), Some(at(1100)), ("other", up(10)), at(4000));
        assert_eq!((next.boot_id.as_str(), next.time_at(up(10))), ("other", at(4000)));
        // The machine came up with a clock that is hours behind.
        let next = RunClock::resume(Some(&clock), Some(at(1100)), ("other", up(10)), at(0));
        assert_eq!(next.time_at(up(11)), at(1101));
    }

    #[test]
    fn a_boot_clock_of_another_container_cannot_turn_time_back() {
        let clock = RunClock::that_shows(at(1000), "boot", up(500));
        let next = RunClock::resume(Some(&clock), Some(at(1100)), ("boot", up(3)), at(1200));
        assert_eq!(next.time_at(up(3)), at(1200));
    }
}
