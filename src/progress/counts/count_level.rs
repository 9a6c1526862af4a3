//! One level of counts: how many of it are surely done, and whether more were still to come.

use super::count_units::Certainty;
use super::count_units::CountUnit;
use super::count_units::NAMELESS;
use super::count_units::STEPS_OF_EPOCH;
use super::item_state::CountForm;
use super::item_state::ItemState;
use super::text_count::TextCount;

/// A loop that a program counts aloud.
#[derive(Debug)]
pub struct Level {
    /// Word for the items that the loop counts.
    pub word: &'static CountUnit,
    /// How many there are, where a line said so.
    pub total: Option<u64>,
    /// Number of passes: the first, and each later one that began within a round of the level above.
    passes: u32,
    /// Its newest count belongs to the present round of the level above.
    pub is_current: bool,
    /// Lines that counted on, and how many of them make it certain that this is a loop.
    evidence: u32,
    needed: u32,
    /// How the program counts, as seen over all passes.
    habits: Habits,
    pass: Pass,
    /// Loops of another total that were left before their end, the newest last: how many were done, and of how many.
    left: Vec<(u64, u64)>,
}

/// No program leaves more of them.
const MOST_LEFT: usize = 16;

/// So many lines with a count that any part of a program may print are its own loop.
const FEWEST_OF_LOOP: u32 = 10;

/// The effect of a line on a count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Whether the line took the count further.
    pub counts_on: bool,
    /// Whether the line says, for the first time, that an item is over.
    pub is_over: bool,
}

/// How a program counts.
#[derive(Debug, Default)]
struct Habits {
    from_zero: bool,
    /// Whether lines report ends, so that those that report a start count nothing.
    tells_ends: bool,
    /// Whether a line without anything behind its count is a heading; unknown before the second one.
    heads: Option<bool>,
    /// Whether a later pass began at a number that was counted before.
    restarts: bool,
    /// Whether it counted on where the level above began another round.
    goes_across: bool,
    /// Every line of an end said how it ended.
    outcomes: bool,
    /// Whether several lines had the same number.
    repeats: bool,
}

/// The state of a loop since it last started over.
#[derive(Debug, Default)]
struct Pass {
    first: u64,
    newest: u64,
    begun: Option<u64>,
    over: Option<u64>,
    /// Highest number that a line gave as whole items done.
    whole: Option<u64>,
    /// Largest distance so far between two successive counts.
    stride: Option<u64>,
    /// Number of lines that reported an end, for counts that come out of order.
    ends: u64,
    is_unordered: bool,
    line: u64,
    /// Something said that all of it is done.
    is_closed: bool,
}

impl Level {
    /// A level whose first count this is.
    pub fn new(count: &TextCount) -> Self {
        let needed = match (count.form, count.word.certainty) {
            (CountForm::Worded, Certainty::Believed) => 1,
            (CountForm::Worded, Certainty::Weak | Certainty::Tick)
            | (CountForm::Bracketed | CountForm::Open, _) => 2,
            (CountForm::Naked, _) => 3,
        };
        let habits = Habits { outcomes: true, ..Habits::default() };
        Self {
            word: count.word,
            total: None,
            passes: 0,
            is_current: false,
            evidence: 0,
            needed,
            habits,
            pass: Pass::default(),
            left: Vec::new(),
        }
    }

    /// Reports whether this is certainly a loop of work.
    pub fn is_certain(&self) -> bool {
        self.evidence >= self.needed
    }

    /// The count is that of a pass after this one.
    pub fn begins_anew(&self, count: &TextCount) -> bool {
        let is_other = count.total.is_some() && self.total.is_some_and(|total| count.total != Some(total));
        // `[ 10/350]` behind `[350/350]`, or behind `[140/350]` of a run that was stopped, where every tenth is printed.
        let is_strided = self.is_at_last() || self.pass.stride == Some(self.pass.first);
        let is_same_start = is_strided && self.pass.first > 1 && count.index == self.pass.first;
        // `[10/124]` behind `[800/1814]`: what is done of the one is not done of the other.
        let is_behind_other = is_other && count.index < self.pass.newest;
        let is_start = count.index <= 1 && (count.index >= self.pass.first || is_other)
            || is_same_start
            || is_behind_other;
        self.is_current && is_start && (count.index < self.pass.newest || is_other)
    }

    /// Takes its newest count.
    pub fn take(&mut self, count: &TextCount, told: ItemState, has_outcome: bool, line: u64) -> Taken {
        let is_new_pass = !self.is_current || self.begins_anew(count);
        if is_new_pass {
            self.leave_pass(count.total);
            self.habits.restarts |= self.passes > 0 && count.index <= self.pass.newest;
            self.habits.goes_across |= self.passes > 0 && count.index > self.pass.newest;
            self.passes += u32::from(self.passes == 0 || self.is_current);
            self.pass = Pass { first: count.index, newest: count.index, ..Pass::default() };
            self.is_current = true;
        }
        self.total = count.total.or(self.total);
        self.left.retain(|(_, total)| self.total != Some(*total));
        self.habits.from_zero |= count.index == 0 && told != ItemState::Done;
        let known = self.pass.newest;
        let counts_on = is_new_pass || count.index > known;
        self.habits.repeats |= !counts_on;
        if counts_on && !is_new_pass {
            let stride = count.index - known;
            self.pass.stride = Some(self.pass.stride.map_or(stride, |before| before.max(stride)));
        }
        let told = self.meant(told, count.index, counts_on, line);
        let is_over = told == ItemState::IsOver && self.pass.over != Some(count.index);
        self.note(count.index, told, has_outcome);
        self.pass.newest = known.max(count.index);
        self.pass.line = line;
        self.evidence += u32::from(counts_on);
        Taken { counts_on, is_over }
    }

    /// Another pass begins. One of another total that falls short is left, until it goes on; a training may stop early.
    fn leave_pass(&mut self, next: Option<u64>) {
        let is_evaluated = match self.word.certainty {
            Certainty::Believed => true,
            Certainty::Weak | Certainty::Tick => self.word.order == 3 && self.word.unit != NAMELESS.unit,
        };
        let is_left = self.is_current && is_evaluated && next.is_some() && next != self.total;
        if let Some(total) = self.total.filter(|_| is_left && self.is_short() && self.left.len() < MOST_LEFT)
        {
            self.left.push((self.done(), total));
        }
    }

    /// The newest loop of another total that was left before its end: how many were done, and of how many.
    pub fn left_behind(&self) -> Option<(u64, u64)> {
        self.left.last().copied()
    }

    fn note(&mut self, index: u64, told: ItemState, has_outcome: bool) {
        let pass = &mut self.pass;
        match told {
            ItemState::Begins | ItemState::Silent => pass.begun = pass.begun.max(Some(index)),
            ItemState::Done => pass.whole = pass.whole.max(Some(index)),
            ItemState::IsOver => {
                self.habits.tells_ends = true;
                self.habits.outcomes &= has_outcome;
                pass.ends += u64::from(pass.over != Some(index));
                let is_early = pass.over.is_some_and(|over| index < over);
                // Where most are printed, and not every tenth.
                pass.is_unordered |= is_early && 2 * pass.ends > pass.newest.saturating_sub(pass.first);
                pass.over = pass.over.max(Some(index));
            }
        }
    }

    /// Returns what a line with nothing after its count means: where other lines come between two of them, it is a
    /// heading. A count that begins above 1 counts what is done, because a first heading would come first.
    fn meant(&mut self, told: ItemState, index: u64, counts_on: bool, line: u64) -> ItemState {
        if told != ItemState::Silent {
            return told;
        }
        if self.pass.line > 0 && counts_on && line > self.pass.line {
            let apart = line > self.pass.line + 1;
            self.habits.heads = Some(apart || self.habits.heads == Some(true));
        }
        let is_end = match self.habits.heads {
            Some(heads) => !heads,
            None => index > 1,
        };
        if is_end && !self.habits.tells_ends {
            self.pass.over = self.pass.over.max(Some(index));
        }
        ItemState::Begins
    }

    /// All of it is done: a line said so.
    pub fn close(&mut self) {
        self.pass.is_closed = true;
    }

    /// So many are surely done, counts within the present one left aside.
    pub fn done(&self) -> u64 {
        let pass = &self.pass;
        if let Some(total) = self.total.filter(|_| pass.is_closed) {
            return total;
        }
        // Where only some are printed, the number itself says how many steps of an epoch are done.
        let is_step = self.word.unit == STEPS_OF_EPOCH.unit && self.stride() > 1;
        let offset = u64::from(self.habits.from_zero && !is_step);
        let over = pass.over.map_or(0, |over| over.saturating_add(offset));
        let over = if pass.is_unordered { over.min(pass.ends) } else { over };
        let begun = pass.begun.filter(|_| !self.habits.tells_ends);
        let begun = begun.map_or(0, |begun| begun.saturating_add(offset).saturating_sub(1));
        let done = over.max(begun).max(pass.whole.unwrap_or(0));
        self.total.map_or(done, |total| done.min(total))
    }

    /// The one that was begun last is not known to be over.
    pub fn is_open(&self) -> bool {
        let offset = u64::from(self.habits.from_zero);
        self.pass.begun.is_some_and(|begun| begun.saturating_add(offset) > self.done())
    }

    /// The first count was that of a later one: whether they are counted from 0 is not known.
    pub fn begins_within(&self) -> bool {
        self.pass.first > 1
    }

    /// The last one was begun, or is over.
    pub fn is_at_last(&self) -> bool {
        self.total.is_some_and(|total| self.pass.newest + u64::from(self.habits.from_zero) >= total)
    }

    /// The next to last one was counted: the last one, if the start that the log lacks was 0.
    pub fn may_be_at_last(&self) -> bool {
        let is_next_to_last = self.total.is_some_and(|total| self.pass.newest + 1 == total);
        self.begins_within() && is_next_to_last && self.pass.stride == Some(1)
    }

    /// All of it is done.
    pub fn is_complete(&self) -> bool {
        self.total.is_some_and(|total| self.done() >= total)
    }

    /// Reports whether it counts on whatever the level above does, which means that it holds that level.
    pub fn goes_across(&self) -> bool {
        self.habits.goes_across && !self.habits.restarts
    }

    /// Reports whether each of its lines counted on.
    pub fn counts_with_every_line(&self) -> bool {
        self.is_certain() && self.evidence > 1 && !self.habits.repeats
    }

    /// Reports whether it started over at least once.
    pub fn restarts(&self) -> bool {
        self.habits.restarts || self.passes > 1
    }

    /// More of its lines were surely still to come: programs that print every tenth do not print the last.
    pub fn is_short(&self) -> bool {
        let Some(total) = self.total else { return false };
        let from_one = self.pass.first == 1 || self.pass.whole.is_some();
        let last = if self.habits.from_zero || !from_one && self.pass.first > 1 && self.stride() == 1 {
            total - 1
        } else {
            total
        };
        let comes = self.pass.newest.saturating_add(self.stride()) <= last;
        !self.is_complete() && (comes || self.pass.is_unordered)
    }

    /// Between two counts; of a single one that is no round number, one.
    fn stride(&self) -> u64 {
        let first = self.pass.first;
        self.pass.stride.unwrap_or(if first > 1 && first.is_multiple_of(5) { first } else { 1 })
    }

    /// Every one was counted.
    pub fn counts_each(&self) -> bool {
        self.pass.is_unordered || self.stride() == 1 && self.pass.first <= 1
    }

    /// A loop that its own lines show: a few of those that evaluations count, or many of any other.
    pub fn is_believed_loop(&self) -> bool {
        match self.word.certainty {
            _ if self.is_believed() => self.evidence > 1,
            Certainty::Believed | Certainty::Tick => false,
            Certainty::Weak => self.word.unit != NAMELESS.unit && self.evidence >= FEWEST_OF_LOOP,
        }
    }

    /// Work that ends with the last of them.
    pub fn is_believed(&self) -> bool {
        let told_each = self.habits.outcomes && self.habits.tells_ends && self.evidence > 1;
        self.word.certainty == Certainty::Believed || told_each
    }
}
