//! Evaluations with LeRobot: a bar of batches for each task, and at the end the results as Python prints them.

use super::lerobot::evaluation::BatchProgress;
use super::lerobot::evaluation::Evaluation;
use super::lerobot::lines::NAMES;
use super::lerobot::lines::PartialResult;
use super::lerobot::lines::ResultPart;
use super::lerobot::results::PrintedResult;
use super::lerobot::results::printed_on;
use crate::progress::counts::bar::Bar;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;

/// `Stepping through eval batches:  80%|████  | 4/5 [02:22<00:33, 33.92s/it, running_success_rate=17.5%]`, once from 0
/// for each task; a second bar counts the steps of the present batch.
pub const PRESET: Preset = Preset {
    name: "lerobot",
    unit: "batches",
    rank: PresetRank::Program,
    needles: &[
        BATCHES, STEPS, "running_success_rate=", ENVIRONMENT, NAMES[0], NAMES[1], NAMES[2], NAMES[3],
        NAMES[4], "'task_group'", "End of eval",
    ],
    begin: &|| Box::new(LeRobot::default()),
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
    /// Results of the present evaluation were printed.
    ended: bool,
    /// Results on several lines.
    spread: PartialResult,
}

impl Format for LeRobot {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(at) = find(line, BATCHES.as_bytes()) {
            return self.draw(Bar::parse(&line[at..]).as_ref(), &line[at..], notes);
        }
        if let Some(at) = find(line, STEPS.as_bytes()) {
            self.step(Bar::parse(&line[at..]).as_ref(), notes);
            return LineMatch::Typical;
        }
        if let Some(at) = find(line, ENVIRONMENT.as_bytes()) {
            return self.build(&line[at + ENVIRONMENT.len()..], notes);
        }
        if let Some(at) = find(line, b"End of eval") {
            return self.end(&line[at + b"End of eval".len()..], notes);
        }
        if let Some(rate) = rate_on(line) {
            // A bar that was torn: its count is missing.
            self.present.rate(rate);
            self.note_rate(notes);
            return LineMatch::Plausible;
        }
        self.results(line, notes)
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        if bar.name == BATCHES.as_bytes() {
            return self.draw(Some(bar), line, notes);
        }
        if bar.name.starts_with(STEPS.as_bytes()) {
            self.step(Some(bar), notes);
            return LineMatch::Typical;
        }
        self.read(line, notes)
    }
}

impl LeRobot {
    /// A drawing of the bar of batches, perhaps torn.
    fn draw(&mut self, bar: Option<&Bar<'_>>, line: &[u8], notes: &mut Notes) -> LineMatch {
        let count = bar.and_then(|bar| Some((bar.done(), bar.total()?, bar.tail.elapsed())));
        if let Some((done, total, elapsed)) = count {
            if self.present.bar.is_none() {
                (self.has_bars, self.ended, self.counted) = (true, false, false);
                notes.resumes = true;
            }
            self.present.count(BatchProgress { done, total, elapsed, success_rate: rate_on(line) });
            self.note_progress(notes);
        }
        if let Some(rate) = rate_on(line) {
            self.present.rate(rate);
            self.note_rate(notes);
        }
        LineMatch::Typical
    }

    /// A drawing of the bar of steps, of which a batch takes so many at most.
    fn step(&self, bar: Option<&Bar<'_>>, notes: &mut Notes) {
        let Some(bar) = bar.filter(|_| self.present.bar.is_some()) else { return };
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
        if let Some(rate) = self.present.success_rate() {
            notes.metric("success_rate", rate);
        }
    }

    /// `suite=libero_10 | task_id=3 | n_envs=4`.
    fn build(&mut self, task: &[u8], notes: &mut Notes) -> LineMatch {
        let tasks = &mut self.present.tasks;
        if tasks.len() < MOST_TASKS {
            tasks.insert(task.trim_ascii().to_vec());
        }
        self.note_progress(notes);
        LineMatch::Plausible
    }

    fn end(&mut self, rest: &[u8], notes: &mut Notes) -> LineMatch {
        if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
            return LineMatch::Foreign;
        }
        notes.finished = true;
        let ended = std::mem::take(&mut self.present);
        if let Some(done) = ended.done() {
            // Bars that were torn, or drawn side by side, leave batches uncounted.
            self.earlier = self.earlier.saturating_add(ended.total().unwrap_or(done));
            notes.progress(self.earlier, Some(self.earlier).filter(|_| ended.total().is_some()));
        }
        LineMatch::Plausible
    }

    fn results(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let spread = self.spread.take(line);
        let (printed, look) = match (printed_on(line), spread) {
            (Some(printed), _) => (printed, LineMatch::Typical),
            (None, ResultPart::Whole(averages)) => {
                let look = if self.spread.is_typical() { LineMatch::Typical } else { LineMatch::Plausible };
                (PrintedResult::Averages(averages), look)
            }
            (None, ResultPart::Some) => return LineMatch::Plausible,
            (None, ResultPart::None) => return LineMatch::Foreign,
        };
        if self.has_bars && self.present.bar.is_none() {
            // What is printed to a pipe comes behind the end, and the tasks of that evaluation with it.
            self.present = Evaluation::default();
        }
        let of_group = matches!(&printed, PrintedResult::Averages(averages) if averages.eval_s.is_none());
        // Those of a group of tasks come behind those of all.
        if of_group && self.ended {
            return LineMatch::Plausible;
        }
        let episodes = self.note_results(&printed, notes).filter(|_| !self.has_bars);
        if let Some(episodes) = episodes {
            notes.progress_in("episodes", episodes, Some(episodes));
        }
        self.ended = true;
        look
    }

    /// Notes them, and gives how many episodes there were, where they are those of all tasks.
    fn note_results(&mut self, printed: &PrintedResult, notes: &mut Notes) -> Option<u64> {
        match printed {
            PrintedResult::Episodes(episodes) => {
                episodes.note(notes);
                self.counted = true;
                Some(episodes.count)
            }
            PrintedResult::Averages(averages) => {
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

/// `running_success_rate=17.5%` as a share; without its percent sign digits may be missing.
fn rate_on(line: &[u8]) -> Option<f64> {
    const NAME: &[u8] = b"running_success_rate=";
    let text = &line[find(line, NAME)? + NAME.len()..];
    let end = text.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
    text[end..].starts_with(b"%").then(|| leading_f64(&text[..end])).flatten().map(|percent| percent / 100.0)
}
mod evaluation;
pub mod lerobot_train;
mod lines;
pub mod results;
