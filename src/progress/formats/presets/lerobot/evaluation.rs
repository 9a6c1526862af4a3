//! The batches of one evaluation with LeRobot: of the tasks that are over, and of the one whose bar is drawn.

use std::collections::BTreeSet;
use std::time::Duration;

/// The batches of one evaluation.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// The tasks for which environments were built; programs with one task build them silently.
    pub tasks: BTreeSet<Vec<u8>>,
    /// Batches of the tasks that are over.
    over: BatchProgress,
    /// The bar of the present task.
    pub bar: Option<BatchProgress>,
    /// The tasks have different numbers of batches, so that one says nothing about the others.
    uneven: bool,
}

/// Batches of one or several tasks.
#[derive(Debug, Default, Clone, Copy)]
pub struct BatchProgress {
    /// Number of batches that are over.
    pub done: u64,
    /// Number of all batches, over or not.
    pub total: u64,
    /// How long they took, where they are those of one bar.
    pub elapsed: Option<Duration>,
    /// The share of episodes that succeeded.
    pub success_rate: Option<f64>,
}

impl Evaluation {
    /// Takes a drawing of a bar.
    pub fn count(&mut self, drawn: BatchProgress) {
        match &mut self.bar {
            Some(bar) if bar.goes_on_with(drawn) => (bar.done, bar.elapsed) = (drawn.done, drawn.elapsed),
            Some(before) => {
                self.uneven |= before.total != drawn.total;
                // A bar that never filled belongs to a task that runs alongside this one, or to an attempt that was
                // given up.
                if before.done >= before.total {
                    self.over = self.over.and(*before);
                }
                self.bar = Some(BatchProgress { success_rate: None, ..drawn });
            }
            None => self.bar = Some(BatchProgress { success_rate: None, ..drawn }),
        }
    }

    /// Takes the rate that is drawn next to the present bar.
    pub fn rate(&mut self, rate: f64) {
        if let Some(bar) = &mut self.bar {
            bar.success_rate = Some(rate);
        }
    }

    /// Returns the share of episodes that succeeded, as far as the bars show it.
    pub fn success_rate(&self) -> Option<f64> {
        self.over.and(self.bar.unwrap_or_default()).success_rate
    }

    /// Batches so far; unknown before the first bar.
    pub fn done(&self) -> Option<u64> {
        Some(self.over.done.saturating_add(self.bar?.done))
    }

    /// All batches of all tasks.
    pub fn total(&self) -> Option<u64> {
        let each = self.bar.filter(|_| !self.uneven)?.total;
        match self.tasks.len() as u64 {
            // Nothing shows that there are several tasks, until a second bar does.
            0 => (self.over.done == 0).then_some(each),
            tasks => tasks.checked_mul(each),
        }
    }
}

impl BatchProgress {
    /// Reports whether it is the same bar, drawn again.
    fn goes_on_with(self, drawn: Self) -> bool {
        // A full bar is drawn once more when it closes, which takes no time. Programs that keep the last drawing of
        // each bar only have full ones.
        const LONGEST_CLOSE: Duration = Duration::from_secs(2);
        let is_full = self.done == self.total;
        let is_late = self.elapsed.zip(drawn.elapsed).is_some_and(|(a, b)| a.abs_diff(b) > LONGEST_CLOSE);
        let is_other = self.success_rate.zip(drawn.success_rate).is_some_and(|(a, b)| a != b);
        self.total == drawn.total && self.done <= drawn.done && !(is_full && (is_late || is_other))
    }

    fn and(self, other: Self) -> Self {
        // The rate is drawn before the batch is counted.
        let weight = |batches: Self| batches.done.max(1) as f64;
        let success_rate = match (self.success_rate, other.success_rate) {
            (Some(a), Some(b)) => {
                let (of_a, of_b) = (weight(self), weight(other));
                Some((a * of_a + b * of_b) / (of_a + of_b))
            }
            (rate, None) if other.done == 0 => rate,
            (None, rate) if self.done == 0 => rate,
            (Some(_), None) | (None, Some(_) | None) => None,
        };
        Self {
            done: self.done.saturating_add(other.done),
            total: self.total.saturating_add(other.total),
            elapsed: None,
            success_rate,
        }
    }
}
