//! Training with rsl_rl, all versions and its forks: a block of `name: value` lines an iteration.

use memchr::{memchr, memmem};

use crate::progress::format::{Format, Look, Notes, Preset, Rank};
use crate::progress::number::{leading_f64, leading_fraction};

/// `Learning iteration 7/10`, then `Computation: 8962 steps/s (…)` or, since 3.2, `Steps per second: 1581`.
pub const PRESET: Preset = Preset {
    name: "rsl-rl",
    unit: "iterations",
    rank: Rank::Program,
    needles: &[
        TITLE,
        "Computation:",
        "Steps per second:",
        "Mean reward:",
        "Mean episode length:",
        "Mean value",
        "Value function loss:",
        "urrogate loss:",
        "Mean action ",
        "success_rate:",
        "Total timesteps:",
        "Total steps:",
        "Iteration time:",
        "Training time:",
    ],
    begin: || Box::new(RslRl),
};

const TITLE: &str = "Learning iteration ";

#[derive(Debug)]
struct RslRl;

impl Format for RslRl {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        let line = line.trim_ascii();
        if let Some(title) = memmem::find(line, TITLE.as_bytes()) {
            return title_of(&line[title + TITLE.len()..], notes);
        }
        let Some(colon) = memchr(b':', line) else { return Look::Foreign };
        let (key, text) = (&line[..colon], &line[colon + 1..]);
        let Some(metric) = metric_of(key) else { return Look::Foreign };
        let Some(value) = leading_f64(text) else { return Look::Foreign };
        notes.metric(metric, value);
        match key {
            b"Computation" if memmem::find(text, b" steps/s (collection: ").is_some() => Look::Typical,
            b"Training time" => {
                notes.finished = true;
                Look::Plausible
            }
            _ => Look::Plausible,
        }
    }
}

fn title_of(counts: &[u8], notes: &mut Notes) -> Look {
    let Some((index, total, _)) = leading_fraction(counts) else { return Look::Foreign };
    // The index counts from 0 and its block is printed when the iteration is over; some forks count from 1. Behind its
    // total a run was resumed by a fork that prints how many more there are to come.
    let done = index.saturating_add(1);
    match index.cmp(&total) {
        std::cmp::Ordering::Less | std::cmp::Ordering::Equal => notes.progress(done.min(total), Some(total)),
        std::cmp::Ordering::Greater => notes.progress(done, None),
    }
    Look::Typical
}

/// Few of the many values of a block: terms of the reward have names of their own in each environment.
fn metric_of(key: &[u8]) -> Option<&'static str> {
    Some(match key {
        b"Computation" | b"Steps per second" => "steps_per_s",
        b"Mean reward" => "mean_reward",
        b"Mean episode length" => "mean_episode_length",
        b"Mean value loss" | b"Mean value_function loss" | b"Value function loss" => "value_loss",
        b"Mean surrogate loss" | b"Surrogate loss" => "surrogate_loss",
        b"Mean action std" | b"Mean action noise std" => "action_std",
        b"Total timesteps" | b"Total steps" => "total_steps",
        b"Iteration time" => "iteration_time_s",
        b"Training time" => "training_time_s",
        _ if key.ends_with(b"success_rate") => "success_rate",
        _ => return None,
    })
}
