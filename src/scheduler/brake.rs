//! Starts after the machine could not make one: later and later, and one at a time until it is well again.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::phase::PhaseKind;
use crate::model::shortage::{Shortage, StartShortage, WaitingGroup};
use crate::model::units::between;
use crate::scheduler::gate::after;
use crate::scheduler::memory::Memory;
use crate::scheduler::turn::Turn;

/// The first pause is short: mostly something ends soon. A machine that lacks something for hours is tried twice a minute.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LAST_PAUSE: Duration = Duration::from_secs(30);

/// After so long without another failed start, shards start side by side again.
const CALM: Duration = Duration::from_secs(30);

/// What the machine lacked, and when the next start is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brake {
    /// What it lacked the last time.
    pub lack: StartShortage,
    failed: Timestamp,
    opens: Timestamp,
    pause: Duration,
}

/// A start has failed for lack of something.
pub fn pull(memory: &mut Memory, lack: StartShortage, now: Timestamp) {
    // Those that were begun together fail together, and count once.
    let pause = match memory.brake {
        Some(brake) if now < brake.opens => brake.pause,
        Some(brake) => (brake.pause * 2).min(LAST_PAUSE),
        None => FIRST_PAUSE,
    };
    let opens = after(now, pause).unwrap_or(now);
    memory.brake = Some(Brake { lack, failed: now, opens, pause });
}

/// A start has worked, so that the next one may be tried at once.
pub fn ease(memory: &mut Memory, now: Timestamp) {
    memory.brake = memory.brake.filter(|brake| between(brake.failed, now) < CALM).map(|brake| Brake {
        opens: now,
        pause: FIRST_PAUSE,
        ..brake
    });
}

/// An attempt has ended and gave back what it held.
pub fn try_soon(memory: &mut Memory, now: Timestamp) {
    if let Some(brake) = &mut memory.brake {
        brake.opens = brake.opens.min(now);
    }
}

/// How many shards may be active, where starts are braked: no more than now, or one more.
pub fn slots(turn: &mut Turn, memory: &Memory) -> Option<usize> {
    let brake = memory.brake?;
    // A moment further ahead was left by a clock that was set back.
    let is_open = brake.opens <= turn.now || between(turn.now, brake.opens) > LAST_PAUSE;
    if !is_open {
        turn.wake_at(brake.opens);
    }
    let is_trying = turn.tally().count(PhaseKind::Starting) > 0;
    Some(turn.active() + usize::from(is_open && !is_trying))
}

/// Every queued shard waits for what the machine lacks.
pub fn tell(turn: &mut Turn, brake: Brake) {
    let is_queued = |position: &usize| turn.shard(*position).phase.kind() == PhaseKind::Queued;
    let shards: Vec<usize> = turn.positions().filter(is_queued).collect();
    let waiting = if shards.is_empty() {
        Vec::new()
    } else {
        vec![WaitingGroup { shards, short_of: Shortage::Start { lack: brake.lack } }]
    };
    turn.waits(waiting);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_that_fail_are_tried_later_and_later_and_those_of_one_moment_count_once() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut memory = Memory::default();
        let pause = |memory: &Memory| memory.brake.map(|brake| brake.pause.as_secs());
        let lack = StartShortage::Terminals;
        pull(&mut memory, lack, at(100));
        pull(&mut memory, lack, at(100));
        assert_eq!(pause(&memory), Some(1));
        pull(&mut memory, lack, at(101));
        pull(&mut memory, lack, at(103));
        assert_eq!(pause(&memory), Some(4));
        for second in (110..1000).step_by(60) {
            pull(&mut memory, lack, at(second));
        }
        assert_eq!(pause(&memory), Some(LAST_PAUSE.as_secs()));
        try_soon(&mut memory, at(951));
        assert_eq!(memory.brake.map(|brake| brake.opens), Some(at(951)));
        ease(&mut memory, at(952));
        assert_eq!(pause(&memory), Some(1), "one start at a time, without a pause");
        ease(&mut memory, at(990));
        assert_eq!(memory.brake, None);
    }
}
