//! Evaluations and trainings with RLinf: a table of metrics a step, and results as Python prints a dictionary.

use memchr::{memchr, memchr_iter, memmem};

use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_fraction;
use crate::progress::text::python_literal::read;

/// `│ Global Step:    1/1 │ Progress: ████ │ 100.0%` over cells such as `success_once=0.938`, and
/// `{'eval/success_once': array(0.9375, dtype=float32), …}`. An evaluation prints nothing until it is over.
pub const PRESET: Preset = Preset {
    name: "rlinf",
    unit: "steps",
    rank: PresetRank::Program,
    needles: &[
        "eval/success_once", "eval/success_at_end", "'eval/", "Metric Table", "Global Step:", "Step Time:",
        "├──", "success_once=", "success_at_end=", "episode_len=", "num_trajectories=", "│return=",
        "│reward=",
    ],
    begin: &|| Box::new(RLinf::default()),
};

/// The names that RLinf's environments give their results. Others depend on the task, and a log must not be able to
/// invent any number of metrics.
const RESULTS: [&str; 6] =
    ["success_once", "num_trajectories", "success_at_end", "return", "reward", "episode_len"];
const SUCCESS_ONCE: usize = 0;
const TRAJECTORIES: usize = 1;
const SUCCESS_AT_END: usize = 2;

#[derive(Debug, Default)]
struct RLinf {
    section: TableSection,
    /// A table has shown the steps; without one each printed dictionary is the end of one evaluation.
    has_steps: bool,
    evaluations: u64,
    /// The newest results, in the order of their names.
    results: [Option<f64>; RESULTS.len()],
    /// The results are in a dictionary whose table is still to come.
    awaits_table: bool,
    dictionary: Dictionary,
}

/// The newest dictionary, which may be laid out over several lines.
#[derive(Debug, Default)]
struct Dictionary {
    /// Results that the dictionary has given, by the place of their names.
    told: [bool; RESULTS.len()],
    /// Whether it was counted as an evaluation: other programs do not have its names.
    counted: bool,
}

/// The part of a table that its lines belong to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum TableSection {
    /// Results of an evaluation, also where the title was cut off.
    #[default]
    Evaluation,
    /// The same for the episodes that the training collects.
    Environment,
    Other,
}

impl Format for RLinf {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(at) = find(line, "├──".as_bytes()) {
            return self.title(&line[at..]);
        }
        if let Some(at) = find(line, b"Global Step:") {
            let Some((done, total, _)) = leading_fraction(&line[at + b"Global Step:".len()..]) else {
                return LineMatch::Foreign;
            };
            self.has_steps = true;
            notes.progress(done, Some(total));
            return if is_of_table(line) { LineMatch::Typical } else { LineMatch::Plausible };
        }
        if is_of_table(line) {
            return self.cells(line, notes);
        }
        self.dictionary(line, notes)
    }
}

impl RLinf {
    fn title(&mut self, line: &[u8]) -> LineMatch {
        let title = |text: &str| find(line, text.as_bytes()).is_some();
        self.section = if title("─ Evaluation ─") {
            TableSection::Evaluation
        } else if title("─ Environment ─") {
            TableSection::Environment
        } else {
            TableSection::Other
        };
        if !title("─ Metric Table ─") {
            return LineMatch::Plausible;
        }
        if !std::mem::take(&mut self.awaits_table) {
            self.results = Default::default();
        }
        LineMatch::Typical
    }

    /// Reads the cells of a row: `│episode_len=80.000 │return=1.000 │…│`.
    fn cells(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(at) = find(line, b"Step Time:") {
            if let Some(seconds) = leading_f64(&line[at + b"Step Time:".len()..]) {
                notes.metric("step_time_s", seconds);
            }
            return LineMatch::Plausible;
        }
        let mut look = LineMatch::Foreign;
        for equals in memchr_iter(b'=', line) {
            let (before, value) = (&line[..equals], &line[equals + 1..]);
            let Some(index) = RESULTS.iter().position(|name| is_cell_of(before, name)) else { continue };
            let Some(value) = leading_f64(value) else { continue };
            look = LineMatch::Plausible;
            match self.section {
                TableSection::Other => {}
                TableSection::Environment => notes.metric(format!("env_{}", RESULTS[index]), value),
                // The table repeats what the dictionary has given, rounded.
                TableSection::Evaluation
                    if self.results[index].is_some_and(|known| is_rounded(value, known)) => {}
                TableSection::Evaluation => self.result(index, value, notes),
            }
        }
        look
    }

    /// All `'eval/NAME': VALUE` of a dictionary, or of a line of it, which may be cut off, or one `eval/NAME VALUE` of
    /// wandb's summary.
    fn dictionary(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let begins = memchr(b'{', line).is_some();
        let is_dictionary = begins || find(line, b"'eval/").is_some();
        let told: Vec<(usize, f64)> = results_on(line).collect();
        if begins || is_dictionary && told.iter().any(|(index, _)| self.dictionary.told[*index]) {
            self.dictionary = Dictionary::default();
            self.results = Default::default();
            self.awaits_table = true;
        }
        for (index, value) in &told {
            self.dictionary.told[*index] |= is_dictionary;
            self.result(*index, *value, notes);
        }
        let known = |index: usize| self.results[index].is_some();
        if told.is_empty() || !(known(SUCCESS_ONCE) || known(SUCCESS_AT_END)) {
            return if told.is_empty() { LineMatch::Foreign } else { LineMatch::Plausible };
        }
        if is_dictionary && !begins {
            // Values on the lines before could be those of any program.
            let results = self.results.into_iter().enumerate();
            results.for_each(|(index, value)| {
                value.into_iter().for_each(|value| self.result(index, value, notes))
            });
        }
        if is_dictionary && !self.has_steps && !std::mem::replace(&mut self.dictionary.counted, true) {
            self.evaluations += 1;
            notes.progress(self.evaluations, Some(self.evaluations));
        }
        LineMatch::Typical
    }

    fn result(&mut self, index: usize, value: f64, notes: &mut Notes) {
        self.results[index] = Some(value);
        notes.metric(RESULTS[index], value);
        match index {
            // RLinf's own documentation calls it the success rate: the task was done at least once in the episode,
            // whatever the policy did afterwards.
            SUCCESS_ONCE => notes.metric("success_rate", value),
            TRAJECTORIES => notes.metric("episodes", value),
            _ => return,
        }
        if let (Some(rate), Some(episodes)) = (self.results[SUCCESS_ONCE], self.results[TRAJECTORIES]) {
            // A mean of yes and no; the table rounds it.
            let successes = (rate * episodes).round();
            if (successes - rate * episodes).abs() < 1e-3 {
                notes.metric("successes", successes);
            }
        }
    }
}

/// Returns the results behind `eval/` on this line, by the place of their names.
fn results_on(line: &[u8]) -> impl Iterator<Item = (usize, f64)> {
    const PREFIX: &[u8] = b"eval/";
    memmem::find_iter(line, PREFIX).filter_map(|at| {
        let text = &line[at + PREFIX.len()..];
        let index = RESULTS.iter().position(|name| text.starts_with(name.as_bytes()))?;
        let text = &text[RESULTS[index].len()..];
        let separators = text.iter().take_while(|byte| matches!(byte, b'\'' | b'"' | b':' | b' ')).count();
        let text = text.get(separators..).filter(|_| separators > 0)?;
        let value = read(text).map_or_else(|| leading_f64(text), |read| read.literal.number())?;
        Some((index, value))
    })
}

/// The table shows at least three digits, or as many decimals.
fn is_rounded(value: f64, known: f64) -> bool {
    (value - known).abs() <= 0.005 * known.abs().max(0.1)
}

/// Reports whether the line has the side of a box, whatever process prefixed it.
fn is_of_table(line: &[u8]) -> bool {
    find(line, "│".as_bytes()).is_some()
}

/// `│success_once` and not `│subtask_1_success_once`.
fn is_cell_of(before: &[u8], name: &str) -> bool {
    let Some(rest) = before.strip_suffix(name.as_bytes()) else { return false };
    rest.ends_with("│".as_bytes()) || rest.ends_with(b" ")
}
