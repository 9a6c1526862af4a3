//! Lines next to the words by which a program ends: figures of a summary, or other work.

use super::closing_words::{CLOSES, OVER, is_number};
use crate::progress::text::word::is_one_of;

/// `whole_action_accuracy=0.01`: a figure of a summary, and no other work.
pub fn is_value(line: &str) -> bool {
    let is_name = |name: &str| name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    line.split_once('=')
        .is_some_and(|(name, value)| is_name(name) && !name.contains(' ') && !value.is_empty())
}

/// A line of a summary: `Success rate: 18.0%`, `#AVG_STEP: 6.34`, `Total time: 6033.5`.
pub fn gives_figure(words: &[String]) -> bool {
    const NAMES: &[&str] = &[
        "average", "avg", "mean", "total", "number", "length", "num", "std", "median", "successful",
        "success", "count", "result", "results", "solved",
    ];
    let names = words.iter().take(3).flat_map(|word| word.split('_')).any(|word| is_one_of(word, NAMES));
    names && words.last().is_some_and(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Values of one step of a training: `{'loss': 0.41, 'learning_rate': 4e-05, 'epoch': 0.01}`.
fn gives_values_of_step(words: &[String]) -> bool {
    let first = words.iter().find(|word| !is_number(word));
    let counts = |near: &[String]| is_one_of(&near[0], &["epoch", "step"]) && is_number(&near[1]);
    first.is_some_and(|word| word == "loss") && words.windows(2).any(counts)
}

/// Other work: a count, a bar, an announcement, or the values of a step.
pub fn begins_work(line: &str, words: &[String]) -> bool {
    const COUNTED: &[&str] = &[
        "epoch", "episode", "ep", "step", "iteration", "iter", "task", "trial", "game", "batch", "round",
        "update", "generation", "rollout",
    ];
    let is_number_at = |place: usize| words.get(place).is_some_and(|word| is_number(word));
    // A bar that is full is drawn once more: `Epoch 9/9`.
    let counts = is_one_of(&words[0], COUNTED) && is_number_at(1) && words.get(1) != words.get(2);
    let is_over = words.last().is_some_and(|word| is_one_of(word, OVER));
    let announces =
        words[0].ends_with("ing") && !is_one_of(&words[0], CLOSES) && words[0].len() > 4 && !is_over;
    counts
        || announces
        || gives_values_of_step(words)
        || line.contains("%|")
        || line.trim_end().ends_with("...")
}
