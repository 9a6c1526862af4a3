//! Calls of the hook that wait for those before them, because a hook may hang and a broken sweep fails all at once.

use std::collections::VecDeque;

use crate::model::sweep::hook::HookSource;
use crate::results::faces::hook_calls::Call;

/// So many calls run at a time: one that hangs does not hold up the others, and the share they take from the
/// evaluations (each is a shell and all that it starts) stays small.
const AT_ONCE: usize = 4;

/// So many wait: who reads them has long understood, and each holds a document.
const WAITING: usize = 100;

/// Calls that run, that wait, and that will never be.
#[derive(Debug)]
pub(in crate::supervisor) struct HookQueue<T = (HookSource, Call)> {
    running: usize,
    waiting: VecDeque<T>,
    dropped: usize,
}

impl<T> Default for HookQueue<T> {
    fn default() -> Self {
        Self { running: 0, waiting: VecDeque::new(), dropped: 0 }
    }
}

impl<T> HookQueue<T> {
    /// Appends a call to the queue; one too many is dropped.
    pub(in crate::supervisor) fn put(&mut self, call: T) {
        if self.waiting.len() < WAITING {
            self.waiting.push_back(call);
        } else {
            self.dropped += 1;
        }
    }

    /// The next call that may begin; from now on it runs.
    pub(in crate::supervisor) fn next(&mut self) -> Option<T> {
        let call = if self.running < AT_ONCE { self.waiting.pop_front() } else { None };
        self.running += usize::from(call.is_some());
        call
    }

    /// Counts a call that begins without waiting.
    pub(in crate::supervisor) fn note_begun(&mut self) {
        self.running += 1;
    }

    /// A call has ended, or could not begin.
    pub(in crate::supervisor) fn note_ended(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Number of dropped calls, reported once: when none waits any more.
    pub(in crate::supervisor) fn take_dropped(&mut self) -> usize {
        if self.waiting.is_empty() { std::mem::take(&mut self.dropped) } else { 0 }
    }

    /// Forgets those that wait; how many were dropped with them.
    pub(in crate::supervisor) fn give_up(&mut self) -> usize {
        self.dropped += self.waiting.len();
        self.waiting.clear();
        self.take_dropped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(calls: usize) -> HookQueue<usize> {
        let mut queue = HookQueue::default();
        (0..calls).for_each(|call| queue.put(call));
        queue
    }

    fn begin_all(queue: &mut HookQueue<usize>) -> Vec<usize> {
        std::iter::from_fn(|| queue.next()).collect()
    }

    #[test]
    fn four_run_and_each_that_ends_makes_room_for_the_next() {
        let mut queue = with(6);
        assert_eq!(begin_all(&mut queue), [0, 1, 2, 3]);
        queue.note_ended();
        assert_eq!(begin_all(&mut queue), [4]);
        queue.note_begun();
        queue.note_ended();
        assert_eq!(begin_all(&mut queue), [] as [usize; 0]);
    }

    #[test]
    fn one_too_many_is_dropped_and_that_is_said_once_when_the_others_have_begun() {
        let mut queue = with(WAITING + 3);
        assert_eq!(queue.take_dropped(), 0, "others wait, and more may be dropped");
        let mut begun = 0;
        while queue.next().is_some() {
            begun += 1;
            queue.note_ended();
        }
        assert_eq!((begun, queue.take_dropped(), queue.take_dropped()), (WAITING, 3, 0));
    }

    #[test]
    fn those_that_wait_at_the_end_are_counted_with_those_that_were_dropped() {
        let mut queue = with(WAITING + 3);
        begin_all(&mut queue);
        assert_eq!(queue.give_up(), WAITING - AT_ONCE + 3);
        assert_eq!(queue.give_up(), 0);
    }
}
