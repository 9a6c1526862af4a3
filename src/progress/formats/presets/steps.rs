//! Programs that count aloud and know no end: `Epoch 12 | loss 0.3`, `iter=0039 reward=-133.8`,
//! `****** Iteration 99 ******`.

use std::ops::RangeInclusive;

use crate::progress::counts::bar::Bar;
use crate::progress::counts::count_suffix::{CountSuffix, is_ornament};
use crate::progress::counts::count_units;
use crate::progress::counts::count_units::CountUnit;
use crate::progress::counts::count_units::EPOCHS;
use crate::progress::counts::item_state::announces_behind;
use crate::progress::counts::outer_count::reached_epochs;
use crate::progress::counts::printed::rate::rate_on_counted;
use crate::progress::counts::printed::share::{Scope, share_on};
use crate::progress::counts::printed::time_since::{BETWEEN, timed_count};
use crate::progress::counts::steps_beside::StepsBeside;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_grouped;
use crate::progress::text::number::leading_u64;
use crate::progress::text::word::is_one_of;

/// A number behind a word of counting that grows from line to line. It says how far the program is, and proves nothing.
pub const PRESET: Preset = Preset {
    name: "steps",
    unit: "steps",
    rank: PresetRank::Open,
    needles: &[
        "pisode", "PISODE", "EP:", "EP ", "Ep:", "Ep ", "[ep ", "poch", "EPOCH", "teration", "ITERATION",
        "iter", "Iter", "pdate", "step", "Step", "STEP", "rollouts=", "batch ", "Batch ", "Game ", "Test ",
        "uccess rate", "uccess Rate", "UCCESS_RATE", "uccess_rate", BETWEEN,
    ],
    begin: &|| Box::new(StepReader::default()),
};

/// Numbers that grew so often are a loop.
const FEWEST_GROWN: u32 = 2;

/// Highest number of values that may come before a count, and of words that name each.
const MOST_PAIRS: u32 = 4;
const MOST_WORDS: usize = 4;

/// So much may lie between a name and its number, and so much in a row of a table.
const WIDEST_GAP: usize = 20;
const WIDEST_COLUMN: usize = 60;

/// Counts come at the start of a line.
const SEARCHED: usize = 160;

/// Words that may come before such a word: they say which of the items are counted, or that one is at work.
const BEFORE: [&str; 24] = [
    "time", "num", "rollout", "number", "no", "of", "total", "so", "current", "global", "env", "train",
    "training", "eval", "evaluation", "test", "validation", "metrics", "completed", "finished", "starting",
    "running", "at", "the",
];

/// What is done with each of them.
const DEEDS: [&str; 12] = [
    "simulating", "processing", "evaluating", "computing", "generating", "rendering", "solving",
    "collecting", "planning", "optimizing", "sampling", "executing",
];

/// Units that are counted here. Others, such as seeds and samples, come on lines that count something else.
const UNITS: [&str; 9] =
    ["episodes", "epochs", "iterations", "updates", "generations", "games", "tests", "batches", "steps"];

/// What evaluations run: the rate of all comes behind the last one.
const EVALUATED: [&str; 3] = ["episodes", "games", "tests"];

/// Words between such a word and its number: `batch i:12`, `Test No. 160`, `Episode Summary for 303`, `epoch is: 99`.
const LABELS: [&str; 12] =
    ["i", "n", "no", "nr", "num", "number", "index", "summary", "result", "results", "for", "is"];

/// Words that make another number of a joined name: `best_epoch: 12`.
const OTHER_NAMES: [&str; 9] = ["best", "max", "min", "last", "next", "target", "warmup", "save", "resume"];

/// Reads the numbers of a log.
#[derive(Debug, Default)]
struct StepReader {
    loops: Vec<Loop>,
    steps: StepsBeside,
    /// Number of lines that reported an end, each of which is one more episode.
    ends: u64,
}

/// The numbers behind one word.
#[derive(Debug)]
struct Loop {
    word: &'static CountUnit,
    first: u64,
    newest: u64,
    /// So often it grew, and the most it grew by.
    grown: u32,
    stride: u64,
    /// The newest growth was less than the others, which were all alike: the last one is printed too where only every
    /// tenth is.
    ends_unevenly: bool,
    /// Not all growths were alike.
    is_uneven: bool,
    /// The newest line only announces it.
    is_begun: bool,
    /// Whether it started over: something holds it.
    restarts: bool,
}

/// A number behind a word.
struct NumberedWord<'a> {
    word: &'static CountUnit,
    number: u64,
    behind: &'a [u8],
    /// Values come before it, or it is one in a table, so that the line is no heading.
    has_values: bool,
}

impl Format for StepReader {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if !self.loops.is_empty()
            && let Some(epochs) = reached_epochs(line)
        {
            notes.progress_in(EPOCHS, epochs, Some(epochs));
            return LineMatch::Typical;
        }
        if tells_end(line) {
            return self.count_end(notes);
        }
        if let Some(all) = self.summed_up(line) {
            self.ends = all;
            notes.progress_in("episodes", all, Some(all));
            if let Some(rate) = rate_on_counted(line) {
                notes.metric("success_rate", rate);
            }
            return LineMatch::Typical;
        }
        if self.ends_evaluated(line, notes) {
            return LineMatch::Typical;
        }
        if let Some(count) = timed_count(line) {
            notes.progress_in("iterations", count.done, (count.percent == 100).then_some(count.done));
            return LineMatch::Typical;
        }
        let Some(found) = numbered(&line[..line.len().min(SEARCHED)]) else { return LineMatch::Foreign };
        let place = self.take(&found);
        if !self.loops[place].is_certain() {
            return LineMatch::Plausible;
        }
        let drives = |own: &Loop| {
            !self.loops.iter().any(|other| other.is_certain() && other.word.order < own.word.order)
        };
        if self.ends <= u64::from(FEWEST_GROWN) && drives(&self.loops[place]) {
            notes.progress_in(found.word.unit, self.loops[place].done(), None);
            notes.is_doubtful = self.loops[place].restarts;
            notes.doubted_totals = self.loops[place].doubted_totals();
            notes.steps = self.steps.take(found.behind);
        }
        if let Some(rate) = rate_on_counted(line) {
            notes.metric("success_rate", rate);
        }
        LineMatch::Typical
    }

    fn is_at_last(&self) -> bool {
        let driving = self.loops.iter().filter(|own| own.is_certain()).min_by_key(|own| own.word.order);
        driving.is_some_and(|own| own.is_begun)
    }

    /// A bar counts better.
    fn read_bar(&mut self, _bar: &Bar<'_>, _line: &[u8], _notes: &mut Notes) -> LineMatch {
        LineMatch::Foreign
    }
}

impl StepReader {
    /// Counts one more episode that is over.
    fn count_end(&mut self, notes: &mut Notes) -> LineMatch {
        self.ends += 1;
        if self.ends <= u64::from(FEWEST_GROWN) {
            return LineMatch::Plausible;
        }
        notes.progress_in("episodes", self.ends, None);
        LineMatch::Typical
    }

    /// Reads `Simulation finished: rollouts=500`: as many as have ended by their own lines, or fewer where others came
    /// before.
    fn summed_up(&self, line: &[u8]) -> Option<u64> {
        let says = |word: &&str| find(line, word.as_bytes()).is_some();
        if self.ends == 0 || !["finished", "complete", "done"].iter().any(says) {
            return None;
        }
        let number =
            |name: &&str| find(line, name.as_bytes()).and_then(|at| leading_u64(&line[at + name.len()..]));
        let (all, _) = ["rollouts=", "episodes=", "trials="].iter().find_map(number)?;
        (1..=self.ends).contains(&all).then_some(all)
    }

    /// The rate of all is printed: what was begun last is over.
    fn ends_evaluated(&mut self, line: &[u8], notes: &mut Notes) -> bool {
        let is_driven = |own: &&mut Loop| own.is_certain() && EVALUATED.contains(&own.word.unit);
        let Some(driving) = self.loops.iter_mut().filter(is_driven).min_by_key(|own| own.word.order) else {
            return false;
        };
        let Some((Scope::Plain | Scope::Overall, _)) = share_on(line) else { return false };
        driving.is_begun = false;
        notes.progress_in(driving.word.unit, driving.done(), None);
        true
    }

    /// Takes the newest number, and gives the place of its loop.
    fn take(&mut self, found: &NumberedWord<'_>) -> usize {
        let is_heading = is_ornament(found.behind) || announces_behind(found.behind);
        // `[episode 3] reset`: what is said while it runs.
        let inside = found.behind.strip_prefix(b"]");
        let is_at_work = inside.is_some_and(|said| !CountSuffix::read(said).tells_result);
        let is_begun = !found.has_values && (is_heading || is_at_work);
        let number = found.number;
        let Some(place) = self.loops.iter().position(|known| std::ptr::eq(known.word, found.word)) else {
            let first = Loop {
                word: found.word,
                first: number,
                newest: number,
                grown: 0,
                stride: 0,
                ends_unevenly: false,
                is_uneven: false,
                is_begun,
                restarts: false,
            };
            self.loops.push(first);
            return self.loops.len() - 1;
        };
        let known = &mut self.loops[place];
        if number > known.newest {
            let step = number - known.newest;
            let is_other = known.grown > 0 && step != known.stride;
            known.ends_unevenly =
                !known.is_uneven && is_other && step < known.stride && known.grown > FEWEST_GROWN;
            known.is_uneven |= is_other;
            known.grown += 1;
            known.stride = known.stride.max(step);
        } else if number < known.newest {
            known.first = number;
            known.restarts |= known.is_certain();
        }
        (known.newest, known.is_begun) = (number, is_begun);
        place
    }
}

impl Loop {
    fn is_certain(&self) -> bool {
        self.grown >= FEWEST_GROWN
    }

    /// What a loop that counts from 0 prints next: where that is the total, it prints nothing more. Where not every one is
    /// printed, one that has only begun is not done.
    fn doubted_totals(&self) -> Option<RangeInclusive<u64>> {
        let next = (self.first == 0 && self.stride > 1).then(|| self.newest + self.stride);
        let begun = (self.is_begun && self.stride > 1).then_some(self.newest);
        let first = begun.or(next)?;
        Some(first..=next.unwrap_or(first))
    }

    /// So many are over. Where not every one is printed, the number itself says how many.
    fn done(&self) -> u64 {
        if self.stride > 1 {
            return self.newest + u64::from(self.first == 0 && self.ends_unevenly && !self.is_begun);
        }
        (self.newest + u64::from(self.first == 0)).saturating_sub(u64::from(self.is_begun))
    }
}

/// `Finished rollout=task_00_trial_000 success=True steps=267`: it ended, and how.
fn tells_end(line: &[u8]) -> bool {
    let letters = line.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let ends = is_one_of(&line[..letters], &["finished", "completed", "done", "ended"]);
    let says = |text: &str| find(line, text.as_bytes()).is_some();
    ends && (says("uccess=True") || says("uccess=False"))
}

/// The first number behind a word of counting that knows no total.
fn numbered(line: &[u8]) -> Option<NumberedWord<'_>> {
    let line = line.trim_ascii_start();
    let row = ["|", "│"].into_iter().find(|border| line.starts_with(border.as_bytes()));
    let (mut at, mut pairs) = (0, 0);
    while let Some(found) = line[at..].iter().position(u8::is_ascii_alphabetic) {
        let start = at + found;
        let length = line[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        at = start + length;
        let word = &line[start..at];
        // `num of updates: 12`, `Time steps: 5000` and a row of iterations count; `updates: 12` may be a setting.
        let is_column = row.is_some() && word.eq_ignore_ascii_case(b"iterations");
        let before = &line[..start];
        let is_of_all = || before.ends_with(b"of ") || before.eq_ignore_ascii_case(b"time ");
        // `episodes: 12, reward: 0.3`: the first of several values.
        let is_first = || start == 0 && is_first_of_values(&line[at..]);
        let may_be = |plural: bool| !plural || is_column || is_of_all() || is_first();
        let known = count_units::find(word);
        let Some((word, _)) = known.filter(|(word, plural)| UNITS.contains(&word.unit) && may_be(*plural))
        else {
            // `sac_episode:12`
            if start == 0 && line.get(at) == Some(&b'_') && !is_one_of(word, &OTHER_NAMES) {
                continue;
            }
            // A record names its keys in any order.
            // `Simulating batch 202`
            let is_deed = start == 0 && is_one_of(word, &DEEDS);
            if !line.starts_with(b"{")
                && !is_deed
                && !is_one_of(word, &BEFORE)
                && !is_bracketed(line, start, at)
            {
                at = behind_pair(line, start, pairs)?;
                pairs += 1;
            }
            continue;
        };
        let key = behind_labels(line[at..].strip_prefix(b"\"").unwrap_or(&line[at..]));
        let is_sign =
            |byte: &&u8| b" \t#:=".contains(byte) || row.is_some_and(|row| row.as_bytes().contains(byte));
        let signs = key.iter().take_while(is_sign).count();
        let number = || leading_grouped(&key[signs..]).or_else(|| leading_u64(&key[signs..]));
        // `epoch                       49` is a row of a table without borders.
        let is_row = |behind: &[u8]| row.is_some() || start == 0 && behind.trim_ascii().is_empty();
        let widest = |behind: &[u8]| if is_row(behind) { WIDEST_COLUMN } else { WIDEST_GAP };
        let fits = |behind: &[u8]| (1..=widest(behind)).contains(&signs);
        let Some((number, behind)) = number().filter(|(_, behind)| fits(behind)) else { continue };
        // `7.0` of a record is whole, `1.5` is not.
        let behind = behind.strip_prefix(b".0").unwrap_or(behind);
        let is_announced = [&b"..."[..], "…".as_bytes()].iter().any(|dots| behind.starts_with(dots));
        let ends = is_announced || behind.first().is_none_or(|byte| b" :,|)]-\t}*=".contains(byte));
        // `[ep 12] reset`: the episode in which something is said, as a logger names it.
        let is_said_in_it = word.name == "ep" && line[..start].ends_with(b"[") && behind.starts_with(b"]");
        let rest = behind.trim_ascii_start();
        // `12 / STATE explore` is a row, and `12 / 100` a share.
        let is_share = |rest: &[u8]| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
        let has_total = rest.strip_prefix(b"/").is_some_and(is_share) || rest.starts_with(b"of ");
        let counts = ends && !has_total && !is_said_in_it;
        let has_values = pairs > 0 || row.is_some() || signs > WIDEST_GAP;
        return counts.then_some(NumberedWord { word, number, behind, has_values });
    }
    None
}

/// `: 12, reward: 0.3`
fn is_first_of_values(behind: &[u8]) -> bool {
    let number = behind.strip_prefix(b": ").and_then(leading_u64);
    number.is_some_and(|(_, rest)| rest.starts_with(b", ") && rest.contains(&b':'))
}

/// Returns the text behind such words, of which there may be two.
fn behind_labels(key: &[u8]) -> &[u8] {
    let mut rest = key;
    for _ in 0..2 {
        let text = rest.trim_ascii_start();
        let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if text.len() == rest.len() || letters == 0 || !is_one_of(&text[..letters], &LABELS) {
            break;
        }
        rest = text[letters..].strip_prefix(b".").unwrap_or(&text[letters..]);
    }
    rest
}

/// Returns the place behind `loss: 0.3, ` and the like: values may come before a count.
fn behind_pair(line: &[u8], start: usize, pairs: u32) -> Option<usize> {
    let end = start + end_of_pair(&line[start..])?;
    let pair = &line[start..end];
    let sign = pair.iter().position(|byte| b":=".contains(byte))?;
    let value = pair[sign + 1..].trim_ascii_start();
    let is_number = value.first().is_some_and(|byte| byte.is_ascii_digit() || b"+-.".contains(byte));
    // More words before the sign are a sentence.
    let words = pair[..sign].split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).count();
    (is_number && pairs < MOST_PAIRS && words <= MOST_WORDS).then_some(end + 1)
}

/// A comma ends a pair, or a gap: `eta: 8:43:03  iter: 59  total_loss: 9.7`.
fn end_of_pair(text: &[u8]) -> Option<usize> {
    let gap = find(text, b"  ");
    memchr::memchr(b',', text).into_iter().chain(gap).min()
}

/// Reports whether the word is in brackets at the start of the line, as the names of speakers are.
fn is_bracketed(line: &[u8], start: usize, end: usize) -> bool {
    let opens = memchr::memrchr(b'[', &line[..start]);
    let closes = memchr::memrchr(b']', &line[..start]);
    opens.is_some_and(|opens| closes.is_none_or(|closes| closes < opens))
        && memchr::memchr(b']', &line[end..]).is_some()
}
