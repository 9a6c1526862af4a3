//! How often the screen is drawn and the files are read.

use std::time::{Duration, Instant};

/// The least time between two frames, by the line to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    frame: Duration,
    look: Duration,
}

impl Pace {
    /// The pace on this line to the terminal.
    pub fn here(slow: bool) -> Self {
        Self::of(slow, ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| std::env::var_os(name).is_some()))
    }

    /// Ten frames a second here, four over SSH, one where it was asked for. News of files wait a little longer than
    /// answers to keys: nobody reads a log at ten frames a second.
    pub fn of(slow: bool, over_ssh: bool) -> Self {
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
    pace: Pace,
    drawn: Instant,
    looked: Instant,
    ticked: Instant,
    /// Something on the screen has changed.
    pub dirty: bool,
    /// Files have changed.
    pub stale: bool,
}

impl Clock {
    /// Everything is due now.
    pub fn new(pace: Pace, now: Instant) -> Self {
        let before = now.checked_sub(Duration::from_secs(2)).unwrap_or(now);
        Self { pace, drawn: before, looked: before, ticked: before, dirty: true, stale: true }
    }

    /// How long there is nothing to do.
    pub fn rest(&self, now: Instant) -> Duration {
        let mut due = self.ticked + Duration::from_secs(1);
        if self.dirty {
            due = due.min(self.drawn + self.pace.frame);
        }
        if self.stale {
            due = due.min(self.looked + self.pace.look);
        }
        due.saturating_duration_since(now)
    }

    /// How long until a frame is due, where one is wanted.
    pub fn rest_of_frame(&self, now: Instant) -> Option<Duration> {
        self.dirty.then(|| (self.drawn + self.pace.frame).saturating_duration_since(now))
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
        let due = self.stale && now.duration_since(self.looked) >= self.pace.look;
        if due {
            self.looked = now;
            self.stale = false;
        }
        due
    }

    /// A frame should be drawn.
    pub fn take_frame(&mut self, now: Instant) -> bool {
        let due = self.dirty && now.duration_since(self.drawn) >= self.pace.frame;
        if due {
            self.drawn = now;
            self.dirty = false;
        }
        due
    }
}
