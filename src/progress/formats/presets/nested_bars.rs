//! Bars that are drawn for long within one step of another one, such as an evaluation in the midst of a training. The
//! outer one seems to be left early, until it goes on.

use crate::progress::counts::bar::Bar;
use crate::progress::text::find::are_same;

/// A program that draws more bars at once names them by something that changes.
const MOST_INNER: usize = 8;

/// The bars that took the place of one that was not over.
#[derive(Debug, Default)]
pub struct NestedBars {
    /// The newest bar that seemed to be left.
    left: Option<LeftBar>,
    /// Names of bars that were followed by the going on of the one in whose place they were.
    inner: Vec<Vec<u8>>,
}

/// A bar that was not full when another one took its place.
#[derive(Debug)]
struct LeftBar {
    name: Vec<u8>,
    done: u64,
    total: Option<u64>,
}

impl NestedBars {
    /// The bar of this name was at this step when another one took its place.
    pub fn leave(&mut self, name: &[u8], done: u64, total: Option<u64>) {
        self.left = Some(LeftBar { name: name.to_vec(), done, total });
    }

    /// Reports whether the bar is the one that seemed to be left, and goes on: the one in its place lies within it.
    pub fn goes_on(&mut self, bar: &Bar<'_>, name: &[u8], in_its_place: &[u8]) -> bool {
        let goes_on = |left: &LeftBar| {
            are_same(&left.name, name)
                && !are_same(name, in_its_place)
                && left.total == bar.total()
                && bar.done() > left.done
        };
        if !self.left.as_ref().is_some_and(goes_on) {
            return false;
        }
        self.left = None;
        if !in_its_place.is_empty() && !self.holds(in_its_place) && self.inner.len() < MOST_INNER {
            self.inner.push(in_its_place.to_vec());
        }
        true
    }

    /// Reports whether a bar of this name was seen within a step of another one.
    pub fn holds(&self, name: &[u8]) -> bool {
        self.inner.iter().any(|inner| are_same(inner, name))
    }
}
