//! Training and playing with rl_games, all versions and its forks: a line of speeds and counts an epoch.

use memchr::{memchr_iter, memmem};

use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_u64;

/// `fps step: 346221 fps step and policy inference: 323417 fps total: 197756 epoch: 7/1000 frames: 1376256`, where each
/// limit is there only if it is set.
pub const PRESET: Preset = Preset {
    name: "rl-games",
    unit: "epochs",
    rank: PresetRank::Program,
    needles: &[
        "fps step: ", BEST, CHECKPOINT, "mean reward:", "Mean reward:", EPOCHS_REACHED, FRAMES_REACHED,
        SCORE_REACHED, PLAYED, "Training time:",
    ],
    begin: &|| Box::new(RlGames::default()),
};

const BEST: &str = "saving next best rewards:";
/// `=> saving checkpoint 'runs/Ant_08-23/nn/last_Ant_ep_200_rew_1234.5.pth'`, at the end `_rew__1234.5_.pth` and in
/// older versions `_rew_[1234.5].pth` or `ep200rew[1234.5].pth`: the only place where the reward of the moment is
/// printed.
const CHECKPOINT: &str = "=> saving checkpoint";
const EPOCHS_REACHED: &str = "MAX EPOCHS NUM!";
const FRAMES_REACHED: &str = "MAX FRAMES NUM!";
const SCORE_REACHED: &str = "Network won!";
const PLAYED: &str = "av reward:";

/// Number of epochs or frames from which a training is meant to have no limit.
const NO_LIMIT: u64 = 1_000_000_000_000;

#[derive(Debug, Default)]
struct RlGames {
    newest: Option<LimitCount>,
}

/// How much is done, measured by the limit that is set, or in epochs where none is.
#[derive(Debug, Clone, Copy)]
struct LimitCount {
    unit: LimitUnit,
    done: u64,
    total: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitUnit {
    Epochs,
    Frames,
}

impl Format for RlGames {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(statistics) = find(line, b"fps step: ") {
            return self.statistics(&line[statistics..], notes);
        }
        if let Some(value) = number_behind(line, BEST) {
            notes.metric("best_reward", value);
            return LineMatch::Typical;
        }
        let line = line.trim_ascii();
        if line.starts_with(CHECKPOINT.as_bytes()) {
            reward_of(line).into_iter().for_each(|value| notes.metric("mean_reward", value));
            return LineMatch::Plausible;
        }
        if line.ends_with(EPOCHS_REACHED.as_bytes()) {
            return self.reached(Some(LimitUnit::Epochs), notes);
        }
        if line.ends_with(FRAMES_REACHED.as_bytes()) {
            return self.reached(Some(LimitUnit::Frames), notes);
        }
        if line.ends_with(SCORE_REACHED.as_bytes()) {
            return self.reached(None, notes);
        }
        if line.starts_with(PLAYED.as_bytes()) {
            return played(line, notes);
        }
        if let Some(seconds) = line.strip_prefix(b"Training time:").and_then(leading_f64) {
            notes.metric("training_time_s", seconds);
            notes.finished = true;
            return LineMatch::Plausible;
        }
        if let Some(reward) = line.strip_prefix(b"Mean reward:").or(line.strip_prefix(b"mean reward:")) {
            leading_f64(reward).into_iter().for_each(|value| notes.metric("mean_reward", value));
            return LineMatch::Plausible;
        }
        LineMatch::Foreign
    }
}

impl RlGames {
    fn statistics(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let (mut epochs, mut frames) = (None, None);
        for (key, value) in pairs(line) {
            match key {
                b"fps step" => note(notes, "fps_step", value),
                b"fps total" => note(notes, "steps_per_s", value),
                b"mean reward" | b"reward" => note(notes, "mean_reward", value),
                b"epoch" => epochs = count(LimitUnit::Epochs, value),
                b"frames" => {
                    frames = count(LimitUnit::Frames, value);
                    note(notes, "frames", value);
                }
                _ => {}
            }
        }
        let limited = [epochs, frames].into_iter().flatten().find(|count| count.total.is_some());
        if let Some(count) = limited.or(epochs).or(frames) {
            self.newest = Some(count);
            count.note(notes);
        }
        LineMatch::Typical
    }

    /// Training ended by the limit of this unit, or by its score where there is none: what is done was all there was
    /// to do, whatever other limits say.
    fn reached(&self, limit: Option<LimitUnit>, notes: &mut Notes) -> LineMatch {
        if let Some(newest) = self.newest {
            // The last frames may come after the line that counts them.
            let done = newest.total.filter(|_| limit == Some(newest.unit)).unwrap_or(newest.done);
            LimitCount { done, total: Some(done), ..newest }.note(notes);
        }
        notes.finished = true;
        LineMatch::Typical
    }
}

impl LimitCount {
    fn note(self, notes: &mut Notes) {
        match self.unit {
            LimitUnit::Epochs => notes.progress_in("epochs", self.done, self.total),
            LimitUnit::Frames => notes.progress_in("frames", self.done, self.total),
        }
    }
}

/// The end of playing: `av reward: 95.6 av steps: 1000.0 winrate: 0.5`.
fn played(line: &[u8], notes: &mut Notes) -> LineMatch {
    for (key, value) in pairs(line) {
        match key {
            b"av reward" => note(notes, "mean_reward", value),
            b"av steps" => note(notes, "mean_episode_length", value),
            b"winrate" => note(notes, "win_rate", value),
            _ => {}
        }
    }
    notes.finished = true;
    LineMatch::Typical
}

fn note(notes: &mut Notes, metric: &'static str, value: &[u8]) {
    leading_f64(value).into_iter().for_each(|value| notes.metric(metric, value));
}

/// `7` or `7/1000`; a limit of -1 is none, and one that is cut off says nothing.
fn count(unit: LimitUnit, value: &[u8]) -> Option<LimitCount> {
    let (done, rest) = leading_u64(value)?;
    let total = match rest.strip_prefix(b"/") {
        Some(b"") => return None,
        Some(limit) => leading_u64(limit).map(|(total, _)| total),
        None => None,
    };
    Some(LimitCount { unit, done, total: total.filter(|total| (1..NO_LIMIT).contains(total)) })
}

/// The `name: value` of a line, one behind the other.
fn pairs(line: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut name_starts = 0;
    memchr_iter(b':', line).filter_map(move |colon| {
        // A colon within a value is none of a pair.
        let name = line.get(name_starts..colon)?.trim_ascii();
        let behind = &line[colon + 1..];
        let value_starts = behind.iter().position(|byte| *byte != b' ').unwrap_or(behind.len());
        let value = &behind[value_starts..];
        let length = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
        name_starts = colon + 1 + value_starts + length;
        Some((name, &value[..length]))
    })
}

/// The reward in the name of a checkpoint, if it is there: files of the best are named for nothing else than the run.
fn reward_of(line: &[u8]) -> Option<f64> {
    const REWARD: &[u8] = b"rew";
    let at = memmem::rfind(line, REWARD)?;
    let behind = &line[at + REWARD.len()..];
    // Behind the number of the epoch or frame; the name of the run may hold such a word too.
    let before = line[..at].strip_suffix(b"_").unwrap_or(&line[..at]);
    if !before.last()?.is_ascii_digit() {
        return None;
    }
    let name = &behind[..find(behind, b".pth")?];
    let is_edge = |byte: &u8| matches!(byte, b'_' | b'=' | b'[' | b']');
    let start = name.iter().position(|byte| !is_edge(byte)).filter(|start| *start > 0)?;
    let length = name[start..].iter().take_while(|byte| !is_edge(byte)).count();
    std::str::from_utf8(&name[start..start + length]).ok()?.parse().ok()
}

/// The first number behind the text, whatever brackets are around it.
fn number_behind(line: &[u8], text: &str) -> Option<f64> {
    let behind = &line[find(line, text.as_bytes())? + text.len()..];
    let start = behind.iter().position(|byte| byte.is_ascii_digit() || *byte == b'-')?;
    leading_f64(&behind[start..])
}
