//! Training with rsl_rl, all versions: a block of `name: value` lines an iteration.

use crate::progress::format::{Format, Look, Notes, Preset, Rank};
use crate::progress::number::{leading_f64, leading_fraction};

/// `Learning iteration 7/10`, then `Computation: 8962 steps/s (…)` or, since 3.2, `Steps per second: 1581`.
pub const PRESET: Preset = Preset {
    name: "rsl-rl",
    unit: "iterations",
    rank: Rank::Program,
    needles: &[
        "Learning iteration ",
        "Computation:",
        "Steps per second:",
        "Mean reward:",
        "Mean episode length:",
        "Total timesteps:",
        "Total steps:",
        "Training time:",
    ],
    begin: || Box::new(RslRl),
};

#[derive(Debug)]
struct RslRl;

impl Format for RslRl {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        let line = line.trim_ascii();
        if let Some(rest) = line.strip_prefix(b"Learning iteration ") {
            let Some((index, total, _)) = leading_fraction(rest) else { return Look::Foreign };
            // The index counts from 0 and its block is printed when the iteration is over.
            notes.progress(index.saturating_add(1), Some(total));
            return Look::Typical;
        }
        let Some(colon) = memchr::memchr(b':', line) else { return Look::Foreign };
        let Some(value) = leading_f64(&line[colon + 1..]) else { return Look::Foreign };
        match &line[..colon] {
            b"Computation" | b"Steps per second" => notes.metric("steps_per_s", value),
            b"Mean reward" => notes.metric("mean_reward", value),
            b"Mean episode length" => notes.metric("mean_episode_length", value),
            b"Total timesteps" | b"Total steps" => notes.metric("total_steps", value),
            b"Training time" => {
                notes.metric("training_time_s", value);
                notes.finished = true;
            }
            _ => return Look::Foreign,
        }
        Look::Plausible
    }
}
