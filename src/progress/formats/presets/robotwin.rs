//! Evaluations with RoboTwin: after each episode the successes, the episodes so far, and the seed.

use std::collections::BTreeMap;

use memchr::memmem;

use super::episodes::episode_plan::setting_value;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_fraction;

/// `Success rate: 12/50 => 24.0%, current seed: 100012`: 12 of the 50 episodes so far succeeded. Older versions print
/// `TASK success rate: 12/50, current seed: 100012`; launchers of several tasks put the task before it.
pub const PRESET: Preset = Preset {
    name: "robotwin",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &["current seed:", "Data has been saved to ", "test_num"],
    begin: &|| Box::new(RoboTwin::default()),
};

/// Names of tasks come from the log, which must not be able to invent any number of them; RoboTwin has 50.
const MOST_TASKS: usize = 128;

#[derive(Debug, Default)]
struct RoboTwin {
    /// By the name on the line; most logs are of one task and do not say it there.
    tasks: BTreeMap<Vec<u8>, SuccessCounts>,
    /// Episodes of each task, where the log shows it.
    announced: Option<u64>,
}

#[derive(Debug, Default, Clone, Copy)]
struct SuccessCounts {
    episodes: u64,
    successes: u64,
}

impl Format for RoboTwin {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(seed) = find(line, b"current seed:") {
            return self.count(&line[..seed], notes).map_or(LineMatch::Foreign, |()| LineMatch::Typical);
        }
        if find(line, b"Data has been saved to ").is_some_and(|at| names_results(&line[at..])) {
            notes.finished = true;
            return LineMatch::Plausible;
        }
        let setting = find(line, b"test_num").and_then(|at| setting_value(&line[at + b"test_num".len()..]));
        if setting.is_none() {
            return LineMatch::Foreign;
        }
        self.announced = setting;
        LineMatch::Plausible
    }
}

impl RoboTwin {
    /// Reads the text before the seed.
    fn count(&mut self, text: &[u8], notes: &mut Notes) -> Option<()> {
        let rate = memmem::rfind(text, b"uccess rate:")?;
        let (successes, episodes, _) = leading_fraction(&text[rate + b"uccess rate:".len()..])?;
        let now = SuccessCounts { episodes, successes };
        let task = task_before(&text[..rate.saturating_sub(1)]);
        if !self.tasks.contains_key(task) && self.tasks.len() >= MOST_TASKS {
            return None;
        }
        let known = self.tasks.entry(task.to_vec()).or_default();
        // The same task, or one that the log does not name, counts from 1 again: another run, whatever came of the
        // first.
        notes.restarts = episodes < known.episodes;
        *known = now;
        self.note(notes);
        Some(())
    }

    fn note(&self, notes: &mut Notes) {
        let overall = self.tasks.values().fold(SuccessCounts::default(), |sum, task| sum.and(*task));
        // Side by side or one after the other: how many tasks there will be, the log does not say.
        let only_task = self.tasks.len() == 1;
        notes.progress(
            overall.episodes,
            self.announced.filter(|announced| only_task && *announced >= overall.episodes),
        );
        notes.metric("episodes", overall.episodes as f64);
        notes.metric("successes", overall.successes as f64);
        if overall.episodes > 0 {
            notes.metric("success_rate", overall.successes as f64 / overall.episodes as f64);
        }
    }
}

impl SuccessCounts {
    fn and(self, other: Self) -> Self {
        Self {
            episodes: self.episodes.saturating_add(other.episodes),
            successes: self.successes.saturating_add(other.successes),
        }
    }
}

/// The last word, where it is a name: `[RESULT] adjust_bottle:`. Times and counters of a logger's prefix change with
/// every line and are none.
fn task_before(prefix: &[u8]) -> &[u8] {
    let prefix = prefix.trim_ascii_end();
    let prefix = prefix.strip_suffix(b":").unwrap_or(prefix);
    let start = memchr::memrchr(b' ', prefix).map_or(0, |blank| blank + 1);
    let word = &prefix[start..];
    let is_name = word.first().is_some_and(u8::is_ascii_alphabetic)
        && word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_name { word } else { b"" }
}

/// `Data has been saved to eval_result/…/_result.txt`.
fn names_results(text: &[u8]) -> bool {
    text.trim_ascii_end().ends_with(b"_result.txt")
}
