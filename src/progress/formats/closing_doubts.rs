//! What the last lines of a log say against an end that others of them announce.

use super::exit_codes::gives_exit_code;
use super::line_words::words_of;
use crate::progress::counts::count_units;
use crate::progress::text::log_tail::LastLine;
use crate::progress::text::word::{is_number, is_one_of};

/// `Training was interrupted by the user`; more words are about something else.
const LONGEST_REMARK: usize = 6;

/// What `make` says of a command that failed.
const MAKE_FAILED: &str = "make: *** ";

/// The last lines say that the work was broken off, that a command of it failed, or that there was none.
pub fn shows_failure(lines: &[LastLine], words: &[Vec<String>]) -> bool {
    const BROKEN_OFF: &[&str] = &["interrupted", "aborted", "keyboardinterrupt"];
    let is_of_keyboard = |words: &[String]| words.windows(2).any(|near| near == ["keyboard", "interrupt"]);
    let is_broken_off = |words: &[String]| {
        let breaks_off = words.iter().any(|word| is_one_of(word, BROKEN_OFF)) || is_of_keyboard(words);
        words.len() <= LONGEST_REMARK && breaks_off
    };
    words.iter().any(|words| is_broken_off(words) || says_command_failed(words) || gives_exit_code(words))
        || lines.iter().any(|line| says_none(&line.text) || line.text.contains(MAKE_FAILED))
}

/// Reports whether one of the lines behind the work says that a command or a process failed.
pub fn command_failed(lines: &[LastLine]) -> bool {
    lines.iter().any(|line| {
        let words = words_of(&line.text);
        // `Task timed out` may be the outcome of an episode.
        let is_of_episode = is_one_of(words.first().map_or("", String::as_str), &["run", "step", "task"]);
        says_command_failed(&words) && (gives_code(&words) || !is_of_episode)
            || says_process_failed(&words)
            || line.text.contains(MAKE_FAILED)
            || gives_exit_code(&words)
    })
}

/// `python eval.py failed with exit code 1`, `Command '['make']' returned non-zero exit status 2.`
fn says_process_failed(words: &[String]) -> bool {
    let says = |said: &[&str]| words.iter().any(|word| is_one_of(word, said));
    says(&["exit", "exited"])
        && says(&["exited", "failed", "returned"])
        && gives_code(words)
        && !is_tried_again(words)
}

/// A code other than 0.
fn gives_code(words: &[String]) -> bool {
    let is_code = |near: &[String]| {
        is_one_of(&near[0], &["code", "exit", "status"]) && is_number(&near[1]) && near[1] != "0"
    };
    words.windows(2).any(is_code)
}

fn is_tried_again(words: &[String]) -> bool {
    words.iter().any(|word| word.starts_with("retry"))
}

/// `Command failed with code 1`, `Command timed out after 2 hours`: launchers of several commands go on and print
/// that all is complete.
fn says_command_failed(words: &[String]) -> bool {
    const RUN: &[&str] =
        &["command", "script", "process", "subprocess", "step", "stage", "job", "experiment", "run", "task"];
    let Some(subject) = words.iter().find(|word| !is_number(word)) else { return false };
    let says = |said: &[&str]| words.windows(said.len()).any(|near| near.iter().eq(said.iter()));
    let failed = says(&["failed", "with"]) && gives_code(words) || says(&["timed", "out"]);
    is_one_of(subject, RUN) && failed && !is_tried_again(words)
}

/// `RuntimeError: no device`: a launcher may say how it ends all the same.
pub fn names_exception(line: &LastLine) -> bool {
    let name = line.text.split_once(": ").map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.contains(' ') && (name.ends_with("Error") || name.ends_with("Exception")) && name.len() > 5
    })
}

/// `Episodes: 0/0`, `Evaluating 0 episodes`: there was nothing to do, and nothing of nothing is not complete.
fn says_none(line: &str) -> bool {
    const COUNTED: &[&str] = &["success", "rate", "accuracy", "evaluated", "completed"];
    let words = line.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let is_counted = |word: &&str| is_one_of(word, COUNTED) || count_units::find(word.as_bytes()).is_some();
    let is_digit = |letter: char| letter.is_ascii_digit() || letter == '.';
    let is_whole = |(at, text): (usize, &str)| {
        !line[..at].ends_with(is_digit) && !line[at + text.len()..].starts_with(is_digit)
    };
    let gives_none =
        ["0/0", "0 / 0", "0 of 0"].into_iter().any(|text| line.match_indices(text).any(is_whole));
    let begins_none = matches!(words[..], [first, "0", ..] if first.eq_ignore_ascii_case("evaluating"));
    // `Number of finished trials: 0`
    let finishes_none =
        words.iter().any(|word| is_one_of(word, &["finished"])) && line.trim_end().ends_with(" 0");
    begins_none || (gives_none || finishes_none) && words.iter().any(is_counted)
}
