//! Evaluations with vla-eval: one line an episode, numbered within the shard.

use std::collections::BTreeMap;

use memchr::memchr_iter;

use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_fraction;
use crate::progress::text::number::leading_u64;

/// `  [12/500] pick up the bowl ep3: SUCCESS (steps=97)`, behind a logger's prefix.
pub const PRESET: Preset = Preset {
    name: "vla-eval",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &[
        ": SUCCESS (steps=",
        ": FAIL (steps=",
        ": server unreachable, aborting",
        ": ConnectionClosed code=",
        ": TimeoutError (act timeout=",
        "vla_eval.orchestrator:",
        "Overall        ",
    ],
    begin: &|| Box::new(VlaEval::default()),
};

/// Shards come from the log, which must not be able to invent any number of them.
const MOST_SHARDS: usize = 4096;

#[derive(Debug, Default)]
struct VlaEval {
    /// Episodes of the benchmarks before this one, which counts from 1 again.
    before: BenchmarkCount,
    present: BenchmarkCount,
    /// Episode lines of this benchmark.
    lines: u64,
    /// Episode lines so far.
    all_lines: u64,
    /// Numbers came twice: the lines of several shards are mixed, and no number shows how many episodes are over.
    mixed: bool,
    /// The present benchmark was given up.
    aborted: bool,
    /// Episodes assigned to each shard that announced itself.
    shards: BTreeMap<u64, u64>,
    results: OutcomeCounts,
}

#[derive(Debug, Default, Clone, Copy)]
struct BenchmarkCount {
    done: u64,
    total: u64,
}

#[derive(Debug, Default)]
struct OutcomeCounts {
    successes: u64,
    failures: u64,
    /// Episodes that ended because of the server or an exception.
    errors: u64,
}

#[derive(Debug, Clone, Copy)]
enum EpisodeResult {
    Success,
    Failure,
    Error,
}

impl Format for VlaEval {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some((done, total, outcome)) = episode(line) {
            self.aborted |= has(line, ABORTING);
            self.count(BenchmarkCount { done, total }, outcome);
            self.note(notes);
            return LineMatch::Typical;
        }
        if let Some(at) = find(line, b"Shard ") {
            return self
                .shard(&line[at + b"Shard ".len()..])
                .map_or(LineMatch::Foreign, |()| LineMatch::Plausible);
        }
        if has(line, ABORTING) {
            self.aborted = true;
            return LineMatch::Plausible;
        }
        if is_overall(line) && self.all_lines > 0 {
            self.end_benchmark();
            self.note(notes);
            return LineMatch::Plausible;
        }
        if !has(line, "Starting benchmark: ") {
            return LineMatch::Foreign;
        }
        self.begin_benchmark();
        if self.all_lines > 0 {
            // The number of episodes of this one comes with its first line.
            notes.progress(if self.mixed { self.all_lines } else { self.before.done }, None);
        }
        LineMatch::Plausible
    }
}

impl VlaEval {
    fn count(&mut self, count: BenchmarkCount, outcome: EpisodeResult) {
        self.mixed |= self.shards.len() > 1 || count.done <= self.present.done;
        self.present = count;
        self.lines += 1;
        self.all_lines += 1;
        match outcome {
            EpisodeResult::Success => self.results.successes += 1,
            EpisodeResult::Failure => self.results.failures += 1,
            EpisodeResult::Error => self.results.errors += 1,
        }
    }

    /// The summary came. Shards that take episodes from one queue count those of all of them, and end when it is empty,
    /// whatever their last number was.
    fn end_benchmark(&mut self) {
        if !self.aborted && self.present.done < self.present.total {
            self.present = BenchmarkCount { done: self.lines, total: self.lines };
        }
    }

    fn begin_benchmark(&mut self) {
        self.before = self.before.and(self.present);
        (self.present, self.lines, self.aborted) = (BenchmarkCount::default(), 0, false);
    }

    /// `0/4: 125 episodes assigned`.
    fn shard(&mut self, text: &[u8]) -> Option<()> {
        let (index, _, rest) = leading_fraction(text)?;
        let (episodes, rest) = leading_u64(rest.strip_prefix(b":")?.trim_ascii_start())?;
        if !rest.starts_with(b" episodes assigned") || self.shards.len() >= MOST_SHARDS {
            return None;
        }
        self.shards.insert(index, episodes);
        Some(())
    }

    fn note(&self, notes: &mut Notes) {
        if self.mixed {
            let assigned = self.shards.values().fold(0, |sum: u64, episodes| sum.saturating_add(*episodes));
            notes.progress(self.all_lines, Some(assigned).filter(|assigned| *assigned >= self.all_lines));
        } else {
            let BenchmarkCount { done, total } = self.before.and(self.present);
            notes.progress(done, Some(total));
        }
        let OutcomeCounts { successes, failures, errors } = self.results;
        let episodes = successes + failures + errors;
        notes.metric("episodes", episodes as f64);
        notes.metric("successes", successes as f64);
        if errors > 0 {
            notes.metric("errors", errors as f64);
        }
        // As vla-eval does it: an episode that ended with an error is no success.
        notes.metric("success_rate", successes as f64 / episodes as f64);
    }
}

impl BenchmarkCount {
    fn and(self, other: Self) -> Self {
        Self { done: self.done.saturating_add(other.done), total: self.total.saturating_add(other.total) }
    }
}

const ABORTING: &str = ", aborting benchmark";

fn has(line: &[u8], text: &str) -> bool {
    find(line, text.as_bytes()).is_some()
}

/// `  Overall                                   25.0%`, the last row of the summary.
fn is_overall(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let percent = line.strip_prefix(b"Overall").and_then(|rest| rest.trim_ascii().strip_suffix(b"%"));
    percent.is_some_and(|number| number.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
}

/// The number of the episode, of how many, and how it ended.
fn episode(line: &[u8]) -> Option<(u64, u64, EpisodeResult)> {
    let (before, outcome) = outcome(line)?;
    // The task's words come in between, and end in the number of the episode within it.
    let number = before.len() - before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if number == before.len() || !before[..number].ends_with(b" ep") {
        return None;
    }
    memchr_iter(b'[', before).find_map(|at| {
        let (done, total, rest) = leading_fraction(&before[at + 1..])?;
        (rest.starts_with(b"] ") && done > 0 && done <= total).then_some(())?;
        Some((done, total, outcome))
    })
}

/// Returns the text before the words of the outcome, and the outcome.
fn outcome(line: &[u8]) -> Option<(&[u8], EpisodeResult)> {
    const WORDS: [(&[u8], EpisodeResult); 6] = [
        (b": SUCCESS (steps=", EpisodeResult::Success),
        (b": FAIL (steps=", EpisodeResult::Failure),
        (b": ERROR", EpisodeResult::Error),
        (b": server unreachable", EpisodeResult::Error),
        (b": ConnectionClosed code=", EpisodeResult::Error),
        (b": TimeoutError (act", EpisodeResult::Error),
    ];
    memchr_iter(b':', line).find_map(|colon| {
        let (_, outcome) = WORDS.iter().find(|(words, _)| line[colon..].starts_with(words))?;
        Some((&line[..colon], *outcome))
    })
}
