//! The code with which a process ended, by a name: `EXIT=0`, `rc=143`.

use super::time_behind::before_time;
use crate::progress::text::last_words::NAMES_OF_CODE;
use crate::progress::text::word::{is_number, is_one_of};

/// `EXIT=0`, and nothing but a time behind it.
pub fn gives_exit_0(words: &[String]) -> bool {
    matches!(before_time(words), Some([name, code]) if names_code(name, 0) && code == "0")
}

/// `State: COMPLETED (exit code 0)`: Slurm's report of a job that is over.
pub fn reports_completed_job(words: &[String]) -> bool {
    words == ["state", "completed", "exit", "code", "0"]
}

/// The code with which what the line names ended, and its place: `0` of `END walk rc=0 moved=3` and of
/// `DONE walk (exit 0)`.
pub fn code_on(words: &[String]) -> Option<(usize, &str)> {
    const SHORT: [&str; 3] = ["exit", "code", "status"];
    let is_name = |word: &String| is_one_of(word, &SHORT) || is_one_of(word, &NAMES_OF_CODE);
    let at = words.windows(2).position(|two| is_name(&two[0]) && is_number(&two[1]))?;
    Some((at + 1, &words[at + 1]))
}

/// `rc=143`, `EXIT=1`: a code other than 0, by its name.
pub fn gives_exit_code(words: &[String]) -> bool {
    let is_code =
        |(place, two): (usize, &[String])| names_code(&two[0], place) && is_number(&two[1]) && two[1] != "0";
    words.windows(2).enumerate().any(is_code) && !words.iter().any(|word| word.starts_with("retry"))
}

/// Agents find exits in the midst of a line.
fn names_code(word: &str, place: usize) -> bool {
    is_one_of(word, &NAMES_OF_CODE) || place == 0 && is_one_of(word, &["exit"])
}
