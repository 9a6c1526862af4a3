//! Evaluations with Isaac Lab-Arena: one rollout of some episodes or steps, or a list of such jobs.

use crate::progress::counts::bar::Bar;
use crate::progress::counts::rate::leading_rate;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_fraction;
use crate::progress::text::number::leading_u64;
use crate::progress::text::python_literal;
use crate::progress::text::python_literal::PythonLiteral;

/// `[Rank 0/1] Starting rollout (10 episodes)`, bars `Episodes:  30%|███ | 3/10 [` or `Steps: …`, and after every
/// episode and at the end `[Rank 0/1] Metrics: {'success_rate': 0.5, 'num_episodes': 4}`. Several jobs end in a
/// `METRICS SUMMARY`.
pub const PRESET: Preset = Preset {
    name: "isaaclab-arena",
    unit: EPISODES,
    rank: PresetRank::Program,
    needles: &[
        ROLLOUT, METRICS, "Episodes:", "Steps:", JOB, CHUNK, SUMMARY, FAILED, EPISODES_OF_JOB, RATE_OF_JOB,
    ],
    begin: &|| Box::new(Arena::default()),
};

const EPISODES: &str = "episodes";
const RANK: &[u8] = b"[Rank ";
const ROLLOUT: &str = "] Starting rollout (";
const METRICS: &str = "] Metrics: {";
/// A row of the table of jobs.
const JOB: &str = " | pending | ";
const CHUNK: &str = "[eval_runner] chunk ";
const SUMMARY: &str = "METRICS SUMMARY";
const FAILED: &str = " failed with error: ";
const EPISODES_OF_JOB: &str = "  num_episodes  ";
const RATE_OF_JOB: &str = "  success_rate  ";

#[derive(Debug, Default)]
struct Arena {
    /// How long the rollout is to be.
    length: Option<(&'static str, u64)>,
    jobs: u64,
    /// Jobs in chunks, each of which is a program of its own: the present one, and how many there are.
    chunk: Option<(u64, u64)>,
    failed: bool,
    summary: ArenaSummary,
}

/// The figures of the summary, over all jobs together.
#[derive(Debug, Default)]
struct ArenaSummary {
    /// Episodes of the newest job, whose other figures come next.
    of_job: Option<f64>,
    episodes: f64,
    successes: f64,
    /// A job without a number of episodes has no weight.
    is_uneven: bool,
}

impl Format for Arena {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(at) = find(line, RANK) {
            return self.rank(&line[at..], notes).map_or(LineMatch::Foreign, |()| LineMatch::Typical);
        }
        if let Some(at) = find(line, CHUNK.as_bytes()) {
            let chunk = &line[at + CHUNK.len()..];
            return self.begin_chunk(chunk, notes).map_or(LineMatch::Foreign, |()| LineMatch::Typical);
        }
        let is_row = line.starts_with(b"| ") && find(line, JOB.as_bytes()).is_some();
        if is_row {
            self.jobs += 1;
        } else if line.starts_with(b"Job ") && find(line, FAILED.as_bytes()).is_some() {
            self.failed = true;
        } else if line.trim_ascii() == SUMMARY.as_bytes() {
            self.end(notes);
        } else {
            return self.figure(line, notes);
        }
        LineMatch::Plausible
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        match bar.name {
            b"Episodes" => self.bar(bar, EPISODES, notes),
            b"Steps" => self.bar(bar, "steps", notes),
            _ => self.read(line, notes),
        }
    }
}

impl Arena {
    /// The first process speaks for the others: each has results of its own.
    fn rank(&mut self, line: &[u8], notes: &mut Notes) -> Option<()> {
        if let Some(at) = find(line, ROLLOUT.as_bytes()) {
            let (count, unit) = leading_u64(&line[at + ROLLOUT.len()..])?;
            let unit = if unit.starts_with(b" steps)") { "steps" } else { EPISODES };
            self.length = Some((unit, count));
            notes.progress_in(unit, 0, Some(count));
            return Some(());
        }
        let at = find(line, METRICS.as_bytes())?;
        if line.starts_with(b"[Rank 0/") {
            let read = python_literal::read(&line[at + METRICS.len() - 1..])?;
            self.metrics(&read.literal, notes);
        }
        Some(())
    }

    fn metrics(&self, literal: &PythonLiteral, notes: &mut Notes) {
        let PythonLiteral::Map(pairs) = literal else { return };
        let numbers = pairs.iter().filter_map(|(name, value)| Some((name.text()?, value.number()?)));
        for (name, value) in numbers {
            notes.metric(if name == "num_episodes" { EPISODES } else { name }.to_owned(), value);
        }
        let episodes = literal.get("num_episodes").and_then(PythonLiteral::number);
        if let (Some((EPISODES, total)), Some(episodes)) = (self.length, episodes) {
            notes.progress_in(EPISODES, episodes as u64, Some(total));
        }
    }

    /// Environments side by side may end more episodes than were asked for; tqdm then draws no total.
    fn bar(&self, bar: &Bar<'_>, unit: &'static str, notes: &mut Notes) -> LineMatch {
        let total = bar.total().or(self.length.map(|(_, total)| total));
        if let Some((chunk, chunks)) = self.chunk {
            notes.progress_in("chunks", chunk - 1, Some(chunks));
            total.into_iter().for_each(|total| notes.part(bar.done(), total));
        } else if self.jobs > 1 {
            // How many of them are over, nothing says before the summary.
            notes.progress_in("jobs", 0, Some(self.jobs));
            total.into_iter().for_each(|total| notes.part(bar.done(), total));
        } else {
            notes.progress_in(unit, bar.done(), total);
        }
        LineMatch::Plausible
    }

    /// Begins a chunk of jobs: `2/3: jobs 2..3`.
    fn begin_chunk(&mut self, text: &[u8], notes: &mut Notes) -> Option<()> {
        let (chunk, chunks, _) = leading_fraction(text)?;
        self.chunk = Some((chunk.max(1), chunks));
        self.jobs = 0;
        notes.progress_in("chunks", chunk.saturating_sub(1), Some(chunks));
        Some(())
    }

    /// All jobs are over; one that failed has no results.
    fn end(&mut self, notes: &mut Notes) {
        match self.chunk {
            Some((chunk, chunks)) => {
                notes.progress_in("chunks", chunk, Some(chunks));
                notes.finished = chunk == chunks && !self.failed;
            }
            None if self.failed => {}
            None => {
                if self.jobs > 1 {
                    notes.progress_in("jobs", self.jobs, Some(self.jobs));
                }
                notes.finished = true;
            }
        }
    }

    /// `  success_rate                       0.8500`, with the names of a job in the order of the alphabet.
    fn figure(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let behind = |name: &str| line.strip_prefix(name.as_bytes());
        if let Some(episodes) = behind(EPISODES_OF_JOB).and_then(leading_f64) {
            self.summary.of_job = Some(episodes);
        } else if let Some(rate) = behind(RATE_OF_JOB).and_then(leading_rate) {
            self.summary.add(rate, notes);
        } else {
            return LineMatch::Foreign;
        }
        LineMatch::Plausible
    }
}

impl ArenaSummary {
    fn add(&mut self, rate: f64, notes: &mut Notes) {
        let episodes = self.of_job.take();
        self.is_uneven |= episodes.is_none();
        self.episodes += episodes.unwrap_or(0.0);
        self.successes += rate * episodes.unwrap_or(0.0);
        if !self.is_uneven && self.episodes > 0.0 {
            notes.metric(EPISODES, self.episodes);
            notes.metric("success_rate", self.successes / self.episodes);
        }
    }
}
