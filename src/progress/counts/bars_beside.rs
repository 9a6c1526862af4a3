//! Bars in a log that also counts in words: one that was there before the first count holds it, others lie within a
//! round.

use super::bar::Bar;
use crate::progress::text::find::are_same;

/// The bars so far.
#[derive(Debug, Default)]
pub struct BarsBeside {
    /// The bar that is not full.
    open: Option<OpenBar>,
    /// Name and total of a bar that starts again between counts, so that it lies within what they count.
    within: Option<(Vec<u8>, u64)>,
    /// The newest bar of this round.
    newest: Vec<u8>,
    /// The last bar of the round before: with it a round ends.
    last: Option<Vec<u8>>,
}

#[derive(Debug)]
struct OpenBar {
    name: Vec<u8>,
    done: u64,
    total: u64,
    /// A count stood between two of its drawings.
    holds_counts: bool,
}

impl BarsBeside {
    /// Takes a drawing of a bar.
    pub fn take(&mut self, bar: &Bar<'_>) {
        let Some(total) = bar.total() else { return };
        let (name, done) = (bar.steady_name(), bar.done());
        let lies_within =
            self.within.as_ref().is_some_and(|(known, of)| are_same(known, name) && *of == total);
        if !are_same(&self.newest, name) {
            self.newest.clear();
            self.newest.extend_from_slice(name);
        }
        match &mut self.open {
            Some(open) if are_same(&open.name, name) && open.total == total => {
                // Another one of its kind: it lies within what is counted.
                let is_another = done < open.done && open.holds_counts;
                open.done = done;
                if is_another {
                    self.within = Some((name.to_vec(), total));
                }
                if done >= total || is_another {
                    self.open = None;
                }
            }
            Some(_) => {}
            None if done < total && !lies_within => {
                self.open = Some(OpenBar { name: name.to_vec(), done, total, holds_counts: false });
            }
            None => {}
        }
    }

    /// The bar was drawn before, and none has come between.
    pub fn is_newest(&self, bar: &Bar<'_>) -> bool {
        !self.newest.is_empty() && self.newest == bar.steady_name()
    }

    /// Whether a bar that is not full yet holds the count, which may be that of the bar itself.
    pub fn hold(&mut self, total: Option<u64>) -> bool {
        let Some(open) = &mut self.open else { return false };
        open.holds_counts = true;
        total != Some(open.total)
    }

    /// A new round begins.
    pub fn begin_round(&mut self) {
        if !self.newest.is_empty() {
            self.last = Some(std::mem::take(&mut self.newest));
        }
    }

    /// With this bar, when it is full, a round ends.
    pub fn ends_round(&self, bar: &Bar<'_>) -> bool {
        let is_full = bar.total() == Some(bar.done());
        is_full && self.last.as_ref().is_some_and(|last| are_same(last, bar.steady_name()))
    }
}
