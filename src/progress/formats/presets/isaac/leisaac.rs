//! Evaluations with LeIsaac: after each episode the successes and the episodes so far.

use memchr::memrchr;

use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_fraction;
use crate::progress::text::number::leading_u64;

/// `[Evaluation] Evaluating episode 3...`, `[Evaluation] now success rate: 0.5  [1/2]`, and at the end
/// `[Evaluation] Final success rate: 0.700  [7/10]`. How many episodes it will be, only the last line says.
pub const PRESET: Preset = Preset {
    name: "leisaac",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &[EVALUATION],
    begin: &|| Box::new(LeIsaac),
};

const EVALUATION: &str = "[Evaluation] ";
const BEGINS: &[u8] = b"Evaluating episode ";
const RATE: &[u8] = b"success rate: ";
const FINAL: &[u8] = b"Final success rate: ";

#[derive(Debug)]
struct LeIsaac;

impl Format for LeIsaac {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let Some(at) = find(line, EVALUATION.as_bytes()) else { return LineMatch::Foreign };
        let said = &line[at + EVALUATION.len()..];
        if let Some((episode, _)) = said.strip_prefix(BEGINS).and_then(leading_u64) {
            notes.progress(episode.saturating_sub(1), None);
            // Others begin theirs in the same words.
            return LineMatch::Plausible;
        }
        counts(said).map_or(LineMatch::Foreign, |(successes, episodes)| {
            notes.finished = said.starts_with(FINAL);
            notes.progress(episodes, notes.finished.then_some(episodes));
            notes.metric("episodes", episodes as f64);
            notes.metric("successes", successes as f64);
            notes.metric("success_rate", successes as f64 / episodes as f64);
            LineMatch::Typical
        })
    }
}

/// `[1/2]` at the end of a line with a rate.
fn counts(said: &[u8]) -> Option<(u64, u64)> {
    find(said, RATE)?;
    let said = said.trim_ascii_end().strip_suffix(b"]")?;
    let (successes, episodes, rest) = leading_fraction(&said[memrchr(b'[', said)? + 1..])?;
    (rest.is_empty() && episodes > 0 && successes <= episodes).then_some((successes, episodes))
}
