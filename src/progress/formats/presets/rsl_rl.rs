//! Training with rsl_rl, all versions and its forks: a block of `name: value` lines an iteration.

use memchr::memchr;

use crate::progress::counts::rate::leading_rate;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_fraction;
use crate::progress::text::number::leading_u64;

/// `Learning iteration 7/10`, then `Computation: 8962 steps/s (…)` or, since 3.2, `Steps per second: 1581`.
pub const PRESET: Preset = Preset {
    name: "rsl-rl",
    unit: "iterations",
    rank: PresetRank::Program,
    needles: &[
        TITLE, "Computation:", "Steps per second:", "Mean reward:", "Mean rewards:", "Mean total reward:",
        "Mean reward (total):", "Mean episode length:", "Mean value", "Value function loss:",
        "value_function:", "urrogate loss:", "surrogate:", "Mean action ", "success_rate:",
        "Total timesteps:", "Total steps:", "Iteration time:", "Training time:",
    ],
    begin: &|| Box::new(RslRl::default()),
};

const TITLE: &str = "Learning iteration ";
const SUCCESS_RATE: &str = "success_rate";

#[derive(Debug, Default)]
struct RslRl {
    /// The success rate has been a number.
    has_success_rate: bool,
}

impl Format for RslRl {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let line = without_frame(line);
        if let Some(title) = find(line, TITLE.as_bytes()) {
            let counts = &line[title + TITLE.len()..];
            return if title == 0 && counts.iter().all(u8::is_ascii_digit) {
                without_total(counts, notes)
            } else {
                title_of(counts, notes)
            };
        }
        let Some((name, metric, text)) = entry(line) else { return LineMatch::Foreign };
        let value = if name == SUCCESS_RATE { leading_rate(text) } else { leading_f64(text) };
        let Some(value) = value else { return LineMatch::Foreign };
        // Environments compute it themselves: before the first episode has ended it is the mean of nothing.
        self.has_success_rate |= name == SUCCESS_RATE && value.is_finite();
        if name != SUCCESS_RATE || self.has_success_rate {
            notes.metric(metric, value);
        }
        match name {
            "Computation" if find(text, b" steps/s (collection: ").is_some() => LineMatch::Typical,
            "Training time" => {
                notes.finished = true;
                LineMatch::Plausible
            }
            _ => LineMatch::Plausible,
        }
    }
}

/// Few of the many values of a block, and what they are called here: terms of the reward have names of their own in
/// each environment.
const ENTRIES: &[(&str, &str)] = &[
    ("Computation", "steps_per_s"),
    ("Steps per second", "steps_per_s"),
    ("Mean reward", "mean_reward"),
    // Versions 2.2, and forks of 1.0 that print parts of it too.
    ("Mean total reward", "mean_reward"),
    ("Mean reward (total)", "mean_reward"),
    ("Mean rewards", "mean_reward"),
    ("Mean episode length", "mean_episode_length"),
    ("Mean value loss", "value_loss"),
    ("Mean value_function loss", "value_loss"),
    ("Value function loss", "value_loss"),
    // Versions 2.3 to 3.1, as long as no episode has ended.
    ("value_function", "value_loss"),
    ("Mean surrogate loss", "surrogate_loss"),
    ("Surrogate loss", "surrogate_loss"),
    ("surrogate", "surrogate_loss"),
    ("Mean action std", "action_std"),
    ("Mean action noise std", "action_std"),
    ("Total timesteps", "total_steps"),
    ("Total steps", "total_steps"),
    ("Iteration time", "iteration_time_s"),
    ("Training time", "training_time_s"),
];

/// The name of a value, what it is called here, and the text of the value.
fn entry(line: &[u8]) -> Option<(&'static str, &'static str, &[u8])> {
    let colon = memchr(b':', line)?;
    let (key, text) = (&line[..colon], &line[colon + 1..]);
    if key.ends_with(SUCCESS_RATE.as_bytes()) {
        return Some((SUCCESS_RATE, SUCCESS_RATE, text));
    }
    let (name, metric) = ENTRIES.iter().find(|(name, _)| name.as_bytes() == key)?;
    Some((name, metric, text))
}

fn title_of(counts: &[u8], notes: &mut Notes) -> LineMatch {
    let Some((index, total, _)) = leading_fraction(counts) else { return LineMatch::Foreign };
    // The index counts from 0 and its block is printed when the iteration is over; some forks count from 1. Behind its
    // total a run was resumed by a fork that prints how many more there are to come.
    let done = index.saturating_add(1);
    match index.cmp(&total) {
        std::cmp::Ordering::Less | std::cmp::Ordering::Equal => notes.progress(done.min(total), Some(total)),
        std::cmp::Ordering::Greater => notes.progress(done, None),
    }
    LineMatch::Typical
}

/// Some forks keep to themselves how many iterations there are.
fn without_total(index: &[u8], notes: &mut Notes) -> LineMatch {
    let Some((index, _)) = leading_u64(index) else { return LineMatch::Foreign };
    notes.progress(index.saturating_add(1), None);
    LineMatch::Typical
}

/// Some forks draw a frame around the block.
fn without_frame(line: &[u8]) -> &[u8] {
    const FRAME: &[u8] = "│".as_bytes();
    let line = line.trim_ascii();
    let line = line.strip_prefix(FRAME).unwrap_or(line);
    line.strip_suffix(FRAME).unwrap_or(line).trim_ascii()
}
