//! Stable-Baselines3, its zoo and its ancestors: boxed tables, lines of evaluations, and a bar.

use crate::progress::counts::bar::Bar;
use crate::progress::counts::rate::leading_rate;
use crate::progress::counts::trainer_bar::TrainerBar;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_u64;

/// `|    ep_rew_mean     | 917      |` in a table under `| rollout/ |`; the table counts timesteps and knows no total.
/// Evaluations while it trains print `Eval num_timesteps=10000, episode_reward=12.50 +/- 3.00`, those of a finished
/// policy `Mean reward: 12.50 +/- 3.00`.
pub const PRESET: Preset = Preset {
    name: "sb3",
    unit: "timesteps",
    rank: PresetRank::Program,
    needles: &[
        "| rollout/", "| eval/   ", "| time/   ", "| train/  ", "total_timesteps", "total timesteps",
        "timestepsofar", "TimestepsSoFar", "ep_rew_mean", "ep_reward_mean", "ep_rewmean", "eprewmean",
        "ep_len_mean", "eplenmean", "mean_ep_length", "mean_reward", "success_rate", "time_elapsed",
        "fps        ", EVALUATION, EVALUATION_LENGTH, SUCCESS_RATE, "Mean reward:", "Mean episode length:",
        TRAINING_TIME, STOPPED, "|    loss ", "value_loss", "policy_loss", "gradient_loss", "actor_loss",
        "critic_loss", "entropy_loss", "%|", "━",
    ],
    begin: &|| Box::new(Sb3::default()),
};

const EVALUATION: &str = "Eval num_timesteps=";
const EVALUATION_LENGTH: &str = "Episode length:";
const SUCCESS_RATE: &str = "Success rate:";
const TRAINING_TIME: &str = "Training time:";
/// `Stopping training because the mean reward 501.00  is above the threshold 500`,
/// `Stopping training with a total of 363 steps because …`: callbacks end a training that has reached its goal.
const STOPPED: &str = "Stopping training ";

/// Losses that the algorithms minimize.
const LOSSES: [&str; 7] = [
    "loss", "value_loss", "policy_loss", "policy_gradient_loss", "actor_loss", "critic_loss", "entropy_loss",
];

#[derive(Debug, Default)]
struct Sb3 {
    section: Section,
    /// A bar counts the timesteps of this run and knows their total; the table goes on counting where an earlier run
    /// ended.
    has_bar: bool,
    bar: TrainerBar,
    /// The table shows the reward while it trains.
    has_reward: bool,
    /// Lines of an evaluation while it trains come next.
    evaluates: bool,
    /// The mean length of the last episodes is a number: where it is none, no episode has ended yet.
    has_episodes: Option<bool>,
    /// A mean reward that is no number waits for the length, which comes below it in the tables of the ancestors.
    reward_waits: bool,
    /// Number of timesteps so far.
    newest: Option<u64>,
    /// As the newest table has it.
    in_table: f64,
    /// A callback ended the training.
    is_stopped: bool,
}

/// Part of a table: the same name means something else in each.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// None, or of no interest.
    #[default]
    Other,
    Evaluation,
}

impl Format for Sb3 {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let text = line.trim_ascii();
        if text.starts_with(b"|")
            && let Some((key, value)) = row(text)
        {
            return self.row(key, value, notes);
        }
        if let Some(at) = find(text, EVALUATION.as_bytes()) {
            return self.evaluation(&text[at + EVALUATION.len()..], notes);
        }
        self.line(text, notes)
    }

    fn read_bar(&mut self, bar: &Bar<'_>, _line: &[u8], notes: &mut Notes) -> LineMatch {
        self.bar(bar, notes)
    }
}

impl Sb3 {
    fn row(&mut self, key: &[u8], value: &[u8], notes: &mut Notes) -> LineMatch {
        if value.is_empty() {
            self.section = if key == b"eval/" { Section::Evaluation } else { Section::Other };
            let is_own = [&b"eval/"[..], b"rollout/", b"time/", b"train/"].contains(&key);
            return if is_own { LineMatch::Typical } else { LineMatch::Plausible };
        }
        let number = if key == b"success_rate" { leading_rate(value) } else { leading_f64(value) };
        let Some(value) = number else { return LineMatch::Foreign };
        match (key, self.section) {
            (b"total_timesteps" | b"total timesteps" | b"timestepsofar" | b"TimestepsSoFar", _) => {
                self.end_waiting(notes);
                self.timesteps(value, notes);
                notes.metric("total_steps", value);
                return LineMatch::Typical;
            }
            (b"ep_rew_mean" | b"ep_reward_mean" | b"ep_rewmean" | b"eprewmean", _) => {
                self.has_reward = true;
                self.reward_waits = value.is_nan() && self.has_episodes.is_none();
                if !self.reward_waits {
                    self.mean("mean_reward", value, notes);
                }
                return LineMatch::Typical;
            }
            (b"ep_len_mean" | b"eplenmean", _) => {
                self.has_episodes = Some(!value.is_nan());
                self.mean("mean_episode_length", value, notes);
                self.end_waiting(notes);
                return LineMatch::Typical;
            }
            // Any table may have such rows.
            (b"success_rate", Section::Evaluation) => self.evaluated("success_rate", value, notes),
            (b"success_rate", Section::Other) => self.mean("success_rate", value, notes),
            (b"mean_reward", _) => self.evaluated("mean_reward", value, notes),
            (b"mean_ep_length", _) => self.evaluated("mean_episode_length", value, notes),
            (b"fps", _) => notes.metric("steps_per_s", value),
            (b"time_elapsed", _) => notes.metric("time_elapsed_s", value),
            _ => {
                let Some(loss) = LOSSES.iter().find(|loss| loss.as_bytes() == key) else {
                    return LineMatch::Foreign;
                };
                notes.metric(*loss, value);
            }
        }
        LineMatch::Plausible
    }

    /// A mean over the last episodes.
    fn mean(&self, name: &'static str, value: f64, notes: &mut Notes) {
        if !value.is_nan() || self.has_episodes != Some(false) {
            notes.metric(name, value);
        }
    }

    fn end_waiting(&mut self, notes: &mut Notes) {
        if std::mem::take(&mut self.reward_waits) {
            self.mean("mean_reward", f64::NAN, notes);
        }
    }

    fn timesteps(&mut self, value: f64, notes: &mut Notes) {
        if std::mem::replace(&mut self.in_table, value) > value {
            // Another run: the bar of the one before it knows nothing of it.
            (self.has_bar, self.bar) = (false, TrainerBar::default());
            notes.restarts = true;
        }
        if !self.has_bar && value.is_finite() && value >= 0.0 {
            self.newest = Some(value as u64);
            self.is_stopped = false;
            notes.progress(value as u64, None);
        }
    }

    /// Ends the training: the steps done until then were all there were to do.
    fn stopped(&mut self, reason: &[u8], notes: &mut Notes) -> LineMatch {
        let steps = reason.strip_prefix(b"with a total of ").and_then(leading_u64).map(|(steps, _)| steps);
        if steps.is_none() && !reason.starts_with(b"because ") {
            return LineMatch::Foreign;
        }
        if let Some(done) = steps.or(self.newest) {
            notes.progress(done, Some(done));
        }
        self.is_stopped = true;
        self.bar.close();
        notes.finished = true;
        LineMatch::Plausible
    }

    /// Notes a value of an evaluation during the training. Where the table shows none of its own, it serves for that
    /// too.
    fn evaluated(&self, name: &'static str, value: f64, notes: &mut Notes) {
        notes.metric(format!("eval_{name}"), value);
        if !self.has_reward {
            notes.metric(name, value);
        }
    }

    /// tqdm's own bar, or the one it draws with rich.
    fn bar(&mut self, bar: &Bar<'_>, notes: &mut Notes) -> LineMatch {
        let Some((done, total)) = self.bar.take(bar) else { return LineMatch::Foreign };
        self.has_bar = true;
        self.newest = Some(done);
        // Drawn for the last time when it is closed.
        notes.finished = self.is_stopped;
        notes.progress(done, Some(if self.is_stopped { done } else { total }));
        LineMatch::Plausible
    }

    /// `10000, episode_reward=12.50 +/- 3.00`.
    fn evaluation(&mut self, text: &[u8], notes: &mut Notes) -> LineMatch {
        let Some((timesteps, rest)) = leading_u64(text) else { return LineMatch::Foreign };
        const REWARD: &[u8] = b"reward=";
        let Some(reward) = find(rest, REWARD) else { return LineMatch::Foreign };
        let Some(reward) = leading_f64(&rest[reward + REWARD.len()..]) else { return LineMatch::Foreign };
        self.evaluates = true;
        self.timesteps(timesteps as f64, notes);
        self.evaluated("mean_reward", reward, notes);
        LineMatch::Typical
    }

    fn line(&mut self, text: &[u8], notes: &mut Notes) -> LineMatch {
        let behind = |start: &str| text.strip_prefix(start.as_bytes()).and_then(leading_f64);
        if let Some(length) = behind(EVALUATION_LENGTH).filter(|_| self.evaluates) {
            self.evaluated("mean_episode_length", length, notes);
            return LineMatch::Plausible;
        }
        // With its percent sign: lines of others look the same without it.
        let rate =
            text.strip_prefix(SUCCESS_RATE.as_bytes()).filter(|_| memchr::memchr(b'%', text).is_some());
        if let Some(rate) = rate.and_then(leading_rate) {
            if self.evaluates {
                self.evaluated("success_rate", rate, notes);
            } else {
                notes.metric("success_rate", rate);
            }
            return LineMatch::Plausible;
        }
        if let Some(seconds) = behind(TRAINING_TIME) {
            notes.metric("training_time_s", seconds);
            notes.finished = true;
            return LineMatch::Plausible;
        }
        if let Some(reason) = text.strip_prefix(STOPPED.as_bytes()) {
            return self.stopped(reason, notes);
        }
        // With the spread behind it, it is printed by a program that calls `evaluate_policy`.
        let with_spread = find(text, b"+/-").or_else(|| find(text, "±".as_bytes()));
        let names = [
            ("Mean reward:", "mean_reward"),
            ("mean_reward:", "mean_reward"),
            ("mean_reward=", "mean_reward"),
            ("Mean episode length:", "mean_episode_length"),
        ];
        let words = text.strip_prefix(b"Evaluation complete. ").unwrap_or(text);
        let behind = |start: &str| words.strip_prefix(start.as_bytes()).and_then(leading_f64);
        let found = names.iter().find_map(|(start, name)| behind(start).map(|value| (*name, value)));
        let (Some((name, value)), Some(_)) = (found, with_spread) else { return LineMatch::Foreign };
        notes.metric(name, value);
        LineMatch::Typical
    }
}

/// The two cells of `|    fps             | 1066     |`.
fn row(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let cells = text.strip_prefix(b"|")?.strip_suffix(b"|")?;
    let middle = memchr::memchr(b'|', cells)?;
    let (key, value) = (cells[..middle].trim_ascii(), cells[middle + 1..].trim_ascii());
    memchr::memchr(b'|', value).is_none().then_some((key, value))
}
