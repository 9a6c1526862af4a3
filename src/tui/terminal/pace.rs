//! How often the screen is drawn and the files are read. The answer to a key waits for neither.

use std::time::{Duration, Instant};

/// As many pulses wait for the main loop, and are taken between two frames at most.
pub const MOST_PULSES: usize = 256;

/// The least time between two frames of news, by the line to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FramePace {
    frame: Duration,
    look: Duration,
}

/// Whether this terminal is at the other end of an SSH connection.
pub fn is_over_ssh() -> bool {
    ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| std::env::var_os(name).is_some())
}

impl FramePace {
    /// The pace on this line to the terminal.
    pub fn for_terminal(slow: bool) -> Self {
        Self::for_connection(slow, is_over_ssh())
    }

    /// Returns ten frames a second here, four over SSH, one where it was asked for. Files are read less often: no one
    /// reads a log at ten frames a second.
    pub fn for_connection(slow: bool, over_ssh: bool) -> Self {
        let milliseconds =
            |frame, look| Self { frame: Duration::from_millis(frame), look: Duration::from_millis(look) };
        match (slow, over_ssh) {
            (true, _) => milliseconds(1000, 1000),
            (false, true) => milliseconds(250, 500),
            (false, false) => milliseconds(100, 250),
        }
    }
}

/// When the next frame, the next look at the files and the next second are due.
#[derive(Debug)]
pub struct Clock {
    pace: FramePace,
    drawn: Instant,
    looked: Instant,
    ticked: Instant,
    /// Something on the screen has changed.
    pub dirty: bool,
    /// Whether files have changed since they were last read.
    pub stale: bool,
    /// A key was pressed since the last frame.
    answers: bool,
    /// The picture that answers it needs the files.
    hurries: bool,
}

impl Clock {
    /// Everything is due now.
    pub fn new(pace: FramePace, now: Instant) -> Self {
        let before = now.checked_sub(Duration::from_secs(2)).unwrap_or(now);
        Self {
            pace,
            drawn: before,
            looked: before,
            ticked: before,
            dirty: true,
            stale: true,
            answers: false,
            hurries: false,
        }
    }

    /// Makes the next frame due now: the user waits for it.
    pub fn request_frame(&mut self) {
        self.dirty = true;
        self.answers = true;
    }

    /// Makes the next look due now: the answer to a key is in the files.
    pub fn look_at_once(&mut self) {
        self.stale = true;
        self.hurries = true;
    }

    /// How long there is nothing to do.
    pub fn idle_time(&self, now: Instant) -> Duration {
        let mut due = self.ticked + Duration::from_secs(1);
        if self.dirty {
            due = due.min(self.frame_due());
        }
        if self.stale {
            due = due.min(self.look_due());
        }
        due.saturating_duration_since(now)
    }

    /// How long until a frame is due, where one is wanted.
    pub fn rest_of_frame(&self, now: Instant) -> Option<Duration> {
        self.dirty.then(|| self.frame_due().saturating_duration_since(now))
    }

    /// When a frame may be drawn.
    fn frame_due(&self) -> Instant {
        if self.answers { self.drawn } else { self.drawn + self.pace.frame }
    }

    /// When the files may be read.
    fn look_due(&self) -> Instant {
        if self.hurries { self.looked } else { self.looked + self.pace.look }
    }

    /// A second is over.
    pub fn take_tick(&mut self, now: Instant) -> bool {
        let due = now.duration_since(self.ticked) >= Duration::from_secs(1);
        if due {
            self.ticked = now;
        }
        due
    }

    /// The files should be looked at.
    pub fn take_look(&mut self, now: Instant) -> bool {
        let due = self.stale && now >= self.look_due();
        if due {
            self.looked = now;
            self.stale = false;
            self.hurries = false;
        }
        due
    }

    /// A frame should be drawn.
    pub fn take_frame(&mut self, now: Instant) -> bool {
        let due = self.dirty && now >= self.frame_due();
        if due {
            self.drawn = now;
            self.dirty = false;
            self.answers = false;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    /// A clock whose first frame, look and second are taken at `start`.
    fn running(pace: FramePace, start: Instant) -> Clock {
        let mut clock = Clock::new(pace, start);
        assert!(clock.take_tick(start) && clock.take_look(start) && clock.take_frame(start));
        clock
    }

    #[test]
    fn news_wait_for_the_next_frame_and_answers_do_not() {
        let start = Instant::now();
        for (pace, frame) in [
            (FramePace::for_connection(false, false), 100),
            (FramePace::for_connection(false, true), 250),
            (FramePace::for_connection(true, true), 1000),
        ] {
            let mut clock = running(pace, start);
            clock.dirty = true;
            assert!(!clock.take_frame(after(start, frame - 1)), "news are drawn at the pace of the line");
            assert_eq!(clock.idle_time(after(start, frame - 1)), Duration::from_millis(1));
            clock.request_frame();
            assert_eq!(clock.idle_time(after(start, 1)), Duration::ZERO);
            assert_eq!(clock.rest_of_frame(after(start, 1)), Some(Duration::ZERO));
            assert!(clock.take_frame(after(start, 1)), "a key is answered at once");
            clock.dirty = true;
            assert!(!clock.take_frame(after(start, frame)), "one answer is one frame");
            assert!(clock.take_frame(after(start, frame + 1)));
        }
    }

    #[test]
    fn files_are_read_at_once_where_the_answer_is_in_them() {
        let start = Instant::now();
        let mut clock = running(FramePace::for_connection(false, true), start);
        clock.stale = true;
        assert!(!clock.take_look(after(start, 499)));
        clock.look_at_once();
        assert!(clock.take_look(after(start, 1)));
        clock.stale = true;
        assert!(!clock.take_look(after(start, 500)), "once");
    }
}
