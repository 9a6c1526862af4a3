//! The polite stop as a function of time: SIGINT, wait, SIGTERM, wait, SIGKILL until nothing is left.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::model::sweep::plan::Grace;

/// SIGKILL is repeated for those that were forked meanwhile, soon at first and then ever less often, because what is
/// still there after a second frees its memory or hangs in the kernel.
const FIRST_REPEAT: Duration = Duration::from_millis(10);
const LAST_REPEAT: Duration = Duration::from_secs(1);

/// Progress of a stop through its steps.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    grace: Grace,
    step: StopStep,
    /// When the next step is due.
    due: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopStep {
    Asked,
    Interrupted,
    Terminated,
    Killing { repeat: Duration },
}

impl Stop {
    /// A stop whose first signal is due now.
    pub fn new(grace: Grace, now: Instant) -> Self {
        Self { grace, step: StopStep::Asked, due: now }
    }

    /// Another stop was asked for: the next signal comes no later than that one would send it.
    pub fn hurry(&mut self, grace: Grace, now: Instant) {
        self.grace = grace;
        self.due = self.due.min(now + self.step_timeout());
    }

    /// When to call [`Self::next`] again.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// The signal that is due, if one is.
    pub fn next(&mut self, now: Instant) -> Option<Signal> {
        if now < self.due {
            return None;
        }
        let (step, signal) = match self.step {
            StopStep::Asked => (StopStep::Interrupted, Signal::INT),
            StopStep::Interrupted => (StopStep::Terminated, Signal::TERM),
            StopStep::Terminated => (StopStep::Killing { repeat: FIRST_REPEAT }, Signal::KILL),
            StopStep::Killing { repeat } => {
                (StopStep::Killing { repeat: (repeat * 2).min(LAST_REPEAT) }, Signal::KILL)
            }
        };
        self.step = step;
        self.due = now + self.step_timeout();
        Some(signal)
    }

    /// How long the present step waits.
    fn step_timeout(&self) -> Duration {
        match self.step {
            StopStep::Asked => Duration::ZERO,
            StopStep::Interrupted => self.grace.interrupt,
            StopStep::Terminated => self.grace.terminate,
            StopStep::Killing { repeat } => repeat,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grace(interrupt: u64, terminate: u64) -> Grace {
        Grace { interrupt: Duration::from_secs(interrupt), terminate: Duration::from_secs(terminate) }
    }

    #[test]
    fn each_signal_waits_for_the_grace_of_the_one_before() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut stop = Stop::new(grace(10, 5), start);
        assert_eq!(stop.next(at(0)), Some(Signal::INT));
        assert_eq!(stop.next(at(9)), None);
        assert_eq!(stop.next(at(10)), Some(Signal::TERM));
        assert_eq!(stop.due(), at(15));
        assert_eq!(stop.next(at(15)), Some(Signal::KILL));
        assert_eq!(stop.next(at(15)), None);
        assert_eq!(stop.next(at(16)), Some(Signal::KILL), "it is repeated");
    }

    #[test]
    fn a_second_stop_can_only_make_it_faster() {
        let start = Instant::now();
        let mut stop = Stop::new(grace(10, 5), start);
        stop.next(start);
        stop.hurry(grace(60, 60), start);
        assert_eq!(stop.due(), start + Duration::from_secs(10));
        stop.hurry(grace(0, 0), start);
        assert_eq!(stop.next(start), Some(Signal::TERM));
        assert_eq!(stop.next(start), Some(Signal::KILL));
    }
}
