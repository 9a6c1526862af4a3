//! Lines next to the words by which a program ends: figures of a summary, or other work.

use std::str::from_utf8;

use super::closing_words::{CLOSES, OVER};
use super::line_words::words_of;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::log_tail::LastLine;
use crate::progress::text::word::{is_number, is_one_of};

/// The name of a file has no more words.
const MOST_OF_NAME: usize = 4;

/// `whole_action_accuracy=0.01`: a figure of a summary, and no other work.
pub fn is_value(line: &str) -> bool {
    let is_name = |name: &str| name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    line.split_once('=')
        .is_some_and(|(name, value)| is_name(name) && !name.contains(' ') && !value.is_empty())
}

/// `Summary CSV: /runs/3/summary.csv`, `Session log: tonight.log`: where something is that belongs to the work which is
/// over.
pub fn points_to_file(line: &str) -> bool {
    let behind = behind_prefix(line.as_bytes()).map_or(line, |text| from_utf8(text).unwrap_or(line));
    let Some((name, path)) = behind.split_once(": ") else { return false };
    let path = path.trim().trim_matches(['"', '\'', '`']);
    let has_ending = || {
        let ending = path.rsplit_once('.').map(|(_, ending)| ending);
        // `3.3B` is a figure.
        ending.is_some_and(|ending| {
            (1..=5).contains(&ending.len()) && ending.starts_with(|letter: char| letter.is_ascii_alphabetic())
        })
    };
    let is_path = path.contains(['/', '\\']) || has_ending();
    name.split_whitespace().count() <= MOST_OF_NAME
        && (path.starts_with('/') || !path.contains(' '))
        && is_path
}

/// A line that comes behind the end of the work and says nothing else: a value, a piece of a summary, where a file is, what
/// libraries print.
pub fn belongs_to_end(line: &str, words: &[String]) -> bool {
    is_value(line) || is_of_json(line) || heads_results(words) || points_to_file(line) || is_of_exit(line)
}

/// `SUMMARY`, `Accuracy:` and nothing else.
fn heads_results(words: &[String]) -> bool {
    matches!(words, [heading] if is_one_of(heading, &["summary", "results", "accuracy", "metrics", "report"]))
}

/// `"accuracy": 0.17,`, `"policy": {`: results that are printed as JSON.
fn is_of_json(line: &str) -> bool {
    line.trim().strip_prefix('"').is_some_and(|name| name.contains("\":"))
}

/// Lines of a summary: they may repeat what was printed at the start.
pub fn sums_up(line: &str) -> bool {
    is_value(line) || points_to_file(line) || gives_figure(&words_of(line))
}

/// What the libraries of a process print while it ends.
pub fn is_of_exit(line: &str) -> bool {
    ["ProcessGroupNCCL.cpp", "destroy_process_group()", "leaked semaphore", "resource_tracker"]
        .into_iter()
        .any(|text| line.contains(text))
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

/// `=== walker START Wed Jul 22: 25 runs ===`, `seed 3 START`: the first of the lines heads other work, by its frame or
/// its capitals, as the first line of the log does. A remark on the times of work that is over names its end too, or what
/// went by since.
pub fn heads_start(lines: &[LastLine], first_line: &[u8]) -> bool {
    const STARTS: &[&str] = &["start", "starts", "starting", "begin", "begins", "beginning"];
    const CAPITALS: &[&str] = &["START", "STARTS", "STARTING", "BEGIN", "BEGINS"];
    const OTHERS: &[&str] = &[
        "time", "since", "after", "before", "took", "elapsed", "duration", "from", "to", "used", "epilog",
        "epilogue", "loss", "initial", "final",
    ];
    const ENDS: &[&str] =
        &["end", "ends", "ended", "stop", "stopped", "finish", "finished", "done", "complete", "completed"];
    let Some((LastLine { text, .. }, behind)) = lines.split_first() else { return false };
    let words = words_of(text);
    let holds = |words: &[String], known: &[&str]| words.iter().any(|word| is_one_of(word, known));
    let is_like_first = || holds(&words_of(&String::from_utf8_lossy(first_line)), STARTS);
    if !holds(&words, STARTS) || !is_like_first() || holds(&words, OTHERS) || holds(&words, ENDS) {
        return false;
    }
    let is_framed =
        ["==", "--", "##", "**", ">>"].into_iter().any(|sign| text.trim_start().starts_with(sign));
    let is_capital =
        text.split(|letter: char| !letter.is_alphanumeric()).any(|word| CAPITALS.contains(&word));
    (is_framed || is_capital) && !behind.iter().any(|line| holds(&words_of(&line.text), ENDS))
}

/// `ConstantBearing(K=8.0) : catch=70%`: the first word is the name of one of several, with what distinguishes it.
fn names_item(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    first.split_once('(').is_some_and(|(name, _)| {
        let mut letters = name.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_uppercase)
    })
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
    let announces = words[0].ends_with("ing")
        && !is_one_of(&words[0], CLOSES)
        && words[0].len() > 4
        && !is_over
        && !names_item(line);
    counts
        || announces
        || gives_values_of_step(words)
        || line.contains("%|")
        || line.trim_end().ends_with("...")
}
