//! Reads the clock of a run: the kernel's boot clock, which counts also while the machine sleeps and which no one sets.

use std::sync::OnceLock;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

use super::life;
use crate::model::run_clock::RunClock;

/// The clock of the run that this process serves.
static SERVED: OnceLock<RunClock> = OnceLock::new();

/// From now on [`now`] is the time of this run. A process serves one run; a later call changes nothing.
pub fn serve_clock(clock: &RunClock) {
    let _ = SERVED.set(clock.clone());
}

/// The clock of the run that this process serves, if it serves one.
pub fn served_clock() -> Option<&'static RunClock> {
    SERVED.get()
}

/// Now, for a process that serves a run; in others wall time as it was at the first call, carried on by the boot clock.
pub fn now() -> Timestamp {
    static OWN: OnceLock<RunClock> = OnceLock::new();
    let own = || OWN.get_or_init(|| RunClock::that_shows(Timestamp::now(), boot_id(), time_since_boot()));
    SERVED.get().unwrap_or_else(own).time_at(time_since_boot())
}

/// Now in a run whose clock a viewer knows from the journal. Seen from another boot or machine it is wall time.
pub fn of_run(clock: Option<&RunClock>) -> Timestamp {
    let here = clock.filter(|clock| !clock.boot_id.is_empty() && clock.boot_id == boot_id());
    here.map_or_else(Timestamp::now, |clock| clock.time_at(time_since_boot()))
}

/// The clock that a supervisor of a run continues with; see [`RunClock::resume`].
pub fn resume_clock(known: Option<&RunClock>, newest: Option<Timestamp>) -> RunClock {
    RunClock::resume(known, newest, (boot_id(), time_since_boot()), Timestamp::now())
}

/// How far the wall clock is ahead of [`now`].
pub fn wall_ahead() -> SignedDuration {
    Timestamp::now().duration_since(now())
}

/// The latest moment by [`now`] at which a file may have been written that wall time `modified` is noted with: whether
/// the wall clock was set before or after that is unknown. A file server's clock may be ahead of ours.
pub fn of_file(modified: Timestamp) -> Timestamp {
    latest_time(modified, wall_ahead(), now())
}

fn latest_time(modified: Timestamp, wall_ahead: SignedDuration, now: Timestamp) -> Timestamp {
    let by_present_wall = modified.checked_sub(wall_ahead).unwrap_or(modified);
    modified.max(by_present_wall).min(now)
}

/// When a process was started, by [`now`], from field 22 of its `/proc/PID/stat`.
pub fn of_start(start_ticks: u64) -> Timestamp {
    let since_boot = Duration::from_secs_f64(start_ticks as f64 / clock_ticks_per_second() as f64);
    let age = SignedDuration::try_from(time_since_boot().saturating_sub(since_boot)).unwrap_or_default();
    now().checked_sub(age).unwrap_or(Timestamp::MIN)
}

fn time_since_boot() -> Duration {
    clock_gettime(ClockId::Boottime).try_into().unwrap_or_default()
}

fn boot_id() -> &'static str {
    life::boot_id().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_young_as_a_step_of_the_wall_clock_allows() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let age = |modified, ahead| {
            let now = 10_000;
            now - latest_time(at(modified), SignedDuration::from_secs(ahead), at(now)).as_second()
        };
        assert_eq!(age(9_990, 0), 10);
        assert_eq!(age(10_005, 0), 0, "a file server's clock is ahead");
        // The clock was set back by 2,000 s: after it, and before it.
        assert_eq!((age(7_990, -2_000), age(9_990, -2_000)), (10, 0));
        // Set ahead: after it, and before it.
        assert_eq!((age(11_990, 2_000), age(9_990, 2_000)), (0, 10));
    }
}
