//! Logs that end while a bar is drawn: whatever it counts, the program was at work.

use std::time::Duration;

use super::bar::Bar;
use crate::progress::reading::LogSummary;

/// A loop that is left early, such as that over the steps of an episode, leaves a bar behind that was not drawn for
/// long.
const LONG: Duration = Duration::from_secs(60);

/// The last line is a bar that is not full, has been drawn for long or is not ended by a newline, as a loop that is left
/// ends its bar; and so is the one that drives the progress. One that was never drawn again is that of a loop which was
/// left at once, unless it is still drawn.
pub fn ends_within_bar(reading: &LogSummary) -> bool {
    let least = u64::from(!reading.lacks_newline);
    let is_open = |done: u64, total: Option<u64>| {
        total.is_some_and(|total| total > 1 && (least..total).contains(&done))
    };
    let drives = reading.progress.is_some_and(|progress| is_open(progress.done, progress.total));
    if !reading.guessed || !drives || reading.progress_line.is_none() {
        return false;
    }
    let is_long = |bar: &Bar<'_>| bar.tail.elapsed().is_some_and(|elapsed| elapsed >= LONG);
    Bar::parse(reading.last_line.as_bytes())
        .is_some_and(|bar| is_open(bar.done(), bar.total()) && (reading.lacks_newline || is_long(&bar)))
}
