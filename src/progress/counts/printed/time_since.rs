//! The count of loops that print the time they took and will still take, as PyTorch's tutorials do:
//! `387m 0s (- 4890m 20s) (11000 7%)`.

use crate::progress::text::find::find;
use crate::progress::text::number::leading_u64;

/// Every line with such a count holds it.
pub const BETWEEN: &str = "s) (";

/// How far such a loop is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedCount {
    /// Number of iterations.
    pub done: u64,
    /// A whole number, rounded down: the total does not follow from it.
    pub percent: u64,
}

/// Returns the count on the line.
pub fn timed_count(line: &[u8]) -> Option<TimedCount> {
    let at = find(line, BETWEEN.as_bytes())?;
    let times = find(&line[..at], b"s (- ")?;
    let is_time = |text: &[u8]| leading_u64(text).is_some_and(|(_, behind)| behind.starts_with(b"m "));
    let (done, behind) = leading_u64(&line[at + BETWEEN.len()..])?;
    let (percent, behind) = leading_u64(behind.strip_prefix(b" ")?)?;
    let is_share = behind.starts_with(b"%)") && percent <= 100;
    (is_share && is_time(line) && is_time(&line[times + 5..at])).then_some(TimedCount { done, percent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_behind_both_times_is_read() {
        let count = |line: &str| timed_count(line.as_bytes()).map(|count| (count.done, count.percent));
        assert_eq!(count("387m 0s (- 4890m 20s) (11000 7%) iter 11000, nav_error: 1.69"), Some((11_000, 7)));
        assert_eq!(count("0m 5s (- 8m 12s) (5000 100%) 2.8432"), Some((5000, 100)));
        for line in ["took 3m 0s (in 20s) (11000 7%)", "0m 5s (- 8m 12s) (5000)", "(- 8m 12s) (5000 5%)"] {
            assert_eq!(count(line), None, "{line}");
        }
    }
}
