//! The beat of a living supervisor: the time of `supervisor.json`, renewed every few seconds and watched from machines
//! and containers that cannot see its process.

use std::io;
use std::time::{Duration, Instant, SystemTime};

use super::layout::RunDir;

/// How often it is renewed: one call to a file server.
pub const EVERY: Duration = Duration::from_secs(3);

/// A supervisor without a beat for so long on the viewer's own clock is not at work. File servers show what others did
/// some seconds late.
pub const SILENCE: Duration = Duration::from_secs(10);

/// A beat that is younger than this by clocks that may differ somewhat is a sign of life at a glance.
const FRESH: Duration = Duration::from_secs(60);

/// Clocks of two machines do not differ by this much.
const LONG_AGO: Duration = Duration::from_hours(1);

/// How often a beat is looked for where it is waited for.
const LOOK: Duration = Duration::from_millis(500);

/// Renews the beat of this supervisor.
pub fn renew_beat(run: &RunDir) -> io::Result<()> {
    run.supervisor_json().touch()
}

/// Whether the beat goes on, seen over time on the clock of the viewer.
#[derive(Debug)]
pub struct BeatWatch {
    run: RunDir,
    last: Option<SystemTime>,
    changed: Option<Instant>,
}

impl BeatWatch {
    /// Begins to watch the beat of a run.
    pub fn new(run: &RunDir, now: Instant) -> Self {
        Self { changed: Some(now), ..Self::unseen(run) }
    }

    /// The same, where only a beat that is seen counts.
    pub fn unseen(run: &RunDir) -> Self {
        Self { run: run.clone(), last: last_beat(run), changed: None }
    }

    /// False once the beat was silent for [`SILENCE`] since it was first looked at.
    pub fn is_beating(&mut self, now: Instant) -> bool {
        let last = last_beat(&self.run);
        if last != self.last {
            (self.last, self.changed) = (last, Some(now));
        }
        self.changed.is_some_and(|changed| now.saturating_duration_since(changed) < SILENCE)
    }
}

/// Waits for a beat, for [`SILENCE`] at most; `true` when one came.
pub fn await_beat(run: &RunDir) -> bool {
    let first = last_beat(run);
    let deadline = Instant::now() + SILENCE;
    while Instant::now() < deadline {
        std::thread::sleep(LOOK);
        if last_beat(run) != first {
            return true;
        }
    }
    false
}

/// The supervisor is at work: a beat is waited for, unless the last one is too old for any difference of clocks.
pub fn is_beating(run: &RunDir) -> bool {
    beat_age(run).is_some_and(|age| age <= LONG_AGO) && await_beat(run)
}

/// The same at a glance, by the clocks alone.
pub fn seems_beating(run: &RunDir) -> bool {
    beat_age(run).is_some_and(|age| age < FRESH)
}

/// How far the last beat is from now, before or after.
fn beat_age(run: &RunDir) -> Option<Duration> {
    let last = last_beat(run)?;
    Some(last.elapsed().unwrap_or_else(|ahead| ahead.duration()))
}

/// The last beat. A file that is opened is asked of its server; the time of one that is not may be a minute old.
fn last_beat(run: &RunDir) -> Option<SystemTime> {
    run.supervisor_json().open().and_then(|file| file.metadata()?.modified()).ok()
}

#[cfg(test)]
mod tests {
    use std::fs::FileTimes;

    use super::*;

    #[test]
    fn a_beat_counts_on_the_clock_of_the_viewer() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDir::at(folder.path());
        assert!(!is_beating(&run), "there was never a supervisor");
        run.supervisor_json().replace(b"{}").unwrap();
        let set = |time| {
            let file = run.supervisor_json().open_overwrite().unwrap();
            file.set_times(FileTimes::new().set_modified(time)).unwrap();
        };
        let begin = Instant::now();
        // A clock that is years behind still moves.
        set(SystemTime::UNIX_EPOCH);
        let mut watch = BeatWatch::new(&run, begin);
        assert!(watch.is_beating(begin + SILENCE / 2));
        assert!(!watch.is_beating(begin + SILENCE));
        set(SystemTime::UNIX_EPOCH + Duration::from_secs(3));
        assert!(watch.is_beating(begin + SILENCE));
        assert!(!watch.is_beating(begin + SILENCE * 2));
        assert!(!is_beating(&run));
        renew_beat(&run).unwrap();
        assert!(watch.is_beating(begin + SILENCE * 3));
        let mut unseen = BeatWatch::unseen(&run);
        assert!(!unseen.is_beating(begin), "it may be an old one");
        set(SystemTime::UNIX_EPOCH);
        assert!(unseen.is_beating(begin));
        renew_beat(&run).unwrap();
        assert!(seems_beating(&run));
    }
}
