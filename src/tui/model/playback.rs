//! The replay of a run: the moment that it has reached, and how fast it goes.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::model::units::duration_between;

/// How many times as fast as it was.
const SPEEDS: [u32; 11] = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

/// At first a run is played in about so many seconds.
const WHOLE: u64 = 60;

/// A step is such a part of the run.
const STEPS: i32 = 20;

/// A change to the replay that a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlaybackCommand {
    /// Play, or pause if it plays.
    Toggle,
    /// The next higher speed.
    Faster,
    /// The next lower speed.
    Slower,
    /// A step forward in the time of the run.
    Forward,
    /// A step back in the time of the run.
    Back,
    /// To the start of the run.
    ToBegin,
    /// To the end of the run.
    ToEnd,
}

/// The replay of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Playback {
    /// The moment at which the run begins.
    pub from: Timestamp,
    /// The last moment of which anything is known.
    pub to: Timestamp,
    /// The moment that is shown.
    pub at: Timestamp,
    /// The replay goes on by itself.
    pub playing: bool,
    speed: usize,
}

impl Playback {
    /// From the start on, so fast that the whole does not take long.
    pub fn new(from: Timestamp, to: Timestamp) -> Self {
        let wanted = duration_between(from, to).as_secs() / WHOLE;
        let speed = SPEEDS.iter().position(|speed| u64::from(*speed) >= wanted).unwrap_or(SPEEDS.len() - 1);
        Self { from, to: to.max(from), at: from, playing: true, speed }
    }

    /// How many times as fast as it was.
    pub fn speed(self) -> u32 {
        SPEEDS[self.speed]
    }

    /// So much time has passed here.
    pub fn advance_time(&mut self, time: Duration) {
        if self.playing {
            self.move_by(
                SignedDuration::try_from(time).unwrap_or(SignedDuration::ZERO) * self.speed() as i32,
            );
            self.playing = self.at < self.to;
        }
    }

    /// Does that. Steps end where the run does.
    pub fn apply_control(&mut self, command: PlaybackCommand) {
        // Readings come once a second: a shorter step might show nothing new.
        let step = (self.to.duration_since(self.from) / STEPS).max(SignedDuration::from_secs(1));
        match command {
            PlaybackCommand::Toggle => self.toggle_playing(),
            PlaybackCommand::Faster => self.speed = (self.speed + 1).min(SPEEDS.len() - 1),
            PlaybackCommand::Slower => self.speed = self.speed.saturating_sub(1),
            PlaybackCommand::Forward => self.move_by(step),
            PlaybackCommand::Back => self.move_by(-step),
            PlaybackCommand::ToBegin => self.at = self.from,
            PlaybackCommand::ToEnd => self.at = self.to,
        }
    }

    /// Plays or pauses; from the end the replay starts again.
    fn toggle_playing(&mut self) {
        if !self.playing && self.at == self.to {
            self.at = self.from;
        }
        self.playing = !self.playing;
    }

    /// Returns the part of the run that is shown already, 0 to 1.
    pub fn played_fraction(self) -> f64 {
        let whole = duration_between(self.from, self.to).as_secs_f64();
        if whole > 0.0 { duration_between(self.from, self.at).as_secs_f64() / whole } else { 1.0 }
    }

    fn move_by(&mut self, way: SignedDuration) {
        let end = if way.is_negative() { self.from } else { self.to };
        self.at = self.at.checked_add(way).unwrap_or(end).clamp(self.from, self.to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn time_passes_as_fast_as_it_is_set_and_stops_at_the_end() {
        let mut playback = Playback::new(at(0), at(7200));
        assert_eq!(playback.speed(), 120, "two hours in a minute");
        playback.advance_time(Duration::from_millis(500));
        assert_eq!(playback.at, at(60));
        playback.apply_control(PlaybackCommand::Slower);
        playback.advance_time(Duration::from_secs(1));
        assert_eq!((playback.at, playback.speed()), (at(120), 60));
        playback.apply_control(PlaybackCommand::Toggle);
        playback.advance_time(Duration::from_secs(9));
        assert_eq!(playback.at, at(120));
        playback.apply_control(PlaybackCommand::Toggle);
        playback.advance_time(Duration::from_secs(3600));
        assert_eq!((playback.at, playback.playing), (at(7200), false));
        playback.apply_control(PlaybackCommand::Toggle);
        assert_eq!((playback.at, playback.playing), (at(0), true), "from the end it begins anew");
    }

    #[test]
    fn steps_stay_in_the_run() {
        let mut playback = Playback::new(at(0), at(7200));
        for _ in 0..3 {
            playback.apply_control(PlaybackCommand::Forward);
        }
        assert_eq!(playback.at, at(1080));
        for _ in 0..9 {
            playback.apply_control(PlaybackCommand::Back);
        }
        assert_eq!((playback.at, playback.played_fraction()), (at(0), 0.0));
        playback.apply_control(PlaybackCommand::ToEnd);
        playback.apply_control(PlaybackCommand::Forward);
        assert_eq!((playback.at, playback.played_fraction()), (at(7200), 1.0));
        let mut nothing = Playback::new(at(5), at(5));
        nothing.apply_control(PlaybackCommand::Back);
        assert_eq!((nothing.at, nothing.played_fraction()), (at(5), 1.0));
    }
}
