//! The bar without a name that a library draws over all steps of its training: shorter ones next to it are of something
//! else.

use std::time::Duration;

use super::bar::Bar;
use super::bar::Extent;

/// The bar without a name that drives the progress.
#[derive(Debug, Default)]
pub struct TrainerBar {
    open: Option<UnfinishedBar>,
}

/// A bar that was not full when it was drawn last.
#[derive(Debug, Clone, Copy)]
struct UnfinishedBar {
    total: u64,
    elapsed: Option<Duration>,
}

impl TrainerBar {
    /// Steps done and to do, where the bar drives: one of another length that began while this one was open lies within
    /// it.
    pub fn take(&mut self, bar: &Bar<'_>) -> Option<(u64, u64)> {
        let Extent::Of { done, total } = bar.extent else { return None };
        if !bar.name.is_empty() || bar.is_transfer {
            return None;
        }
        let elapsed = bar.tail.elapsed();
        let lies_within = |open: UnfinishedBar| {
            total != open.total && open.elapsed.zip(elapsed).is_some_and(|(outer, inner)| inner < outer)
        };
        if self.open.is_some_and(lies_within) {
            return None;
        }
        self.open = (done < total).then_some(UnfinishedBar { total, elapsed });
        Some((done, total))
    }

    /// Ends the bar that is open, whatever its last drawing says.
    pub fn close(&mut self) {
        self.open = None;
    }
}
