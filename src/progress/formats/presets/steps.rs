//! Programs that count aloud and know no end: `Epoch 12 | loss 0.3`, `iter=0039 reward=-133.8`,
//! `****** Iteration 99 ******`.

mod numbered_word;

use std::ops::RangeInclusive;

use self::numbered_word::{NumberedWord, numbered};
use crate::progress::counts::bar::Bar;
use crate::progress::counts::count_suffix::{CountSuffix, is_ornament};
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
use crate::progress::text::number::leading_u64;
use crate::progress::text::word::is_one_of;

/// A number behind a word of counting that grows from line to line. It says how far the program is, and proves nothing.
pub const PRESET: Preset = Preset {
    name: "steps",
    unit: "steps",
    rank: PresetRank::Open,
    needles: &[
        "pisode", "PISODE", "EP:", "EP ", "Ep", "ep ", "ep:", "ep=", "ep_", "epi", "poch", "EPOCH",
        "teration", "ITERATION", "eneration", "GENERATION", "CYCLE", "UPDATE", "ROUND", "ound", "rame",
        "ycle", "ollout", "rajector", "emo", "nstance", "xample", "imulation", "Gen ", "gen ", "it: ",
        "games", "Games", "iter", "Iter", "pdate", "step", "Step", "STEP", "batch ", "Batch ", "Game ",
        "Test ", "uccess rate", "uccess Rate", "UCCESS_RATE", "uccess_rate", BETWEEN,
    ],
    begin: &|| Box::new(StepReader::default()),
};

/// Numbers that grew so often are a loop.
const FEWEST_GROWN: u32 = 2;

/// What a single line with values counts.
const REPEATED: [&str; 6] = ["episodes", "epochs", "iterations", "updates", "generations", "cycles"];

/// What evaluations run: the rate of all comes behind the last one.
const EVALUATED: [&str; 3] = ["episodes", "games", "tests"];

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
    /// The first line gives values of what trainings and evaluations do again and again, as no setting and no name does.
    is_told: bool,
    /// Whether it started over: something holds it.
    restarts: bool,
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
        let Some(found) = numbered(line) else { return LineMatch::Foreign };
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
                is_told: REPEATED.contains(&found.word.unit) && gives_values(found),
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
        self.grown >= FEWEST_GROWN || self.is_told
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

/// `Episode 31455, Mean R = 28911.0`: a single one, and what it came to.
fn gives_values(found: &NumberedWord<'_>) -> bool {
    let names_value = |sign: usize| {
        let (name, value) =
            (found.behind[..sign].trim_ascii_end(), found.behind[sign + 1..].trim_ascii_start());
        let value = value.strip_prefix(b"-").unwrap_or(value);
        name.last().is_some_and(u8::is_ascii_alphabetic) && value.first().is_some_and(u8::is_ascii_digit)
    };
    found.leads_line && !found.has_values && memchr::memchr2_iter(b':', b'=', found.behind).any(names_value)
}

/// `Finished rollout=task_00_trial_000 success=True steps=267`: it ended, and how.
fn tells_end(line: &[u8]) -> bool {
    let letters = line.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let ends = is_one_of(&line[..letters], &["finished", "completed", "done", "ended"]);
    let says = |text: &str| find(line, text.as_bytes()).is_some();
    ends && (says("uccess=True") || says("uccess=False"))
}
