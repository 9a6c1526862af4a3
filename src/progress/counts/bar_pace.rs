//! A bar without a name whose steps are the epochs that lines between its drawings count: it is the work.

use super::bar::Bar;
use crate::progress::text::find::find;
use crate::progress::text::number::leading_u64;

/// Fewer lines may agree with a bar by chance.
const FEWEST: u64 = 3;

/// Whether lines such as `Epoch 12, loss: 0.3` keep pace with the bar.
#[derive(Debug, Default)]
pub struct BarPace {
    /// Done and to do of the bar at work.
    bar: Option<(u64, u64)>,
    newest: Option<u64>,
    agreed: u64,
    is_broken: bool,
}

impl BarPace {
    /// The bar that drives the progress was drawn.
    pub fn follow(&mut self, name: &[u8], bar: &Bar<'_>) {
        let Some(total) = bar.total().filter(|_| name.is_empty()) else {
            *self = Self { is_broken: true, ..Self::default() };
            return;
        };
        if let Some((done, known)) = self.bar
            && (known != total || bar.done() < done)
        {
            // Another bar: the next one, or that of a part while this one is open.
            *self = Self { is_broken: known != total && done < known, ..Self::default() };
        }
        self.bar = Some((bar.done(), total));
    }

    /// A line between two drawings.
    pub fn hear(&mut self, line: &[u8]) {
        let (Some((done, _)), Some(epoch)) = (self.bar, epoch_on(line)) else { return };
        // Counted from 0 or from 1, before its step or behind it.
        let agrees = epoch == done || epoch == done + 1;
        if agrees && self.newest != Some(epoch) {
            self.agreed += 1;
        }
        self.is_broken |= !agrees && self.newest != Some(epoch);
        self.newest = Some(epoch);
    }

    /// Reports whether lines and bar agree, and so often that it cannot be chance.
    pub fn is_kept(&self) -> bool {
        let needed = self.bar.map_or(FEWEST, |(_, total)| FEWEST.max(total / 2));
        !self.is_broken && self.agreed >= needed
    }
}

/// `Epoch 12`, `epoch: 12`, at the start of a line and without a total.
fn epoch_on(line: &[u8]) -> Option<u64> {
    let at = find(line, b"poch")?;
    let behind = &line[at + b"poch".len()..];
    let signs = behind.iter().take_while(|byte| b" #:=[".contains(byte)).count();
    let (epoch, rest) = leading_u64(&behind[signs..])?;
    let is_first = line[..at].iter().all(|byte| !byte.is_ascii_digit());
    let has_total = rest.trim_ascii_start().starts_with(b"/") || rest.trim_ascii_start().starts_with(b"of ");
    (at <= 16 && is_first && (1..=4).contains(&signs) && !has_total).then_some(epoch)
}
