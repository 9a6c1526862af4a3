//! Training and evaluation with CleanRL's scripts, and with ManiSkill's baselines that are made of them.

use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_u64;

/// `global_step=1234, episodic_return=[21.]` at the end of each episode and `SPS: 4386`; no line says how many steps
/// there are. ManiSkill's logs say how many epochs there are, begin each with `Epoch: 3, global_step=40960` and end it
/// with its speed.
pub const PRESET: Preset = Preset {
    name: "cleanrl",
    unit: "timesteps",
    rank: PresetRank::Program,
    needles: &[
        STEP,
        "Epoch: ",
        GLOBAL_STEP,
        EPOCHS,
        SPEED,
        EVALUATION,
        EVALUATED,
        SAVED,
        "eval_success_once_mean=",
        "eval_return_mean=",
        "eval_episode_len_mean=",
    ],
    begin: &|| Box::new(CleanRl::default()),
};

const STEP: &str = "global_step=";
/// ManiSkill's baselines of SAC draw it over what is on the line, so that more letters may follow.
const GLOBAL_STEP: &str = "Global Step: ";
const EPOCHS: &str = "args.num_iterations=";
const SPEED: &str = "SPS: ";
const EVALUATION: &str = "Running evaluation";
/// `Evaluated 400 steps resulting in 8 episodes`.
const EVALUATED: &str = " steps resulting in ";
/// `model saved to runs/Walker2d-v4__ppo__3/ppo.cleanrl_model` when the training is over, before the model is tried.
const SAVED: &str = ".cleanrl_model";

/// Means over the episodes of an evaluation.
const MEANS: [(&str, &str, &str); 3] = [
    ("eval_success_once_mean=", "eval_success_rate", "success_rate"),
    ("eval_return_mean=", "eval_mean_reward", "mean_reward"),
    ("eval_episode_len_mean=", "eval_mean_episode_length", "mean_episode_length"),
];

#[derive(Debug, Default)]
struct CleanRl {
    /// How many epochs there are.
    epochs: Option<u64>,
    /// The one that runs, counted from 1.
    epoch: Option<u64>,
    /// Nothing is trained: the first evaluation is the only one.
    only_evaluates: bool,
}

impl Format for CleanRl {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let text = line.trim_ascii();
        let behind = |start: &str| text.strip_prefix(start.as_bytes());
        if let Some(counts) = behind(STEP) {
            return episode(counts, notes);
        }
        if let Some(counts) = behind("Epoch: ") {
            return self.epoch(counts, notes);
        }
        if let Some((steps, _)) = behind(GLOBAL_STEP).and_then(leading_u64).filter(|_| self.epochs.is_none())
        {
            notes.progress(steps, None);
            return LineMatch::Plausible;
        }
        if let Some((epochs, _)) = behind(EPOCHS).and_then(leading_u64) {
            self.epochs = Some(epochs);
            return LineMatch::Typical;
        }
        if let Some(speed) = behind(SPEED).and_then(leading_f64) {
            notes.metric("steps_per_s", speed);
            // It is printed when the epoch is over.
            self.epoch.into_iter().for_each(|epoch| self.epochs_done(epoch, notes));
            return LineMatch::Plausible;
        }
        if text.starts_with(b"model saved to ") && text.ends_with(SAVED.as_bytes()) {
            notes.finished = true;
            return LineMatch::Typical;
        }
        if text == EVALUATION.as_bytes() {
            self.only_evaluates = true;
            return LineMatch::Plausible;
        }
        self.evaluated(text, notes)
    }
}

impl CleanRl {
    /// `3, global_step=40960`: it begins.
    fn epoch(&mut self, counts: &[u8], notes: &mut Notes) -> LineMatch {
        let Some((epoch, rest)) = leading_u64(counts) else { return LineMatch::Foreign };
        let steps = rest.strip_prefix(b", ").and_then(|rest| rest.strip_prefix(STEP.as_bytes()));
        let Some((steps, _)) = steps.and_then(leading_u64) else { return LineMatch::Foreign };
        self.epoch = Some(epoch);
        notes.metric("total_steps", steps as f64);
        if self.epochs.is_none() {
            notes.progress(steps, None);
        }
        self.epochs_done(epoch.saturating_sub(1), notes);
        LineMatch::Typical
    }

    fn epochs_done(&self, done: u64, notes: &mut Notes) {
        if let Some(total) = self.epochs.filter(|_| !self.only_evaluates) {
            notes.progress_in("epochs", done, Some(total));
        }
    }

    fn evaluated(&self, text: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(at) = find(text, EVALUATED.as_bytes()).filter(|_| text.starts_with(b"Evaluated ")) {
            let Some((episodes, b" episodes")) = leading_u64(&text[at + EVALUATED.len()..]) else {
                return LineMatch::Foreign;
            };
            if self.only_evaluates {
                notes.progress_in("episodes", episodes, Some(episodes));
                notes.finished = true;
            }
            return LineMatch::Typical;
        }
        let mut known = MEANS.iter().filter_map(|(start, of_evaluation, name)| {
            let value = text.strip_prefix(start.as_bytes()).and_then(leading_f64)?;
            Some((*of_evaluation, *name, value))
        });
        let Some((of_evaluation, name, value)) = known.next() else { return LineMatch::Foreign };
        notes.metric(name, value);
        if !self.only_evaluates {
            notes.metric(of_evaluation, value);
        }
        LineMatch::Plausible
    }
}

/// `1234, episodic_return=[21.]`, in older versions without brackets.
fn episode(counts: &[u8], notes: &mut Notes) -> LineMatch {
    const REWARD: &[u8] = b", episodic_return=";
    let Some((steps, rest)) = leading_u64(counts) else { return LineMatch::Foreign };
    let Some(reward) = rest.strip_prefix(REWARD) else { return LineMatch::Foreign };
    notes.progress(steps, None);
    let reward = leading_f64(reward.strip_prefix(b"[").unwrap_or(reward));
    reward.into_iter().for_each(|reward| notes.metric("episode_reward", reward));
    LineMatch::Typical
}
