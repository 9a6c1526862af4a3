//! Evaluations of ACT on ALOHA and of its many descendants: a line for each rollout and a table of rewards.

use super::openvla_words::truth;
use crate::progress::counts::bar::Bar;
use crate::progress::counts::preparation::is_preparation;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_fraction;
use crate::progress::text::number::leading_u64;

/// `episode_return=210, episode_highest_reward=4, env_max_reward=4, Success: True`, and at the end `Success rate: 0.5`,
/// `Average return: 123.4` and `Reward >= 4: 25/50 = 50.0%` for each reward there is.
pub const PRESET: Preset = Preset {
    name: "act",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &[
        HIGHEST, AT_LEAST, "Average return: ", ".ckpt: success_rate=", "Val loss: ", "Training finished:",
        "%|",
    ],
    begin: &|| Box::new(Act::default()),
};

const HIGHEST: &str = "episode_highest_reward=";
const AT_LEAST: &str = "Reward >= ";

/// The newest evaluation, as far as the log shows it.
#[derive(Debug, Default)]
struct Act {
    episodes: u64,
    successes: u64,
    /// Its table has begun; the next rollout belongs to the next checkpoint.
    summed_up: bool,
    /// Whether it is a pause of a training, whose steps a bar counts.
    trains: bool,
}

impl Format for Act {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(at) = find(line, HIGHEST.as_bytes()) {
            return self.rollout(&line[at..], notes).unwrap_or(LineMatch::Foreign);
        }
        if let Some(at) = find(line, AT_LEAST.as_bytes()) {
            return self.at_least(&line[at + AT_LEAST.len()..], notes).unwrap_or(LineMatch::Foreign);
        }
        let words = line.trim_ascii();
        if find(words, b".ckpt: success_rate=").is_some() && find(words, b" avg_return=").is_some() {
            notes.finished = !self.trains;
            return LineMatch::Typical;
        }
        if let Some(value) = words.strip_prefix(b"Average return: ").and_then(leading_f64) {
            notes.metric("mean_reward", value);
            return LineMatch::Plausible;
        }
        if words.starts_with(b"Val loss: ") {
            self.trains = true;
            return LineMatch::Plausible;
        }
        if words.starts_with(b"Training finished:") {
            notes.finished = true;
            return LineMatch::Plausible;
        }
        LineMatch::Foreign
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        if !self.trains || !bar.name.is_empty() || is_preparation(bar) {
            // Behind a bar whose line had not ended something else was printed.
            let is_alone = line.trim_ascii_end().ends_with(b"]");
            return if is_alone { LineMatch::Foreign } else { self.read(line, notes) };
        }
        notes.progress_in("steps", bar.done(), bar.total());
        LineMatch::Plausible
    }
}

impl Act {
    fn rollout(&mut self, values: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let behind = find(values, b", Success: ")? + b", Success: ".len();
        let success = truth(&values[behind..])?;
        if self.summed_up {
            notes.resumes = true;
            *self = Self { trains: self.trains, ..Self::default() };
        }
        self.episodes += 1;
        self.successes += u64::from(success);
        self.note(None, notes);
        Some(LineMatch::Typical)
    }

    /// `4: 25/50 = 50.0%`: the rewards come in their order, and the highest one is a success.
    fn at_least(&mut self, value: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let (_, rest) = leading_u64(value)?;
        let (reached, episodes, rest) = leading_fraction(rest.strip_prefix(b":")?)?;
        rest.starts_with(b" = ").then_some(())?;
        (self.episodes, self.successes, self.summed_up) = (episodes, reached, true);
        self.note(Some(episodes), notes);
        Some(LineMatch::Typical)
    }

    fn note(&self, total: Option<u64>, notes: &mut Notes) {
        if !self.trains {
            notes.progress(self.episodes, total);
        }
        notes.metric("episodes", self.episodes as f64);
        notes.metric("successes", self.successes as f64);
        if self.episodes > 0 {
            notes.metric("success_rate", self.successes as f64 / self.episodes as f64);
        }
    }
}
