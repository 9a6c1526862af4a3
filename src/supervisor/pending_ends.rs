//! Ends of attempts that wait for a look at the machine, because what is answered to them depends on it.

use jiff::Timestamp;

use crate::scheduler::input::SchedulerInput;

/// A clock that was set back holds an end up for so many looks at most.
const MOST_LOOKS: u32 = 3;

/// Ends of attempts that wait for a look at the machine.
#[derive(Default)]
pub(super) struct PendingEnds(Vec<PendingEnd>);

struct PendingEnd {
    since: Timestamp,
    looks: u32,
    ended: SchedulerInput,
}

impl PendingEnds {
    /// An end waits for a look that is younger than `now`.
    pub(super) fn add_pending(&mut self, ended: SchedulerInput, now: Timestamp) {
        self.0.push(PendingEnd { since: now, looks: 0, ended });
    }

    /// The machine was looked at: the ends that need not wait any more, in the order in which they came.
    pub(super) fn take_ready(&mut self, looked: Timestamp) -> Vec<SchedulerInput> {
        let all = std::mem::take(&mut self.0);
        let mut ripe = Vec::new();
        for mut waiting in all {
            waiting.looks += 1;
            if waiting.since <= looked || waiting.looks >= MOST_LOOKS {
                ripe.push(waiting.ended);
            } else {
                self.0.push(waiting);
            }
        }
        ripe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_waits_for_a_younger_look_and_not_for_ever() {
        let second = |second| Timestamp::from_second(second).unwrap();
        let mut pending_ends = PendingEnds::default();
        pending_ends.add_pending(SchedulerInput::Wake, second(10));
        assert_eq!(pending_ends.take_ready(second(9)), []);
        assert_eq!(pending_ends.take_ready(second(10)), [SchedulerInput::Wake]);
        assert_eq!(pending_ends.take_ready(second(11)), []);
        pending_ends.add_pending(SchedulerInput::Wake, second(10));
        let looks: Vec<usize> = (0..3).map(|_| pending_ends.take_ready(second(1)).len()).collect();
        assert_eq!(looks, [0, 0, 1]);
    }
}
