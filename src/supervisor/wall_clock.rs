//! Notices that the wall clock was set, for people who compare the times of a run with others.

use std::time::Duration;

use jiff::{SignedDuration, Unit};

use crate::model::state::fact::Event;
use crate::model::units::format_duration;

/// Time servers move clocks by less all the time.
const STEP: SignedDuration = SignedDuration::from_secs(10);

/// The difference between the wall clock and the run's clock.
pub(super) struct WallClockWatch {
    /// How far it was ahead of the run's clock when that was last noted.
    ahead: SignedDuration,
}

impl WallClockWatch {
    pub(super) fn that_is_ahead(ahead: SignedDuration) -> Self {
        Self { ahead }
    }

    /// The remark on a step since the last call, if there was one.
    pub(super) fn remark_step(&mut self, ahead: SignedDuration) -> Option<Event> {
        let step = ahead - self.ahead;
        if step.abs() < STEP {
            return None;
        }
        self.ahead = ahead;
        let seconds = step.abs().round(Unit::Second).unwrap_or(step.abs());
        let length = Duration::try_from(seconds).map(format_duration).unwrap_or_default();
        let way = if step.is_negative() { "back" } else { "ahead" };
        let text = format!("the wall clock was set {way} by {length}; times of this run do not follow it");
        Some(Event::Remarked { about: None, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_remarked_once() {
        let mut clock = WallClockWatch::that_is_ahead(SignedDuration::ZERO);
        let mut text = |seconds| match clock.remark_step(SignedDuration::from_secs(seconds)) {
            Some(Event::Remarked { text, .. }) => text,
            other => format!("{other:?}"),
        };
        assert_eq!(text(3), "None");
        assert!(text(7200).starts_with("the wall clock was set ahead by 2h 00m;"));
        assert_eq!(text(7201), "None");
        assert!(text(0).starts_with("the wall clock was set back by 2h 00m;"));
    }
}
