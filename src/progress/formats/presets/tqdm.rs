//! Bars of tqdm and its kin, of ultralytics and rich, alone, nested or under lines that count epochs.

use std::time::Duration;

use crate::progress::counts::bar::Bar;
use crate::progress::counts::bar_pace::BarPace;
use crate::progress::counts::bar_values::BarValues;
use crate::progress::counts::count_units::EPOCHS;
use crate::progress::counts::outer_count;
use crate::progress::counts::outer_count::OuterCount;
use crate::progress::counts::outer_count::Round;
use crate::progress::counts::preparation::is_preparation;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::formats::presets::nested_bars::NestedBars;
use crate::progress::text::find::{are_same, find};
use crate::progress::text::number::leading_fraction;

/// The outermost count drives the progress: lines or names that count epochs, else the bar that began first.
pub const PRESET: Preset = Preset {
    name: "tqdm",
    unit: STEPS,
    rank: PresetRank::Bar,
    needles: &["%|", "━", "───", "it/s", "s/it", "it [", "poch", "s/step"],
    begin: &|| Box::new(Tqdm::default()),
};

const STEPS: &str = "steps";

/// A bar that is not drawn for longer than this is not alive: tqdm redraws one that moved after 10 s at the latest.
const REDRAWN: Duration = Duration::from_secs(10);

/// So many times its usual step a living outer bar may wait for a step that takes long.
const SLOW_STEPS: u32 = 10;

#[derive(Debug, Default)]
struct Tqdm {
    main: Option<MainBar>,
    /// The bars next to it that did not drive.
    beside: Vec<BarBeside>,
    nested: NestedBars,
    values: BarValues,
    epochs: Option<Epochs>,
    /// Rounds are counted from 0.
    from_zero: bool,
    /// Name of the rounds that a bar counts without a word, from the heading of its column.
    column: Option<&'static str>,
    pace: BarPace,
    /// The name of a bar counts epochs: other bars are drawn within them.
    counts_epochs: bool,
    /// The name of a bar counted rounds.
    has_rounds: bool,
    /// Behind such a bar came one whose name counts none.
    has_others: bool,
    /// The program said that all epochs are over.
    has_reached_all: bool,
}

/// The bar that drives the progress as long as no line counts epochs.
#[derive(Debug)]
struct MainBar {
    name: Vec<u8>,
    done: u64,
    total: Option<u64>,
    elapsed: Option<Duration>,
}

/// A program that draws more bars at once names them by something that changes.
const MOST_BESIDE: usize = 8;

/// A bar that was drawn while another one drove.
#[derive(Debug)]
struct BarBeside {
    name: Vec<u8>,
    done: u64,
    restarts: bool,
}

/// Epochs that lines between the bars count.
#[derive(Debug)]
struct Epochs {
    count: OuterCount,
    /// The newest bar of this epoch.
    newest: Vec<u8>,
    /// The last bar of the epoch before: with it this one ends too.
    last: Option<Vec<u8>>,
}

impl Format for Tqdm {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        self.line(line, notes)
    }

    fn read_bar(&mut self, bar: &Bar<'_>, _line: &[u8], notes: &mut Notes) -> LineMatch {
        // `0/? [00:00<?, ?it/s]` is drawn before anything is known.
        let says_nothing = bar.total().is_none() && bar.done() == 0;
        if says_nothing || is_preparation(bar) { LineMatch::Foreign } else { self.bar(bar, notes) }
    }
}

impl Tqdm {
    fn bar(&mut self, bar: &Bar<'_>, notes: &mut Notes) -> LineMatch {
        let name = bar.steady_name();
        if let Some(epochs) = &mut self.epochs {
            self.values.note(bar, false, notes);
            epochs.newest.clear();
            epochs.newest.extend_from_slice(name);
            let is_last = epochs.last.as_ref().is_none_or(|last| are_same(last, name));
            let count = epochs.count;
            if is_last && bar.total() == Some(bar.done()) {
                self.round(count, Round::IsOver, notes);
            }
            return LineMatch::Typical;
        }
        let round = outer_count::in_name(bar.name);
        // Drawn for the last time behind the words that say how many there were; it may count from 0.
        self.has_reached_all &= round.is_some_and(|round| round.index > 0);
        if self.has_reached_all {
            return LineMatch::Plausible;
        }
        self.counts_epochs |= self.column.is_some() && round.is_some();
        self.has_rounds |= round.is_some();
        self.has_others |= self.has_rounds && round.is_none();
        let lies_within = self.lies_within(bar, name) || self.counts_epochs && round.is_none();
        let drives = self.main.as_ref().is_none_or(|main| {
            let is_inner = self.nested.holds(name) && !self.nested.holds(&main.name);
            let stays =
                if main.is_full() { lies_within } else { is_inner || lies_within && self.counts_epochs };
            self.nested.goes_on(bar, name, &main.name) || main.gives_way_to(bar, name) && !stays
        });
        self.values.note(bar, drives, notes);
        if !drives {
            return LineMatch::Plausible;
        }
        self.pace.follow(name, bar);
        match &mut self.main {
            Some(main) if are_same(&main.name, name) => main.follow(bar),
            main => {
                if let Some(main) = main.as_ref().filter(|main| !main.is_full()) {
                    self.nested.leave(&main.name, main.done, main.total);
                }
                *main = Some(MainBar::new(bar, name));
                self.beside.clear();
            }
        }
        match (round, bar.total()) {
            (Some(count), Some(total)) if bar.done() < total => {
                self.round(count, Round::At { done: bar.done(), total }, notes);
            }
            (Some(count), Some(_)) => {
                self.round(count, Round::IsOver, notes);
                // `Epoch 3 [train]` may be followed by `Epoch 3 [val]`, and by bars of other names.
                if count.total.is_none() && (self.has_others || outer_count::has_remark(bar.name)) {
                    notes.doubted_totals = Some(count.index..=count.index.saturating_add(1));
                }
            }
            (Some(_), None) | (None, _) if self.pace.is_kept() => {
                notes.progress_in(EPOCHS, bar.done(), bar.total());
                notes.is_sure = bar.total() == Some(bar.done());
            }
            (Some(_), None) | (None, _) => notes.progress_in(STEPS, bar.done(), bar.total()),
        }
        LineMatch::Typical
    }

    /// Reports whether the bar started over while another one drove: it is drawn for each step of that one, also when
    /// that one is full.
    fn lies_within(&mut self, bar: &Bar<'_>, name: &[u8]) -> bool {
        if name.is_empty() || self.main.as_ref().is_none_or(|main| are_same(&main.name, name)) {
            return false;
        }
        match self.beside.iter_mut().find(|beside| beside.name == name) {
            Some(beside) => {
                beside.restarts |= bar.done() < beside.done;
                beside.done = bar.done();
                beside.restarts
            }
            None => {
                if self.beside.len() < MOST_BESIDE {
                    self.beside.push(BarBeside { name: name.to_vec(), done: bar.done(), restarts: false });
                }
                false
            }
        }
    }

    fn line(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(epochs) = outer_count::reached_epochs(line) {
            self.has_reached_all = true;
            notes.progress_in(EPOCHS, epochs, Some(epochs));
            return LineMatch::Typical;
        }
        if outer_count::heads_epochs(line) {
            self.column = Some(EPOCHS);
        }
        let Some((count, round)) = outer_count::on_line(line) else {
            let present = self.epochs.as_ref().map(|epochs| epochs.count);
            let ended = present.filter(|count| outer_count::ended_epoch(line) == Some(count.index));
            if let Some(count) = ended {
                self.round(count, Round::IsOver, notes);
                return LineMatch::Typical;
            }
            self.pace.hear(line);
            return self.end_of_epoch(line, notes);
        };
        let newest = match &mut self.epochs {
            // Lines about the best epoch come later and count nothing; a second training counts from the start again.
            Some(epochs) if (2..epochs.count.index).contains(&count.index) => return LineMatch::Plausible,
            Some(epochs) => std::mem::take(&mut epochs.newest),
            None => Vec::new(),
        };
        let last = (!newest.is_empty()).then_some(newest);
        self.epochs = Some(Epochs { count, newest: Vec::new(), last });
        self.round(count, round, notes);
        LineMatch::Typical
    }

    /// Takes `21/21 - 6s - 275ms/step - loss: 0.48` of Keras, without a bar: the epoch is over.
    fn end_of_epoch(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let is_end = leading_fraction(line).is_some_and(|(done, total, behind)| {
            done == total && behind.starts_with(b" - ") && find(behind, b"s/step").is_some()
        });
        let Some(epochs) = self.epochs.as_ref().filter(|_| is_end) else { return LineMatch::Foreign };
        self.round(epochs.count, Round::IsOver, notes);
        LineMatch::Typical
    }

    /// Notes only whole rounds as done, and how far the present one is alongside them.
    fn round(&mut self, count: OuterCount, round: Round, notes: &mut Notes) {
        self.from_zero |= count.index == 0;
        let begun = count.index.saturating_sub(u64::from(!self.from_zero));
        let done = match round {
            Round::Begins | Round::At { .. } => begun,
            Round::IsOver => begun.saturating_add(1),
        };
        let unit = count.unit.or(self.column).unwrap_or("rounds");
        notes.progress_in(unit, count.total.map_or(done, |total| done.min(total)), count.total);
        if let Round::At { done, total } = round {
            notes.part(done, total);
        }
    }
}

impl MainBar {
    fn new(bar: &Bar<'_>, name: &[u8]) -> Self {
        let elapsed = bar.tail.elapsed();
        Self { name: name.to_vec(), done: bar.done(), total: bar.total(), elapsed }
    }

    fn follow(&mut self, bar: &Bar<'_>) {
        (self.done, self.total, self.elapsed) = (bar.done(), bar.total(), bar.tail.elapsed());
    }

    fn is_full(&self) -> bool {
        self.total.is_some_and(|total| self.done >= total)
    }

    /// The other bar is this one again, or comes after it and does not lie within one of its steps.
    fn gives_way_to(&self, bar: &Bar<'_>, name: &[u8]) -> bool {
        // Bars without names are distinguished by their totals.
        let is_same = are_same(&self.name, name) && (!name.is_empty() || self.total == bar.total());
        is_same || self.is_full() || self.goes_on_as(bar, name) || self.was_left(bar)
    }

    /// The other bar is this one under a new description, such as the task it is at.
    fn goes_on_as(&self, bar: &Bar<'_>, name: &[u8]) -> bool {
        let is_later = self.elapsed.zip(bar.tail.elapsed()).is_some_and(|(earlier, later)| earlier <= later);
        let is_next = (self.done..=self.done.saturating_add(1)).contains(&bar.done());
        // An inner bar of as many steps looks the same only at the very start.
        let related = self.name.is_empty() || self.done > 0 || first_word(&self.name) == first_word(name);
        self.total == bar.total() && is_later && is_next && related
    }

    /// Reports whether it has not moved while the other bar ran for longer than several of its steps: a loop that was
    /// left early.
    fn was_left(&self, bar: &Bar<'_>) -> bool {
        let (Some(elapsed), Some(other)) = (self.elapsed, bar.tail.elapsed()) else { return false };
        let steps = u32::try_from(self.done).unwrap_or(u32::MAX);
        steps > 0 && other > REDRAWN + elapsed / steps * SLOW_STEPS
    }
}

fn first_word(name: &[u8]) -> &[u8] {
    name.split(|byte| *byte == b' ').next().unwrap_or_default()
}
