//! Isaac Sim evaluations that print one line an episode with its outcome, how far it came and how long it took.

use memchr::{memchr, memchr_iter};

use crate::model::results::episode_list::EpisodeList;
use crate::progress::counts::episode_tally::{EpisodeOutcome, EpisodeTally};
use crate::progress::format::{Format, LineMatch, LogFinding, Notes, Preset, PresetRank};
use crate::progress::text::number::{leading_f64, leading_fraction, leading_u64};

/// `[  12/100] friction_flat_ep0011  TIMEOUT   progress= 39.5m  zone=4  time=87.4s`; others print `score= 12.5/400`
/// instead of the progress, and at the end `Evaluation complete!` and `Total time: 9226.9s`.
pub const PRESET: Preset = Preset {
    name: "isaac-eval",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &["  time=", COMPLETE, TOTAL_TIME, TITLE, EPISODES],
    begin: &|| Box::new(IsaacEval::default()),
};

/// Heads the settings, of which one is `Episodes:    40`.
const TITLE: &str = "Capstone Evaluation";
const EPISODES: &str = "Episodes:  ";
const COMPLETE: &str = " complete!";
const TOTAL_TIME: &str = "Total time:";

/// Longer words are no outcomes and no names.
const LONGEST_OUTCOME: usize = 32;
const LONGEST_ID: usize = 128;

#[derive(Debug, Default)]
struct IsaacEval {
    tally: EpisodeTally,
    /// Episodes done and in total, from the newest line.
    count: Option<(u64, u64)>,
    /// The settings are being printed.
    in_settings: bool,
}

impl Format for IsaacEval {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some((count, ending)) = parse(line) {
            self.count = Some(count);
            notes.progress(count.0, Some(count.1));
            self.tally.add(&ending, notes);
            return LineMatch::Typical;
        }
        let line = line.trim_ascii();
        if line == TITLE.as_bytes() {
            self.in_settings = true;
        } else if let Some(total) = self.in_settings.then(|| line.strip_prefix(EPISODES.as_bytes())).flatten()
        {
            self.in_settings = false;
            let Some((total, _)) = leading_u64(total.trim_ascii_start()) else { return LineMatch::Foreign };
            self.count = Some((0, total));
            notes.progress(0, Some(total));
            return LineMatch::Typical;
        } else if line.ends_with(COMPLETE.as_bytes()) {
            // The program prints it behind its loop, also where the loop was left early.
            notes.finished = self.count.is_some_and(|(done, total)| done == total);
        } else if let Some(seconds) = line.strip_prefix(TOTAL_TIME.as_bytes()).and_then(duration) {
            notes.metric("total_time_s", seconds);
        } else {
            return LineMatch::Foreign;
        }
        LineMatch::Plausible
    }

    fn totals(&self, notes: &mut Notes) {
        self.tally.note(notes);
    }

    fn episodes(&self) -> Option<EpisodeList> {
        self.tally.list()
    }

    fn closing(&self) -> Vec<LogFinding> {
        self.tally.signs()
    }
}

/// The count and the episode of a line; by hand, because a log may hold nothing else.
fn parse(line: &[u8]) -> Option<((u64, u64), EpisodeOutcome<'_>)> {
    let (count, rest) = memchr_iter(b'[', line).find_map(|at| {
        let (done, total, rest) = leading_fraction(&line[at + 1..])?;
        Some(((done, total), rest.strip_prefix(b"]")?))
    })?;
    let (id, rest) = word(rest)?;
    let (outcome, rest) = word(rest)?;
    let is_outcome = outcome.first()?.is_ascii_uppercase()
        && outcome.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        && outcome.len() <= LONGEST_OUTCOME
        && id.len() <= LONGEST_ID;
    let ending = is_outcome.then(|| ending(id, outcome, rest))??;
    Some((count, ending))
}

/// Returns the ending of the episode, where its fields say how long it took.
fn ending<'a>(id: &'a [u8], outcome: &'a [u8], fields: &[u8]) -> Option<EpisodeOutcome<'a>> {
    let (mut seconds, mut metres, mut score) = (None, None, None);
    for sign in memchr_iter(b'=', fields) {
        let before = &fields[..sign];
        let begin = before.iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |at| at + 1);
        let value = match &before[begin..] {
            b"time" => &mut seconds,
            b"progress" => &mut metres,
            b"score" => &mut score,
            _ => continue,
        };
        *value = value.or_else(|| value_and_unit(&fields[sign + 1..]));
    }
    // A score is one of so many, and a share of the way is no distance.
    let metres = metres.filter(|(_, unit)| *unit == b"m").map(|(metres, _)| metres);
    let seconds = seconds?;
    let seconds = seconds_of(seconds.1).map(|factor| seconds.0 * factor);
    Some(EpisodeOutcome { id, outcome, seconds, metres, score: score.map(|(score, _)| score) })
}

/// Reads a value and the text of its unit: `39.5m`, `12.5/400`.
fn value_and_unit(text: &[u8]) -> Option<(f64, &[u8])> {
    let text = text.trim_ascii_start();
    let value = leading_f64(text)?;
    let number =
        text.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'/')).count();
    let behind = &text[number..];
    // Of `1m30s` no unit is known.
    let unit = &behind[..behind.iter().take_while(|byte| !byte.is_ascii_whitespace()).count()];
    // `nan` is written in letters too.
    Some((value, if value.is_finite() { unit } else { unit.get(3..).unwrap_or(unit) }))
}

/// `61.3s (1.0min)`, `1.5 min`, but not `0:01:01`.
fn duration(text: &[u8]) -> Option<f64> {
    let (value, unit) = value_and_unit(text)?;
    let unit = if unit.is_empty() { text.trim_ascii().split(|byte| *byte == b' ').nth(1)? } else { unit };
    seconds_of(unit).map(|factor| value * factor)
}

fn seconds_of(unit: &[u8]) -> Option<f64> {
    match unit {
        b"s" | b"sec" => Some(1.0),
        b"ms" => Some(1e-3),
        b"min" => Some(60.0),
        b"h" => Some(3600.0),
        _ => None,
    }
}

fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = memchr(b' ', text)?;
    Some(text.split_at(end))
}
