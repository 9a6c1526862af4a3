//! Evaluations with LeRobot: a bar of batches for each task, and at the end the results as Python prints them.

use std::collections::BTreeSet;

use memchr::memmem;

use super::lerobot_lines::{NAMES, Part, Spread};
use super::lerobot_results::{Printed, printed_on};
use crate::progress::bar::Bar;
use crate::progress::format::{Format, Look, Notes, Preset, Rank};
use crate::progress::number::leading_f64;

/// `Stepping through eval batches:  80%|████  | 4/5 [02:22<00:33, 33.92s/it, running_success_rate=17.5%]`, once from 0 for
/// each task; a second bar counts the steps of the present batch.
pub const PRESET: Preset = Preset {
    name: "lerobot",
    unit: "batches",
    rank: Rank::Program,
    needles: &[
        BATCHES,
        STEPS,
        "running_success_rate=",
        ENVIRONMENT,
        NAMES[0],
        NAMES[1],
        NAMES[2],
        NAMES[3],
        NAMES[4],
        "'task_group'",
        "End of eval",
    ],
    begin: || Box::new(LeRobot::default()),
};

const BATCHES: &str = "Stepping through eval batches";
const STEPS: &str = "Running rollout with at most";
/// `Built vec env | suite=libero_10 | task_id=3 | n_envs=4`, or for Meta-World `Building vec env | …`.
const ENVIRONMENT: &str = " vec env | ";

/// Tasks come from the log, which must not be able to invent any number of them; LIBERO has 130.
const MOST_TASKS: usize = 4096;

#[derive(Debug, Default)]
struct LeRobot {
    /// Batches of the evaluations before this one: scripts put several into one log.
    earlier: u64,
    /// The evaluation at work, or about to begin.
    present: Evaluation,
    /// A bar was drawn; Slurm gets none.
    has_bars: bool,
    /// The results were printed episode by episode.
    counted: bool,
    /// Results were printed.
    ended: bool,
    /// Results on several lines.
    spread: Spread,
}

#[derive(Debug, Default)]
struct Evaluation {
    /// The tasks for which environments were built; programs with one task build them silently.
    tasks: BTreeSet<Vec<u8>>,
    /// Batches of the tasks that are over.
    over: Batches,
    /// The bar of the present task.
    bar: Option<Batches>,
    /// The tasks have different numbers of batches, so that one tells nothing of the others.
    uneven: bool,
}

/// Batches of one or several tasks.
#[derive(Debug, Default, Clone, Copy)]
struct Batches {
    done: u64,
    total: u64,
    /// The share of episodes that succeeded.
    success_rate: Option<f64>,
}

impl Format for LeRobot {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        if let Some(at) = memmem::find(line, BATCHES.as_bytes()) {
            return self.draw(&line[at..], notes);
        }
        if let Some(at) = memmem::find(line, STEPS.as_bytes()) {
            self.step(&line[at..], notes);
            return Look::Typical;
        }
        if let Some(at) = memmem::find(line, ENVIRONMENT.as_bytes()) {
            return self.build(&line[at + ENVIRONMENT.len()..], notes);
        }
        if let Some(at) = memmem::find(line, b"End of eval") {
            return self.end(&line[at + b"End of eval".len()..], notes);
        }
        if let Some(rate) = rate_on(line) {
            // A bar that was torn: its count is missing.
            self.present.rate(rate);
            self.note_rate(notes);
            return Look::Plausible;
        }
        self.results(line, notes)
    }
}

impl LeRobot {
    /// A drawing of the bar of batches, perhaps torn.
    fn draw(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        let count = Bar::parse(line).and_then(|bar| Some((bar.done(), bar.total()?)));
        if let Some((done, total)) = count {
            if self.present.bar.is_none() {
                (self.has_bars, self.ended, self.counted) = (true, false, false);
                notes.resumes = true;
            }
            self.present.count(done, total);
            self.note_progress(notes);
        }
        if let Some(rate) = rate_on(line) {
            self.present.rate(rate);
            self.note_rate(notes);
        }
        Look::Typical
    }

    /// A drawing of the bar of steps, of which a batch takes so many at most.
    fn step(&self, line: &[u8], notes: &mut Notes) {
        let Some(bar) = self.present.bar.and(Bar::parse(line)) else { return };
        self.note_progress(notes);
        if let Some(total) = bar.total() {
            notes.part(bar.done(), total);
        }
    }

    fn note_progress(&self, notes: &mut Notes) {
        let Some(done) = self.present.done() else { return };
        let all = |batches: u64| self.earlier.saturating_add(batches);
        notes.progress(all(done), self.present.total().filter(|total| *total >= done).map(all));
    }

    fn note_rate(&self, notes: &mut Notes) {
        if self.ended {
            return;
        }
        let Evaluation { over, bar, .. } = &self.present;
        if let Some(rate) = over.and(bar.unwrap_or_default()).success_rate {
            notes.metric("success_rate", rate);
        }
    }

    /// `suite=libero_10 | task_id=3 | n_envs=4`.
    fn build(&mut self, task: &[u8], notes: &mut Notes) -> Look {
        let tasks = &mut self.present.tasks;
        if tasks.len() < MOST_TASKS {
            tasks.insert(task.trim_ascii().to_vec());
        }
        self.note_progress(notes);
        Look::Plausible
    }

    fn end(&mut self, rest: &[u8], notes: &mut Notes) -> Look {
        if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
            return Look::Foreign;
        }
        notes.finished = true;
        let ended = std::mem::take(&mut self.present);
        if let Some(done) = ended.done() {
            // Bars that were torn, or drawn side by side, leave batches uncounted.
            self.earlier = self.earlier.saturating_add(ended.total().unwrap_or(done));
            notes.progress(self.earlier, Some(self.earlier).filter(|_| ended.total().is_some()));
        }
        Look::Plausible
    }

    fn results(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        let spread = self.spread.take(line);
        let (printed, look) = match (printed_on(line), spread) {
            (Some(printed), _) => (printed, Look::Typical),
            (None, Part::Whole(averages)) => {
                let look = if self.spread.is_typical() { Look::Typical } else { Look::Plausible };
                (Printed::Averages(averages), look)
            }
            (None, Part::Some) => return Look::Plausible,
            (None, Part::None) => return Look::Foreign,
        };
        if self.has_bars && self.present.bar.is_none() {
            // What is printed to a pipe comes behind the end, and the tasks of that evaluation with it.
            self.present = Evaluation::default();
        }
        let of_group = matches!(&printed, Printed::Averages(averages) if averages.eval_s.is_none());
        // Those of a group of tasks come behind those of all.
        if of_group && self.ended {
            return Look::Plausible;
        }
        let episodes = self.note_results(&printed, notes).filter(|_| !self.has_bars);
        if let Some(episodes) = episodes {
            notes.progress_in("episodes", episodes, Some(episodes));
        }
        self.ended = true;
        look
    }

    /// Notes them, and gives how many episodes there were, where they are those of all tasks.
    fn note_results(&mut self, printed: &Printed, notes: &mut Notes) -> Option<u64> {
        match printed {
            Printed::Episodes(episodes) => {
                episodes.note(notes);
                self.counted = true;
                Some(episodes.count)
            }
            Printed::Averages(averages) => {
                if !self.counted {
                    averages.note(notes);
                }
                // Groups of tasks have no time.
                let seconds = averages.eval_s?;
                notes.metric("eval_s", seconds);
                averages.episodes.map(|episodes| episodes as u64)
            }
        }
    }
}

impl Evaluation {
    fn count(&mut self, done: u64, total: u64) {
        match &mut self.bar {
            Some(bar) if bar.total == total && bar.done <= done => bar.done = done,
            Some(before) => {
                self.uneven |= before.total != total;
                // A bar that never filled belongs to a task beside this one, or to an attempt that was given up.
                if before.done >= before.total {
                    self.over = self.over.and(*before);
                }
                self.bar = Some(Batches { done, total, success_rate: None });
            }
            None => self.bar = Some(Batches { done, total, success_rate: None }),
        }
    }

    fn rate(&mut self, rate: f64) {
        if let Some(bar) = &mut self.bar {
            bar.success_rate = Some(rate);
        }
    }

    /// Batches so far; unknown before the first bar.
    fn done(&self) -> Option<u64> {
        Some(self.over.done.saturating_add(self.bar?.done))
    }

    /// All batches of all tasks.
    fn total(&self) -> Option<u64> {
        let each = self.bar.filter(|_| !self.uneven)?.total;
        match self.tasks.len() as u64 {
            // Nothing tells of several tasks, until a second bar does.
            0 => (self.over.done == 0).then_some(each),
            tasks => tasks.checked_mul(each),
        }
    }
}

impl Batches {
    fn and(self, other: Self) -> Self {
        // The rate is drawn before the batch is counted.
        let weight = |batches: Self| batches.done.max(1) as f64;
        let success_rate = match (self.success_rate, other.success_rate) {
            (Some(a), Some(b)) => {
                let (of_a, of_b) = (weight(self), weight(other));
                Some((a * of_a + b * of_b) / (of_a + of_b))
            }
            (rate, None) if other.done == 0 => rate,
            (None, rate) if self.done == 0 => rate,
            (Some(_), None) | (None, Some(_) | None) => None,
        };
        Self {
            done: self.done.saturating_add(other.done),
            total: self.total.saturating_add(other.total),
            success_rate,
        }
    }
}

/// `running_success_rate=17.5%` as a share; without its percent sign digits may be missing.
fn rate_on(line: &[u8]) -> Option<f64> {
    const NAME: &[u8] = b"running_success_rate=";
    let text = &line[memmem::find(line, NAME)? + NAME.len()..];
    let end = text.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
    text[end..].starts_with(b"%").then(|| leading_f64(&text[..end])).flatten().map(|percent| percent / 100.0)
}
