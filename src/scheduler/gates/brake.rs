//! Starts after the machine could not make one: later and later, and one at a time until it is well again.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::shortage::{Shortage, StartShortage, WaitingGroup};
use crate::model::state::phase::PhaseKind;
use crate::model::units::duration_between;
use crate::scheduler::decision_builder::DecisionBuilder;

/// The first pause is short: mostly something ends soon. A machine that lacks something for hours is tried twice a
/// minute.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LAST_PAUSE: Duration = Duration::from_secs(30);

/// After so long without another failed start, shards start side by side again.
const CALM: Duration = Duration::from_secs(30);

/// Shortage of the machine, and the moment at which the next start is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brake {
    /// Resource that the machine lacked the last time.
    pub lack: StartShortage,
    failed: Timestamp,
    opens: Timestamp,
    pause: Duration,
}

impl Brake {
    /// A start has failed for lack of something.
    pub fn after_failure(earlier: Option<Self>, lack: StartShortage, now: Timestamp) -> Self {
        // Those that were begun together fail together, and count once.
        let pause = match earlier {
            Some(brake) if now < brake.opens => brake.pause,
            Some(brake) => (brake.pause * 2).min(LAST_PAUSE),
            None => FIRST_PAUSE,
        };
        let opens = now.checked_add(pause).unwrap_or(now);
        Self { lack, failed: now, opens, pause }
    }

    /// A start has worked, so that the next one may be tried at once; nothing is left of it after a while of calm.
    pub fn after_success(self, now: Timestamp) -> Option<Self> {
        (duration_between(self.failed, now) < CALM).then_some(Self { opens: now, pause: FIRST_PAUSE, ..self })
    }

    /// An attempt has ended and gave back what it held.
    pub fn try_soon(self, now: Timestamp) -> Self {
        Self { opens: self.opens.min(now), ..self }
    }
}

/// How many shards may be active while starts are braked: no more than now, or one more.
pub fn braked_limit(builder: &mut DecisionBuilder, brake: Brake) -> usize {
    // A moment further ahead was left by a clock that was set back.
    let is_open = brake.opens <= builder.now || duration_between(builder.now, brake.opens) > LAST_PAUSE;
    if !is_open {
        builder.wake_at(brake.opens);
    }
    let is_trying = builder.tally().count(PhaseKind::Starting) > 0;
    builder.active_count() + usize::from(is_open && !is_trying)
}

/// Every queued shard waits for what the machine lacks.
pub fn report_shortage(builder: &mut DecisionBuilder, brake: Brake) {
    let is_queued = |position: &usize| builder.shard(*position).phase.kind() == PhaseKind::Queued;
    let shards: Vec<usize> = builder.positions().filter(is_queued).collect();
    let waiting = if shards.is_empty() {
        Vec::new()
    } else {
        vec![WaitingGroup { shards, short_of: Shortage::Start { lack: brake.lack } }]
    };
    builder.report_waiting(waiting);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_that_fail_are_tried_later_and_later_and_those_of_one_moment_count_once() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let pull = |brake, second| Brake::after_failure(Some(brake), StartShortage::Terminals, at(second));
        let mut brake = Brake::after_failure(None, StartShortage::Terminals, at(100));
        brake = pull(brake, 100);
        assert_eq!(brake.pause.as_secs(), 1);
        brake = pull(pull(brake, 101), 103);
        assert_eq!(brake.pause.as_secs(), 4);
        brake = (110..1000).step_by(60).fold(brake, pull);
        assert_eq!(brake.pause, LAST_PAUSE);
        brake = brake.try_soon(at(951));
        assert_eq!(brake.opens, at(951));
        brake = brake.after_success(at(952)).unwrap();
        assert_eq!(brake.pause.as_secs(), 1, "one start at a time, without a pause");
        assert_eq!(brake.after_success(at(990)), None);
    }
}
